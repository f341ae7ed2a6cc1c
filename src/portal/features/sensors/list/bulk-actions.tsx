/** Actions on all selected sensors. Everything but deletion can be undone. */
import { useState } from 'preact/hooks'
import { api, dataOf } from '../../../api/client.ts'
import { may } from '../../../shell/session.ts'
import { formatWhole } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { ConfirmByName, Dialog } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/field.tsx'
import { failureText } from '../../../ui/form.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Menu } from '../../../ui/menu.tsx'
import type { Selection } from '../../../ui/table/table-selection.ts'
import { notify } from '../../../ui/toasts.tsx'
import { compareAddress } from '../../compare/compared.ts'
import { type BatchResult, runBatch } from './bulk.ts'

type Change = { enabled?: boolean; held?: boolean; heldReason?: string; tags?: string[] }

async function change(id: string, body: Change, signal: AbortSignal): Promise<boolean> {
  await dataOf(api.PATCH('/manage/v1/sensors/{id}', { params: { path: { id } }, body, signal }))
  return true
}

/** @param isAdded whether the tag is added or removed. @returns whether the sensor had to change */
async function retag(id: string, tag: string, isAdded: boolean, signal: AbortSignal): Promise<boolean> {
  const { tags } = await dataOf(api.GET('/manage/v1/sensors/{id}', { params: { path: { id } }, signal }))
  if (tags.includes(tag) === isAdded) return false
  return change(id, { tags: isAdded ? [...tags, tag] : tags.filter((one) => one !== tag) }, signal)
}

/** @returns whether the sensor had to change: undo skips sensors that already had the value */
async function switchTo(id: string, to: { enabled?: boolean; held?: boolean }, signal: AbortSignal): Promise<boolean> {
  const now = await dataOf(api.GET('/manage/v1/sensors/{id}', { params: { path: { id } }, signal }))
  if ((to.enabled ?? now.enabled) === now.enabled && (to.held ?? now.held) === now.held) return false
  return change(id, to, signal)
}

type Work = (id: string, signal: AbortSignal) => Promise<boolean>

export function BulkActions(props: {
  selection: Selection
  names: (id: string) => string | undefined
  onDone: () => void
}) {
  const { selection, onDone } = props
  const [asked, setAsked] = useState<'tag' | 'delete' | undefined>(undefined)
  const ids = [...selection.ids.value]

  /** Reports the outcome, and offers to undo the changes. */
  function report({ changed, failed, isStopped }: BatchResult, undo?: Work): void {
    onDone()
    const text = isStopped
      ? t('sensors.bulk.stopped', { count: changed.length })
      : t('sensors.bulk.changed', { count: changed.length })
    const [first] = failed
    const problem = first && t('sensors.bulk.failed', { count: failed.length, reason: failureText(first) })
    notify(problem === undefined ? text : `${text} ${problem}`, {
      isError: problem !== undefined,
      ...(undo &&
        changed.length > 0 && {
          undo: async () => report(await runBatch(t('sensors.bulk.undoing'), changed, undo)),
        }),
    })
  }

  async function run(text: string, work: Work, undo?: Work): Promise<void> {
    report(await runBatch(text, ids, work), undo)
  }

  const set = (to: Parameters<typeof switchTo>[1], back: Parameters<typeof switchTo>[1]) => () =>
    void run(
      t('sensors.bulk.changing'),
      (id, signal) => switchTo(id, to, signal),
      (id, signal) => switchTo(id, back, signal),
    )

  const compare = (
    <a class="button" href={compareAddress(ids)}>
      <Icon name="compare" />
      <span>{t('compare.action')}</span>
    </a>
  )
  if (!may.value.administer) return compare
  return (
    <>
      {compare}
      <Button icon="tag" onClick={() => setAsked('tag')}>
        {t('sensors.bulk.tag')}
      </Button>
      <Menu
        label={t('sensors.bulk.more')}
        button={
          <>
            <span>{t('sensors.bulk.more')}</span>
            <Icon name="down" />
          </>
        }
        items={[
          { label: t('sensors.bulk.on'), icon: 'play', onSelect: set({ enabled: true }, { enabled: false }) },
          { label: t('sensors.bulk.off'), icon: 'power', onSelect: set({ enabled: false }, { enabled: true }) },
          ...(may.value.operate
            ? [
                {
                  label: t('sensors.bulk.hold'),
                  icon: 'pause' as const,
                  onSelect: set({ held: true }, { held: false }),
                },
                {
                  label: t('sensors.bulk.release'),
                  icon: 'play' as const,
                  onSelect: set({ held: false }, { held: true }),
                },
              ]
            : []),
          'line' as const,
          { label: t('sensors.bulk.delete'), icon: 'remove', isDanger: true, onSelect: () => setAsked('delete') },
        ]}
      />
      {asked === 'tag' && (
        <TagDialog
          onClose={() => setAsked(undefined)}
          onTag={(tag, isAdded) => {
            setAsked(undefined)
            void run(
              t('sensors.bulk.changing'),
              (id, signal) => retag(id, tag, isAdded, signal),
              (id, signal) => retag(id, tag, !isAdded, signal),
            )
          }}
        />
      )}
      {asked === 'delete' && (
        <ConfirmByName
          title={t('sensors.bulk.deleteTitle', { count: ids.length })}
          warning={t('sensors.bulk.deleteWarning', { count: ids.length })}
          // a single sensor is named; several are counted
          name={(ids.length === 1 ? props.names(ids[0] as string) : undefined) ?? formatWhole(ids.length)}
          action={t('sensors.bulk.deleteAction', { count: ids.length })}
          onClose={() => setAsked(undefined)}
          onConfirm={async () => {
            setAsked(undefined)
            await run(t('sensors.bulk.deleting'), async (id, signal) => {
              await dataOf(api.DELETE('/manage/v1/sensors/{id}', { params: { path: { id } }, signal }))
              return true
            })
            selection.clear()
          }}
        />
      )}
    </>
  )
}

const MAX_TAG = 50

function TagDialog(props: { onTag: (tag: string, isAdded: boolean) => void; onClose: () => void }) {
  const [tag, setTag] = useState('')
  const [error, setError] = useState<string | undefined>(undefined)
  function submit(isAdded: boolean): void {
    const text = tag.trim()
    if (text === '' || [...text].length > MAX_TAG) setError(t('sensors.tagRule'))
    else props.onTag(text, isAdded)
  }
  return (
    <Dialog title={t('sensors.bulk.tagTitle')} onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          submit(true)
        }}
      >
        <TextField label={t('sensors.tag')} value={tag} onInput={setTag} error={error} autoFocus />
        <div class="dialog-actions">
          <Button onClick={() => submit(false)}>{t('sensors.bulk.removeTag')}</Button>
          <Button kind="main" type="submit">
            {t('sensors.bulk.addTag')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
