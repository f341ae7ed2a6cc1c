/** Which channels of which sensors are compared, and their colours and dashes. */
import { href } from '../../shell/router.ts'
import type { ChartChannel } from '../../ui/chart/chart-data.ts'

export type ComparedSensor = {
  id: string
  name: string
  channels: { name: string; unit: string | null; measurement: ChartChannel['measurement']; active: boolean }[]
}

/** More lines could not be distinguished. */
export const MAX_COMPARED = 12

export const compareAddress = (ids: readonly string[], query: Record<string, string> = {}): string =>
  href('/sensors/compare', {}, { ...query, with: ids.slice(0, MAX_COMPARED).join(',') })

/** Names of all channels, and those that are shown at first: what at least two of the sensors have. */
export function channelsOf(sensors: readonly ComparedSensor[]): { all: string[]; common: string[] } {
  const names = sensors.flatMap(({ channels }) => [
    ...new Set(channels.filter(({ active }) => active).map(({ name }) => name)),
  ])
  const all = [...new Set(names)]
  const common = all.filter((name) => names.filter((one) => one === name).length > 1)
  return { all, common: common.length > 0 ? common : all }
}

/** A line for each channel of each sensor: a sensor has one colour, and a dash that differs for its other channels. */
export function linesOf(sensors: readonly ComparedSensor[], chosen: readonly string[]): ChartChannel[] {
  return sensors.flatMap(({ id, name: sensor, channels }, color) => {
    const inPanel = new Map<string, number>()
    return channels.flatMap(({ name, unit, measurement, active }): ChartChannel[] => {
      if (!active || !chosen.includes(name)) return []
      const panel = measurement === 'boolean' ? 'boolean' : `unit ${unit}`
      const before = inPanel.get(panel) ?? 0
      inPanel.set(panel, before + 1)
      const of = { sensorId: id, channel: name }
      return [{ name: `${id} ${name}`, label: name, sensor, unit, measurement, of, color, dash: color + before }]
    })
  })
}
