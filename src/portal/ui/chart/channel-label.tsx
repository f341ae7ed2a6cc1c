/** The name of a channel of a chart. Sensor and channel stand in the order of the page, in whatever direction they read. */
import { isolated } from '../../text/text.ts'
import type { ChartChannel } from './chart-data.ts'

/** As one text. */
export const labelOf = ({ sensor, label, name }: ChartChannel): string =>
  [...(sensor === undefined ? [] : [sensor]), label ?? name].map(isolated).join(' · ')

export function ChannelLabel({ channel: { sensor, label, name } }: { channel: ChartChannel }) {
  const own = <bdi>{label ?? name}</bdi>
  if (sensor === undefined) return own
  return (
    <>
      <bdi>{sensor}</bdi> · {own}
    </>
  )
}
