/** The values of a chart as a table, for screen readers and for reading single values. */
import { useState } from 'preact/hooks'
import { formatValue } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Button } from '../button.tsx'
import { channelColumn, PlainTable, VALUES_ON_PHONE } from '../plain-table.tsx'
import { ChannelLabel, labelOf } from './channel-label.tsx'
import type { Aligned, ChartChannel, ChartData } from './chart-data.ts'
import { pointTime } from './chart-legend.tsx'

const PAGE = 100

export function ChartTable(props: { data: ChartData; aligned: Aligned; channels: readonly ChartChannel[] }) {
  const { data, aligned, channels } = props
  const [shown, setShown] = useState(PAGE)
  // newest first, and without points that only end a line
  const rows = aligned.x
    .map((ms, i) => ({ ms, i }))
    .filter(({ i }) => [...aligned.columns.values()].some(({ avg }) => typeof avg[i] === 'number'))
    .reverse()
  return (
    <>
      <PlainTable
        label={t('chart.title')}
        kind={VALUES_ON_PHONE}
        rows={rows.slice(0, shown)}
        keyOf={({ ms }) => ms}
        columns={[
          [t('chart.time'), ({ ms }) => <bdi>{pointTime(ms, data)}</bdi>, { isName: true, kind: 'number' }],
          ...channels.map((channel) =>
            channelColumn<{ i: number }>(channel, labelOf(channel), <ChannelLabel channel={channel} />, ({ i }) => {
              const column = aligned.columns.get(channel.name)
              const [avg, min, max] = [column?.avg[i], column?.min[i], column?.max[i]]
              return (
                <>
                  {typeof avg === 'number' ? formatValue(avg) : '–'}
                  {typeof min === 'number' && typeof max === 'number' && min !== max && (
                    <span class="weak" dir="ltr">
                      {' '}
                      ({formatValue(min)} – {formatValue(max)})
                    </span>
                  )}
                </>
              )
            }),
          ),
        ]}
      />
      {shown < rows.length && (
        <Button kind="quiet" onClick={() => setShown(shown + 10 * PAGE)}>
          {t('chart.moreRows', { count: rows.length - shown })}
        </Button>
      )}
    </>
  )
}
