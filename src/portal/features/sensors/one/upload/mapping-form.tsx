/** Sets the meaning of each column, and shows how the first rows are read. */
import { useMemo } from 'preact/hooks'
import { formatExact, formatValue, formatWhole } from '../../../../text/format.ts'
import { t } from '../../../../text/text.ts'
import { Button } from '../../../../ui/button.tsx'
import type { ChartChannel } from '../../../../ui/chart/chart-data.ts'
import { SelectField } from '../../../../ui/field.tsx'
import { PlainTable } from '../../../../ui/plain-table.tsx'
import type { CsvRow } from '../../../../ui/table/csv-reader.ts'
import { isFault, type Mapping, type Meaning, type RowFault, rowReader } from './csv-readings.ts'
import { guessTimeFormat, TIME_FORMATS, type TimeFormat } from './csv-times.ts'

const PREVIEW_ROWS = 5
const ERROR_ROWS = 5

export const faultText = ({ rule, text, channel }: RowFault): string =>
  t(`sensor.upload.${rule}`, { text: text.slice(0, 60), channel })

export function MappingForm(props: {
  chosen: { header: string[]; rows: CsvRow[]; mapping: Mapping }
  channels: readonly ChartChannel[]
  onChange: (mapping: Mapping) => void
  onStart: () => void
}) {
  const { channels, onChange } = props
  const { header, rows, mapping } = props.chosen
  const local = Intl.DateTimeFormat().resolvedOptions().timeZone
  const zones = useMemo(() => [...new Set(['UTC', local, ...Intl.supportedValuesOf('timeZone')])], [local])
  const read = useMemo(() => {
    const readRow = rowReader(mapping, channels)
    return rows.map(({ number, cells }) => ({ row: number, read: readRow(cells) }))
  }, [rows, mapping, channels])
  const wrong = problemOf(mapping, header, rows.length)
  const meanings: { value: Meaning; label: string }[] = [
    { value: 'ignored', label: t('sensor.upload.ignored') },
    { value: 'time', label: t('sensor.upload.time') },
    ...channels.map(({ name }) => ({
      value: `channel ${name}` as const,
      label: t('sensor.upload.channel', { channel: name }),
    })),
    { value: 'longitude', label: t('sensor.upload.longitude') },
    { value: 'latitude', label: t('sensor.upload.latitude') },
  ]
  function setMeaning(column: number, meaning: Meaning): void {
    const next = mapping.meanings.map((old, i) => (i === column ? meaning : old))
    const samples = rows.map(({ cells }) => cells[column] ?? '')
    onChange({
      ...mapping,
      meanings: next,
      ...(meaning === 'time' && { timeFormat: guessTimeFormat(samples) }),
    })
  }
  const laterFaults = read
    .slice(PREVIEW_ROWS)
    .flatMap(({ row, read: one }) => (isFault(one) ? [{ row, fault: one }] : []))

  return (
    <>
      <h3>{t('sensor.upload.columns')}</h3>
      <PlainTable
        label={t('sensor.upload.columns')}
        rows={header}
        keyOf={(_, column) => column}
        columns={[
          [t('sensor.upload.column'), (name) => <bdi>{name}</bdi>, { isName: true }],
          [
            t('sensor.upload.example'),
            (_, column) => (
              <bdi class="number">
                {(rows.find(({ cells }) => (cells[column] ?? '') !== '')?.cells[column] ?? '').slice(0, 60)}
              </bdi>
            ),
          ],
          [
            t('sensor.upload.meaning'),
            (name, column) => (
              <select
                aria-label={`${t('sensor.upload.meaning')}: ${name}`}
                value={mapping.meanings[column]}
                onChange={(event) => setMeaning(column, event.currentTarget.value as Meaning)}
              >
                {meanings.map(({ value, label }) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </select>
            ),
          ],
        ]}
      />
      <div class="upload-options">
        <SelectField
          label={t('sensor.upload.timeFormat')}
          value={mapping.timeFormat}
          options={TIME_FORMATS.map((value) => ({ value, label: t(`sensor.upload.timeFormats.${value}`) }))}
          onChange={(timeFormat: TimeFormat) => onChange({ ...mapping, timeFormat })}
        />
        <SelectField
          label={t('sensor.upload.zone')}
          value={mapping.zone}
          options={zones.map((value) => ({
            value,
            label: value === local ? t('sensor.upload.zoneLocal', { zone: value }) : value,
          }))}
          onChange={(zone) => onChange({ ...mapping, zone })}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={mapping.hasDecimalComma}
            onChange={(event) => onChange({ ...mapping, hasDecimalComma: event.currentTarget.checked })}
          />
          <span>{t('sensor.upload.decimal')}</span>
        </label>
      </div>
      <h3>{t('sensor.upload.preview')}</h3>
      <ul class="upload-preview">
        {read.slice(0, PREVIEW_ROWS).map(({ row, read: one }) => (
          <li key={row}>
            <span class="weak number">
              {t('sensor.upload.row')} {formatWhole(row)}
            </span>
            {isFault(one) ? (
              <span class="field-error">{faultText(one)}</span>
            ) : (
              <span class="number">
                <bdi>{formatExact(Date.parse(one.at))}</bdi>
                {Object.entries(one.values ?? {}).map(([name, value]) => (
                  <span key={name} class="upload-value">
                    <bdi class="weak">{name}</bdi>{' '}
                    {formatValue(value, channels.find((channel) => channel.name === name)?.unit)}
                  </span>
                ))}
                {one.location && (
                  <span class="upload-value">
                    <bdi>{one.location.join(', ')}</bdi>
                  </span>
                )}
              </span>
            )}
          </li>
        ))}
        {laterFaults.slice(0, ERROR_ROWS).map(({ row, fault }) => (
          <li key={row}>
            <span class="weak number">
              {t('sensor.upload.row')} {formatWhole(row)}
            </span>
            <span class="field-error">{faultText(fault)}</span>
          </li>
        ))}
      </ul>
      {wrong !== undefined && (
        <p class="form-error" role="alert">
          {wrong}
        </p>
      )}
      <div>
        <Button kind="main" icon="upload" disabled={wrong !== undefined} onClick={props.onStart}>
          {t('sensor.upload.start')}
        </Button>
      </div>
    </>
  )
}

/** Why the upload cannot start. */
function problemOf({ meanings }: Mapping, header: readonly string[], rows: number): string | undefined {
  if (rows === 0) return t('sensor.upload.empty')
  if (!meanings.includes('time')) return t('sensor.upload.noTime')
  const twice = meanings.find((meaning, i) => meaning !== 'ignored' && meanings.indexOf(meaning) < i)
  if (twice !== undefined) return t('sensor.upload.twice', { column: header[meanings.lastIndexOf(twice)] ?? '' })
  const hasPlace = meanings.includes('longitude') && meanings.includes('latitude')
  if (!hasPlace && !meanings.some((meaning) => meaning.startsWith('channel '))) return t('sensor.upload.noValue')
  return undefined
}
