/** Export of the shown range in every format of the API. */
import { useState } from 'preact/hooks'
import { ApiError } from '../../../api/client.ts'
import { formatMoment } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import type { Range } from '../../../ui/chart/range.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { download, linkTo } from '../../../ui/download.tsx'
import { SelectField } from '../../../ui/field.tsx'
import { failureText } from '../../../ui/form.ts'
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
  const [error, setError] = useState<string | undefined>(undefined)

  async function run(): Promise<void> {
    setError(undefined)
    const query = new URLSearchParams({
      format,
      layout,
      sensors: sensor.id,
      from: new Date(range.fromMs).toISOString(),
      to: new Date(range.toMs).toISOString(),
      ...(format === 'csv' && { escapeFormulas: 'true' }),
    })
    try {
      await download(linkTo(`/enterprise/v1/assets/export?${query}`))
      onClose()
    } catch (failure) {
      setError(failure instanceof ApiError ? failureText(failure) : t('sensor.exportBroken'))
    }
  }

  return (
    <Dialog title={t('sensor.export')} onClose={onClose}>
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
      {error !== undefined && (
        <p class="form-error" role="alert">
          {error}
        </p>
      )}
      <div class="dialog-actions">
        <Button onClick={onClose}>{t('frame.cancel')}</Button>
        <Button kind="main" icon="download" onClick={run}>
          {t('sensor.exportNow')}
        </Button>
      </div>
    </Dialog>
  )
}
