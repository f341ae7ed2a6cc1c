/** The name of a channel of a chart. Sensor and channel stand in the order of the page, in whatever direction they read. */
import type { ChartChannel } from './chart-data.ts'

export function ChannelLabel({ channel: { sensor, label, name } }: { channel: ChartChannel }) {
  const own = <bdi>{label ?? name}</bdi>
  if (sensor === undefined) return own
  return (
    <>
      <bdi>{sensor}</bdi> · {own}
    </>
  )
}
