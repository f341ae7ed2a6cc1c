/** Uploads a CSV of readings: columns and times are chosen beside a preview, then it runs with its counts. */
import { signal } from '@preact/signals'
import { useMemo, useState } from 'preact/hooks'
import { t } from '../../../text/text.ts'
import { DropZone } from '../../../ui/drop-zone.tsx'
import { type CsvFormat, type CsvRow, firstRows, readHead } from '../../../ui/table/csv-reader.ts'
import type { SensorRecord } from './sensor-data.ts'
import { guessMapping, type Mapping } from './upload/csv-readings.ts'
import { MappingForm } from './upload/mapping-form.tsx'
import { startUpload, stopUpload, upload } from './upload/run-upload.ts'
import { UploadReport } from './upload/upload-report.tsx'

const MAX_BYTES = 200 * 2 ** 20
const SAMPLES = 200

export type Chosen = {
  sensorId: string
  file: File
  format: CsvFormat
  header: string[]
  rows: CsvRow[]
  mapping: Mapping
}
/** Kept while other parts of the page are open. */
const chosen = signal<Chosen | undefined>(undefined)

export function UploadTab({ sensor }: { sensor: SensorRecord }) {
  const channels = useMemo(() => sensor.channels.filter(({ active }) => active), [sensor.channels])
  const [error, setError] = useState<string | undefined>(undefined)
  async function take(file: File): Promise<void> {
    setError(undefined)
    try {
      const format = await readHead(file)
      const [top, ...rows] = await firstRows(file, format, SAMPLES + 1)
      const header = top?.cells ?? []
      const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
      const samples = rows.map(({ cells }) => cells)
      const mapping = guessMapping(header, samples, channels, zone)
      upload.value = undefined
      chosen.value = { sensorId: sensor.id, file, format, header, rows, mapping }
    } catch (failure) {
      setError(t('importSensors.unreadable', { reason: String(failure) }))
    }
  }
  const own = upload.value?.sensorId === sensor.id ? upload.value : undefined
  const picked = chosen.value?.sensorId === sensor.id ? chosen.value : undefined
  if (own !== undefined)
    return (
      <UploadReport
        state={own}
        onStop={stopUpload}
        onAnother={() => {
          upload.value = undefined
          chosen.value = undefined
        }}
      />
    )
  return (
    <div class="stack upload">
      <h2>{t('sensor.upload.what')}</h2>
      <DropZone
        label={t(picked === undefined ? 'sensor.upload.choose' : 'sensor.upload.another')}
        help={t('sensor.upload.help')}
        accept=".csv,.txt,.tsv,text/csv,text/plain,text/tab-separated-values"
        maxBytes={MAX_BYTES}
        pasteName="pasted.csv"
        onFile={(file) => void take(file)}
      />
      {error !== undefined && (
        <p class="form-error" role="alert">
          {error}
        </p>
      )}
      {picked !== undefined && (
        <MappingForm
          chosen={picked}
          channels={channels}
          onChange={(mapping) => {
            chosen.value = { ...picked, mapping }
          }}
          onStart={() => startUpload({ ...picked, channels })}
        />
      )}
    </div>
  )
}
