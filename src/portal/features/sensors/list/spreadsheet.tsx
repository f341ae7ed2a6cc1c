/** Records of sensors as a CSV that is changed in a spreadsheet: the changes are shown before they are applied. */
import { useState } from 'preact/hooks'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DropZone } from '../../../ui/drop-zone.tsx'
import { failureText } from '../../../ui/form.ts'
import { PlainTable } from '../../../ui/plain-table.tsx'
import { saveFile } from '../../../ui/save-file.ts'
import { type BatchResult, runBatch, type Work } from './bulk.ts'
import { editing, readSensor, type SensorRecord } from './sensor-edits.ts'
import { changeOf, readSheet, type SheetChange, type SheetFault, sheetOf } from './spreadsheet-changes.ts'

const MAX_BYTES = 20_000_000
/** Changed sensors that are shown; the rest is counted. */
const SHOWN = 100

type Compared = { changes: SheetChange[]; faults: SheetFault[]; same: number }

export function SpreadsheetDialog(props: {
  ids: readonly string[]
  onClose: () => void
  onReport: (result: BatchResult, undo?: Work) => void
}) {
  const { ids, onClose, onReport } = props
  const [compared, setCompared] = useState<Compared | undefined>(undefined)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string | undefined>(undefined)

  async function busily(work: () => Promise<void>): Promise<void> {
    setError(undefined)
    setBusy(true)
    try {
      await work()
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure))
    } finally {
      setBusy(false)
    }
  }

  const save = () =>
    busily(async () => {
      const found = new Map<string, SensorRecord>()
      const { failed } = await runBatch(t('bulk.reading'), ids, async (id, signal) => {
        found.set(id, await readSensor(id, signal))
        return true
      })
      const [first] = failed
      if (first !== undefined) throw new Error(failureText(first.error))
      saveFile('sensors.csv', sheetOf(ids.flatMap((id) => found.get(id) ?? [])))
    })

  const compare = (file: File) =>
    busily(async () => {
      const rows = await readSheet(file, new AbortController().signal)
      const changes: SheetChange[] = []
      const faults: SheetFault[] = []
      let same = 0
      const byId = new Map(rows.map((row) => [row.id, row]))
      const { failed, isStopped } = await runBatch(t('bulk.reading'), [...byId.keys()], async (id, signal) => {
        const row = byId.get(id)
        const sensor = await readSensor(id, signal)
        if (row === undefined) return false
        try {
          const change = changeOf(sensor, row)
          if (change === undefined) same++
          else changes.push(change)
        } catch (fault) {
          faults.push({ row: row.row, id, reason: fault instanceof Error ? fault.message : String(fault) })
        }
        return true
      })
      if (isStopped && failed.length === 0) return
      for (const { id, error: reason } of failed)
        faults.push({ row: byId.get(id)?.row ?? 0, id, reason: failureText(reason) })
      const rowOf = ({ id }: { id: string }): number => byId.get(id)?.row ?? 0
      setCompared({
        changes: changes.toSorted((a, b) => rowOf(a) - rowOf(b)),
        faults: faults.toSorted((a, b) => a.row - b.row),
        same,
      })
    })

  async function apply(changes: readonly SheetChange[]): Promise<void> {
    onClose()
    const byId = new Map(changes.map((one) => [one.id, one.change]))
    const { work, undo } = editing(({ id }) => byId.get(id))
    onReport(await runBatch(t('sensors.bulk.changing'), [...byId.keys()], work), undo)
  }

  return (
    <Dialog title={t('bulk.spreadsheet')} onClose={onClose} isWide>
      {compared === undefined ? (
        <>
          <p>{t('bulk.sheetHelp')}</p>
          <Button icon="download" isBusy={isBusy} onClick={save}>
            {t('bulk.sheetSave', { count: ids.length })}
          </Button>
          <DropZone
            label={t('bulk.sheetDrop')}
            accept=".csv,text/csv"
            maxBytes={MAX_BYTES}
            onFile={(file) => void compare(file)}
          />
        </>
      ) : (
        <Changes {...compared} onApply={() => void apply(compared.changes)} onBack={() => setCompared(undefined)} />
      )}
      {error !== undefined && (
        <p class="form-error" role="alert">
          {error}
        </p>
      )}
    </Dialog>
  )
}

function Changes({ changes, faults, same, ...props }: Compared & { onApply: () => void; onBack: () => void }) {
  return (
    <>
      <p>
        {t('bulk.sheetFound', { count: changes.length })} {same > 0 && t('bulk.sheetSame', { count: same })}
      </p>
      {faults.length > 0 && (
        <PlainTable
          label={t('bulk.sheetFaults')}
          rows={faults.slice(0, SHOWN)}
          keyOf={({ row }) => row}
          columns={[
            [t('bulk.row'), ({ row }) => row, { kind: 'number-cell' }],
            [t('sensors.columns.id'), ({ id }) => <bdi>{id}</bdi>],
            [t('bulk.reason'), ({ reason }) => reason],
          ]}
        />
      )}
      {changes.length > 0 && (
        <PlainTable
          label={t('bulk.sheetChanges')}
          rows={changes.slice(0, SHOWN).flatMap(({ id, name, parts }) => parts.map((part) => ({ id, name, ...part })))}
          keyOf={({ id, field }) => `${id} ${field}`}
          columns={[
            [t('sensors.columns.name'), ({ name }) => <bdi>{name}</bdi>],
            [t('bulk.field'), ({ field }) => t(`bulk.fields.${field}`)],
            [t('bulk.from'), ({ from }) => <bdi>{from}</bdi>],
            [t('bulk.to'), ({ to }) => <bdi>{to}</bdi>],
          ]}
        />
      )}
      {changes.length > SHOWN && <p class="weak">{t('bulk.more', { count: changes.length - SHOWN })}</p>}
      <div class="dialog-actions">
        <Button onClick={props.onBack}>{t('bulk.otherFile')}</Button>
        <Button kind="main" disabled={changes.length === 0} onClick={props.onApply}>
          {t('bulk.apply', { count: changes.length })}
        </Button>
      </div>
    </>
  )
}
