/** Makes sensors of devices that wait, as the fleet key says or by another template. */
import { useState } from 'preact/hooks'
import { formatList } from '../../text/format.ts'
import { isolated, t } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FormFailure } from '../../ui/failure-text.tsx'
import { useDraft } from '../../ui/form.ts'
import { notify } from '../../ui/toasts.tsx'
import { emptyChannel } from '../sensors/channels-editor.tsx'
import { approveDevices, type FleetKey, namedDevices } from './fleet-key-data.ts'
import { TemplateFields } from './fleet-key-form.tsx'
import { type TemplateValues, templateFaults, templateOf } from './fleet-key-values.ts'

type Values = TemplateValues & { isOwn: boolean }

export function ApproveDialog(props: {
  fleetKey: FleetKey
  externalIds: string[]
  onClose: () => void
  onApproved: () => void
}) {
  const { fleetKey, externalIds } = props
  const draft = useDraft<Values>(`approve.${fleetKey.id}`, { isOwn: false, channels: [emptyChannel()], newTags: [] })
  const values = draft.values.value
  const [isChecked, setChecked] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const faults = templateFaults(values)

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    setChecked(true)
    if (values.isOwn && Object.keys(faults).length > 0) {
      requestAnimationFrame(() => document.querySelector<HTMLElement>('.dialog [aria-invalid]')?.focus())
      return
    }
    setBusy(true)
    const done = await draft.submit((sent, key) =>
      approveDevices(fleetKey, externalIds, sent.isOwn ? (templateOf(sent) ?? {}) : undefined, key),
    )
    setBusy(false)
    if (done === undefined) return
    draft.clear()
    if (done.approved.length > 0) notify(t('fleetKeys.approved', { count: done.approved.length }))
    if (done.refused.length > 0)
      notify(
        t('fleetKeys.notApproved', {
          count: done.refused.length,
          names: namedDevices(done.refused.map(({ externalId }) => externalId)),
        }),
        { isError: true },
      )
    props.onApproved()
  }

  const errorAt = (field: string): string | undefined => draft.errorAt(field) ?? (isChecked ? faults[field] : undefined)
  return (
    <Dialog title={t('fleetKeys.approveTitle', { count: externalIds.length })} onClose={props.onClose} isWide>
      <form class="form approve-form" noValidate onSubmit={(event) => void submit(event)}>
        <p>{namedDevices(externalIds)}</p>
        <p class="weak">
          {t('fleetKeys.approveText')}
          {fleetKey.tags.length > 0 &&
            ` ${t('fleetKeys.approveTags', { tags: formatList(fleetKey.tags.map(isolated)) })}`}
        </p>
        <fieldset class="option-set">
          <legend>{t('fleetKeys.channelsFrom')}</legend>
          {([false, true] as const).map((isOwn) => (
            <label key={String(isOwn)} class="check">
              <input
                type="radio"
                name="template"
                checked={values.isOwn === isOwn}
                onChange={() => draft.set('isOwn', isOwn)}
              />
              <span>
                {isOwn
                  ? t('fleetKeys.ownTemplate')
                  : (fleetKey.template?.channels?.length ?? 0) > 0
                    ? t('fleetKeys.keyTemplate', {
                        channels: formatList((fleetKey.template?.channels ?? []).map(({ name }) => isolated(name))),
                      })
                    : t('fleetKeys.fromReading')}
              </span>
            </label>
          ))}
        </fieldset>
        {values.isOwn && (
          <TemplateFields
            values={values}
            onChange={(change) => {
              const { channels, newTags } = change(draft.values.peek())
              if (channels !== undefined) draft.set('channels', channels)
              if (newTags !== undefined) draft.set('newTags', newTags)
            }}
            errorAt={errorAt}
          />
        )}
        <FormFailure error={draft.error.value} />
        <div class="dialog-actions">
          <Button onClick={props.onClose}>{t('frame.cancel')}</Button>
          <Button kind="main" type="submit" isBusy={isBusy}>
            {t('fleetKeys.approveTitle', { count: externalIds.length })}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
