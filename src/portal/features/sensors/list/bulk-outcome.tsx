/** What failed for which sensors, and new keys, which are shown once. */
import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { href } from '../../../shell/router.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { failureText } from '../../../ui/form.ts'
import { PlainTable } from '../../../ui/plain-table.tsx'
import { saveFile } from '../../../ui/save-file.ts'
import { csvFile, csvLine } from '../../../ui/table/csv.ts'
import { useKeyGuard } from '../../account/key-guard.ts'
import type { Failed } from './bulk.ts'

/** More are counted. */
const SHOWN = 100

/** Kept beside the selection, which may be cleared while work runs. */
export const failures = signal<readonly Failed[]>([])
export const newKeys = signal<{ keys: readonly NewKey[]; isComplete: boolean }>({ keys: [], isComplete: false })
const NO_KEYS = { keys: [], isComplete: false }

export type NewKey = { id: string; name: string; key: string }

/** The outcome of work on many sensors that needs more than a short message. */
export function BulkOutcome({ names }: { names: (id: string) => string | undefined }) {
  const { keys, isComplete } = newKeys.value
  const [isSaved, setSaved] = useState(false)
  useKeyGuard(keys.length > 0 && !isSaved)
  function closeKeys(): void {
    newKeys.value = NO_KEYS
    setSaved(false)
  }
  if (keys.length > 0)
    return isComplete ? (
      <KeysDialog keys={keys} isSaved={isSaved} onSaved={() => setSaved(true)} onClose={closeKeys} />
    ) : null
  if (failures.value.length === 0) return null
  return (
    <FailuresDialog
      failed={failures.value}
      names={names}
      onClose={() => {
        failures.value = []
      }}
    />
  )
}

function FailuresDialog(props: {
  failed: readonly Failed[]
  names: (id: string) => string | undefined
  onClose: () => void
}) {
  const { failed, names, onClose } = props
  return (
    <Dialog title={t('bulk.failedTitle', { count: failed.length })} onClose={onClose} isWide>
      <p>{t('bulk.restDone')}</p>
      <PlainTable
        label={t('bulk.failedTitle', { count: failed.length })}
        rows={failed.slice(0, SHOWN)}
        keyOf={({ id }) => id}
        columns={[
          [
            t('sensors.columns.name'),
            ({ id }) => (
              <a href={href('/sensors/:id', { id })} dir="auto">
                <bdi>{names(id) ?? id}</bdi>
              </a>
            ),
          ],
          [t('bulk.reason'), ({ error }) => failureText(error)],
        ]}
      />
      {failed.length > SHOWN && <p class="weak">{t('bulk.more', { count: failed.length - SHOWN })}</p>}
    </Dialog>
  )
}

function KeysDialog(props: { keys: readonly NewKey[]; isSaved: boolean; onSaved: () => void; onClose: () => void }) {
  const { keys, isSaved, onSaved, onClose } = props
  function save(): void {
    const lines = keys.map(({ id, name, key }) => csvLine([id, name, key]))
    saveFile('sensor-keys.csv', csvFile([csvLine(['id', 'name', 'key']), ...lines]))
    onSaved()
  }
  return (
    <Dialog title={t('bulk.keysTitle', { count: keys.length })} onClose={isSaved ? onClose : undefined}>
      <p>{t('bulk.keysOnce')}</p>
      <div class="dialog-actions">
        <Button kind={isSaved ? 'plain' : 'main'} icon="download" onClick={save}>
          {t('bulk.saveKeys')}
        </Button>
        <Button disabled={!isSaved} kind={isSaved ? 'main' : 'plain'} onClick={onClose}>
          {t('bulk.keysSaved')}
        </Button>
      </div>
    </Dialog>
  )
}
