/** Actions on all selected sensors. Everything but deletion can be undone. */
import { useState } from 'preact/hooks'
import { api, dataOf } from '../../../api/client.ts'
import { may } from '../../../shell/session.ts'
import { formatWhole } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { ConfirmByName } from '../../../ui/dialog.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Menu } from '../../../ui/menu.tsx'
import type { Selection } from '../../../ui/table/table-selection.ts'
import { notify } from '../../../ui/toasts.tsx'
import { compareAddress } from '../../compare/compared.ts'
import { type BatchResult, runBatch, type Work } from './bulk.ts'
import { activeChannels, editChannels } from './bulk-channels.ts'
import { ExportDialog } from './bulk-export.tsx'
import { AssetDialog, ChannelDialog, RenameDialog, TagDialog } from './bulk-forms.tsx'
import { failures, newKeys } from './bulk-outcome.tsx'
import { editing, nameBy } from './sensor-edits.ts'
import { SpreadsheetDialog } from './spreadsheet.tsx'

type Asked = 'tag' | 'delete' | 'rename' | 'asset' | 'channels' | 'export' | 'spreadsheet'

export function BulkActions(props: {
  selection: Selection
  names: (id: string) => string | undefined
  onDone: () => void
}) {
  const { selection, onDone } = props
  const [asked, setAsked] = useState<Asked | undefined>(undefined)
  const close = (): void => setAsked(undefined)
  const ids = [...selection.ids.value]

  /** Reports the outcome, and offers to undo the changes. */
  function report({ changed, failed, isStopped }: BatchResult, undo?: Work): void {
    onDone()
    const text = isStopped
      ? t('sensors.bulk.stopped', { count: changed.length })
      : t('sensors.bulk.changed', { count: changed.length })
    const problem = failed.length > 0 ? t('bulk.failed', { count: failed.length }) : undefined
    failures.value = failed
    notify(problem === undefined ? text : `${text} ${problem}`, {
      isError: problem !== undefined,
      ...(undo &&
        changed.length > 0 && {
          undo: async () => report(await runBatch(t('sensors.bulk.undoing'), changed, undo)),
        }),
    })
  }

  async function run(text: string, work: Work, undo?: Work): Promise<void> {
    close()
    report(await runBatch(text, ids, work), undo)
  }

  function edit(plan: Parameters<typeof editing>[0]): void {
    const { work, undo } = editing(plan)
    void run(t('sensors.bulk.changing'), work, undo)
  }

  /** Undo skips sensors that already had the value. */
  const set = (to: { enabled?: boolean; held?: boolean }) => () =>
    edit((now) => ((to.enabled ?? now.enabled) === now.enabled && (to.held ?? now.held) === now.held ? undefined : to))

  async function addKeys(): Promise<void> {
    // a lost answer must not leave a second key
    const batch = crypto.randomUUID()
    newKeys.value = { keys: [], isComplete: false }
    await run(t('bulk.addingKeys'), async (id, signal) => {
      const { key } = await dataOf(
        api.POST('/manage/v1/sensors/{id}/keys', {
          params: { path: { id } },
          headers: { 'Idempotency-Key': `keys-${batch}-${id}` },
          body: {},
          signal,
        }),
      )
      newKeys.value = { keys: [...newKeys.peek().keys, { id, name: props.names(id) ?? '', key }], isComplete: false }
      return true
    })
    newKeys.value = { ...newKeys.peek(), isComplete: true }
  }

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
      <Button icon="download" onClick={() => setAsked('export')}>
        {t('bulk.export')}
      </Button>
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
          { label: t('bulk.rename'), icon: 'edit', onSelect: () => setAsked('rename') },
          { label: t('bulk.setAsset'), icon: 'edit', onSelect: () => setAsked('asset') },
          { label: t('bulk.channels'), icon: 'columns', onSelect: () => setAsked('channels') },
          { label: t('bulk.spreadsheet'), icon: 'upload', onSelect: () => setAsked('spreadsheet') },
          { label: t('bulk.addKeys'), icon: 'key', onSelect: () => void addKeys() },
          'line' as const,
          { label: t('sensors.bulk.on'), icon: 'play', onSelect: set({ enabled: true }) },
          { label: t('sensors.bulk.off'), icon: 'power', onSelect: set({ enabled: false }) },
          ...(may.value.operate
            ? [
                { label: t('sensors.bulk.hold'), icon: 'pause' as const, onSelect: set({ held: true }) },
                { label: t('sensors.bulk.release'), icon: 'play' as const, onSelect: set({ held: false }) },
              ]
            : []),
          'line' as const,
          { label: t('sensors.bulk.delete'), icon: 'remove', isDanger: true, onSelect: () => setAsked('delete') },
        ]}
      />
      {asked === 'tag' && (
        <TagDialog
          onClose={close}
          onTag={(tag, isAdded) =>
            edit(({ tags }) => {
              if (tags.includes(tag) === isAdded) return undefined
              return { tags: isAdded ? [...tags, tag] : tags.filter((one) => one !== tag) }
            })
          }
        />
      )}
      {asked === 'rename' && (
        <RenameDialog
          ids={ids}
          onClose={close}
          onRename={(pattern) =>
            edit((now, index) => {
              const name = nameBy(pattern, now, index, ids.length)
              return name === now.name ? undefined : { name }
            })
          }
        />
      )}
      {asked === 'asset' && (
        <AssetDialog
          ids={ids}
          onClose={close}
          onAsset={(assetName) => edit((now) => (now.assetName === assetName ? undefined : { assetName }))}
        />
      )}
      {asked === 'channels' && (
        <ChannelDialog
          ids={ids}
          onClose={close}
          onEdit={(change) =>
            edit((now) => {
              const channels = editChannels(activeChannels(now), change)
              return channels && { channels }
            })
          }
        />
      )}
      {asked === 'export' && <ExportDialog ids={ids} onClose={close} />}
      {asked === 'spreadsheet' && <SpreadsheetDialog ids={ids} onClose={close} onReport={report} />}
      {asked === 'delete' && (
        <ConfirmByName
          title={t('sensors.bulk.deleteTitle', { count: ids.length })}
          warning={t('sensors.bulk.deleteWarning', { count: ids.length })}
          // a single sensor is named; several are counted
          name={(ids.length === 1 ? props.names(ids[0] as string) : undefined) ?? formatWhole(ids.length)}
          action={t('sensors.bulk.deleteAction', { count: ids.length })}
          onClose={close}
          onConfirm={async () => {
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
