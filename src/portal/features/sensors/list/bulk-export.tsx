/** Readings of the selected sensors as a file: a range, and a button for each format. */
import { useState } from 'preact/hooks'
import { ApiError } from '../../../api/client.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { download, linkTo } from '../../../ui/download.tsx'
import { SelectField } from '../../../ui/field.tsx'
import { failureText } from '../../../ui/form.ts'

const FORMATS = ['csv', 'parquet', 'arrow'] as const
const RANGES = { day: 1, week: 7, month: 30, year: 365 }
type Range = keyof typeof RANGES
const DAY_MS = 86_400_000
/** As many as one export takes. */
export const MAX_EXPORTED = 1_000

export function ExportDialog({ ids, onClose }: { ids: readonly string[]; onClose: () => void }) {
  const [range, setRange] = useState<Range>('week')
  const [error, setError] = useState<string | undefined>(undefined)
  async function run(format: (typeof FORMATS)[number]): Promise<void> {
    setError(undefined)
    const toMs = Date.now()
    const query = new URLSearchParams({
      format,
      sensors: ids.join(','),
      from: new Date(toMs - RANGES[range] * DAY_MS).toISOString(),
      to: new Date(toMs).toISOString(),
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
    <Dialog title={t('bulk.exportTitle', { count: ids.length })} onClose={onClose}>
      <SelectField
        label={t('bulk.range')}
        value={range}
        options={(Object.keys(RANGES) as Range[]).map((value) => ({ value, label: t(`bulk.ranges.${value}`) }))}
        onChange={setRange}
        {...(ids.length > MAX_EXPORTED && { error: t('bulk.exportMost', { count: MAX_EXPORTED }) })}
      />
      {error !== undefined && (
        <p class="form-error" role="alert">
          {error}
        </p>
      )}
      <div class="dialog-actions">
        {FORMATS.map((format) => (
          <Button key={format} icon="download" disabled={ids.length > MAX_EXPORTED} onClick={() => run(format)}>
            {t(`bulk.formats.${format}`)}
          </Button>
        ))}
      </div>
    </Dialog>
  )
}
