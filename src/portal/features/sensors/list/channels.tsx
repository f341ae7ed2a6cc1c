/** Channels of the enterprise's sensors, as columns of the list and for filters. */
import { api, dataOf } from '../../../api/client.ts'
import { type Resource, useResource } from '../../../api/resource.ts'
import type { components } from '../../../api/schema.d.ts'
import { enterpriseId } from '../../../shell/session.ts'
import { formatExact, formatValue } from '../../../text/format.ts'
import { isolated } from '../../../text/text.ts'
import type { Column } from '../../../ui/table/table-view.ts'
import { channelName } from './conditions.ts'

export type SensorRow = components['schemas']['FleetSensor']
export type Channel = { channel: string; count: number; measurements: string[]; units: string[] }

const SHOWN = 50

/** The channels of most sensors. @param q part of a name */
export function useChannels(q = ''): Resource<{ items: Channel[]; nextCursor: string | null }> {
  return useResource(
    (signal) =>
      dataOf(
        api.GET('/enterprise/v1/assets/channels', {
          params: { query: { limit: SHOWN, ...(q !== '' && { q }) } },
          signal,
        }),
      ),
    [enterpriseId.value, q],
  )
}

const PREFIX = 'c.'
/** The id of a channel's column: ids are separated by commas in the address. */
export const columnId = (channel: string): string => PREFIX + encodeURIComponent(channel)

/** Channels among ids of columns. */
export const channelsAmong = (ids: readonly string[]): string[] =>
  ids.filter((id) => id.startsWith(PREFIX)).map((id) => decodeURIComponent(id.slice(PREFIX.length)))

/** The unit in the head of a column: the one that all sensors have. */
const unitOf = (known: Channel | undefined): string | undefined =>
  known?.units.length === 1 ? known.units[0] : undefined

type Latest = NonNullable<SensorRow['latest']>[number]

/** The whole value with its time. */
export const valueTitle = ({ channel, value, unit, at }: Latest): string =>
  at === null ? channel : `${isolated(channel)}: ${formatValue(value, unit)}, ${formatExact(Date.parse(at))}`

const WIDEST = 240

export function channelColumn(channel: string, known: Channel | undefined): Column<SensorRow> {
  const unit = unitOf(known)
  const title = unit === undefined ? channel : `${channel}, ${unit}`
  // the unit must be read too
  const width = Math.min(WIDEST, Math.max(94, 48 + 8 * title.length))
  const newest = ({ latest }: SensorRow) => latest?.find((one) => one.channel === channel)
  return {
    id: columnId(channel),
    title,
    width,
    isNumber: true,
    isExtra: true,
    sort: { by: channelName(channel), first: 'desc' },
    cell: (row) => {
      const found = newest(row)
      if (row.latest === undefined) return <span class="table-missing" />
      if (found === undefined) return null
      return <span title={valueTitle(found)}>{formatValue(found.value, found.unit === unit ? null : found.unit)}</span>
    },
    csv: (row) => newest(row)?.value,
  }
}
