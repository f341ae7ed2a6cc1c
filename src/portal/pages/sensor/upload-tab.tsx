/** Uploads a CSV of readings: columns and times are chosen beside a preview, then it runs with its counts. */
import { signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { DropZone } from '../../parts/drop-zone.tsx'
import { t } from '../../text/text.ts'
import type { SensorRecord } from './sensor-data.ts'
import { guessMapping, type Mapping } from './upload/csv-readings.ts'
import { MappingForm } from './upload/mapping-form.tsx'
import { firstRows, startUpload, stopUpload, upload } from './upload/run-upload.ts'
import { UploadReport } from './upload/upload-report.tsx'

const MOST_BYTES = 200 * 2 ** 20
const SAMPLES = 200

export type Chosen = { sensorId: string; file: File; header: string[]; rows: string[][]; mapping: Mapping }
/** Kept while other parts of the page are open. */
const chosen = signal<Chosen | undefined>(undefined)

export function UploadTab({ sensor }: { sensor: SensorRecord }) {
  const channels = useMemo(() => sensor.channels.filter(({ active }) => active), [sensor.channels])
  async function take(file: File): Promise<void> {
    const { header, rows } = await firstRows(file, SAMPLES)
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
    upload.value = undefined
    chosen.value = { sensorId: sensor.id, file, header, rows, mapping: guessMapping(header, rows, channels, zone) }
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
        maxBytes={MOST_BYTES}
        pasteName="pasted.csv"
        onFile={(file) => void take(file)}
      />
      {picked !== undefined && (
        <MappingForm
          chosen={picked}
          channels={channels}
          onChange={(mapping) => {
            chosen.value = { ...picked, mapping }
          }}
          onStart={() => startUpload({ sensorId: sensor.id, file: picked.file, mapping: picked.mapping, channels })}
        />
      )}
    </div>
  )
}
