/** Export of the shown range in every format of the API. */
import { useState } from 'preact/hooks'
import { ApiError, send } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { SelectField } from '../../parts/field.tsx'
import { failureText } from '../../parts/form.ts'
import type { Range } from '../../parts/range.ts'
import { saveFile } from '../../parts/save-file.ts'
import { formatBytes, formatMoment } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import type { SensorRecord } from './sensor-data.ts'

const FORMATS = ['csv', 'jsonl', 'parquet', 'arrow'] as const
type Format = (typeof FORMATS)[number]
const LAYOUTS = ['wide', 'long'] as const
type Layout = (typeof LAYOUTS)[number]

export function ExportReadings({ sensor, range }: { sensor: SensorRecord; range: Range }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button icon="download" onClick={() => setOpen(true)}>
        {t('sensor.export')}
      </Button>
      {isOpen && <ExportDialog sensor={sensor} range={range} onClose={() => setOpen(false)} />}
    </>
  )
}

function ExportDialog({ sensor, range, onClose }: { sensor: SensorRecord; range: Range; onClose: () => void }) {
  const [format, setFormat] = useState<Format>('csv')
  const [layout, setLayout] = useState<Layout>('wide')
  const [bytes, setBytes] = useState<number | undefined>(undefined)
  const [abort, setAbort] = useState<AbortController | undefined>(undefined)
  const [error, setError] = useState<string | undefined>(undefined)

  async function run(): Promise<void> {
    const own = new AbortController()
    setAbort(own)
    setError(undefined)
    setBytes(0)
    const query = new URLSearchParams({
      format,
      layout,
      sensors: sensor.id,
      from: new Date(range.fromMs).toISOString(),
      to: new Date(range.toMs).toISOString(),
      ...(format === 'csv' && { escapeFormulas: 'true' }),
    })
    try {
      const response = await send(`/enterprise/v1/assets/export?${query}`, { signal: own.signal })
      // the header that names the enterprise cannot be sent with a link, so the file passes through the page
      const counted = response.body?.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          transform(chunk, controller) {
            setBytes((count) => (count ?? 0) + chunk.length)
            controller.enqueue(chunk)
          },
        }),
      )
      const blob = await new Response(counted ?? null).blob()
      const from = new Date(range.fromMs).toISOString().slice(0, 10)
      const to = new Date(range.toMs).toISOString().slice(0, 10)
      saveFile(`${sensor.name} ${from} ${to}.${format}`, blob)
      onClose()
    } catch (failure) {
      if (own.signal.aborted) setBytes(undefined)
      else setError(failure instanceof ApiError ? failureText(failure) : t('sensor.exportBroken'))
    } finally {
      setAbort(undefined)
    }
  }

  return (
    <Dialog
      title={t('sensor.export')}
      onClose={() => {
        abort?.abort()
        onClose()
      }}
    >
      <p class="weak">
        <bdi>{formatMoment(range.fromMs)}</bdi> – <bdi>{formatMoment(range.toMs)}</bdi>
      </p>
      <SelectField
        label={t('sensor.format')}
        value={format}
        options={FORMATS.map((value) => ({ value, label: t(`sensor.formats.${value}`) }))}
        onChange={setFormat}
      />
      <SelectField
        label={t('sensor.layout')}
        value={layout}
        options={LAYOUTS.map((value) => ({ value, label: t(`sensor.layouts.${value}`) }))}
        onChange={setLayout}
      />
      {bytes !== undefined && error === undefined && (
        <p role="status" class="number">
          {t('sensor.exported', { size: formatBytes(bytes) })}
        </p>
      )}
      {error !== undefined && (
        <p class="form-error" role="alert">
          {error}
        </p>
      )}
      <div class="dialog-actions">
        {abort !== undefined && <Button onClick={() => abort.abort()}>{t('frame.cancel')}</Button>}
        <Button kind="main" icon="download" onClick={run}>
          {t('sensor.exportNow')}
        </Button>
      </div>
    </Dialog>
  )
}
