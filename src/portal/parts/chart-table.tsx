/** The values of a chart as a table, for screen readers and for reading single values. */
import { useState } from 'preact/hooks'
import { formatMoment, formatValue } from '../text/format.ts'
import { t } from '../text/text.ts'
import { Button } from './button.tsx'
import type { Aligned, ChartChannel } from './chart-data.ts'
import { PlainTable, VALUES_ON_PHONE } from './plain-table.tsx'

const PAGE = 100

export function ChartTable({ aligned, channels }: { aligned: Aligned; channels: readonly ChartChannel[] }) {
  const [shown, setShown] = useState(PAGE)
  // newest first, and without the places that only end a line
  const rows = aligned.x
    .map((ms, i) => ({ ms, i }))
    .filter(({ i }) => [...aligned.columns.values()].some(({ avg }) => typeof avg[i] === 'number'))
    .reverse()
  return (
    <>
      <PlainTable label={t('chart.title')} kind={VALUES_ON_PHONE}>
        <thead>
          <tr>
            <th scope="col">{t('chart.time')}</th>
            {channels.map(({ name, unit }) => (
              <th key={name} scope="col" class="number-cell">
                <bdi>{name}</bdi> {unit !== null && <span class="weak">{unit}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shown).map(({ ms, i }) => (
            <tr key={ms}>
              <th scope="row" class="number">
                <bdi>{formatMoment(ms)}</bdi>
              </th>
              {channels.map(({ name }) => {
                const column = aligned.columns.get(name)
                const [avg, min, max] = [column?.avg[i], column?.min[i], column?.max[i]]
                return (
                  <td key={name} class="number number-cell">
                    {typeof avg === 'number' ? formatValue(avg) : '–'}
                    {typeof min === 'number' && typeof max === 'number' && min !== max && (
                      <span class="weak" dir="ltr">
                        {' '}
                        ({formatValue(min)} – {formatValue(max)})
                      </span>
                    )}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </PlainTable>
      {shown < rows.length && (
        <Button kind="quiet" onClick={() => setShown(shown + 10 * PAGE)}>
          {t('chart.moreRows', { count: rows.length - shown })}
        </Button>
      )}
    </>
  )
}
