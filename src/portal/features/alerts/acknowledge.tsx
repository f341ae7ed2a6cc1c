/** Acknowledges one alert or several, with a comment. */
import { t } from '../../text/text.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { attempt, FormFailure } from '../../ui/failure-text.tsx'
import { Field } from '../../ui/field.tsx'
import { useDraft } from '../../ui/form.ts'
import { notify } from '../../ui/toasts.tsx'
import { type AlertFilter, acknowledge, idsOf, inParts, takeBack } from './alert-data.ts'

const MAX_COMMENT = 2_000

/** `filter`: of all firing alerts that match. */
export type Acknowledged = { count: number } & ({ ids: readonly string[] } | { filter: AlertFilter })

export function AcknowledgeDialog(props: { of: Acknowledged; onDone: () => void; onClose: () => void }) {
  const { of } = props
  const draft = useDraft('alert.acknowledge', { comment: '' })
  const title = of.count === 1 ? t('alerts.acknowledge') : t('alerts.acknowledgeAll', { count: of.count })
  async function submit(): Promise<void> {
    const done = await draft.submit(async ({ comment }) => {
      const ids = 'ids' in of ? of.ids : await idsOf(of.filter)
      for (const part of inParts(ids)) await acknowledge(part, comment.trim())
      return ids.length
    })
    if (done === undefined) return
    notify(t('alerts.acknowledged', { count: done }))
    draft.clear()
    props.onDone()
  }
  return (
    <FormDialog
      title={title}
      onSubmit={submit}
      onClose={() => {
        draft.clear()
        props.onClose()
      }}
    >
      <p>{t('alerts.acknowledgeText')}</p>
      <Field label={t('alerts.comment')} error={draft.errorAt('comment')}>
        {(attributes) => (
          <textarea
            {...attributes}
            dir="auto"
            rows={2}
            maxLength={MAX_COMMENT}
            autofocus
            value={draft.values.value.comment}
            onInput={(event) => draft.set('comment', event.currentTarget.value)}
          />
        )}
      </Field>
      <FormFailure error={draft.error.value} />
    </FormDialog>
  )
}

export async function takeBackOf(id: string, onDone: () => void): Promise<void> {
  if (!(await attempt(() => takeBack(id)))) return
  notify(t('alerts.takenBack'))
  onDone()
}
