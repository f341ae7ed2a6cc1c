/** Names, and units of channels, of a few sensors: a table of a dashboard has both. */
import { api, dataOf } from '../../api/client.ts'
import type { TablePanelData } from '../dashboards/dashboard-data.ts'

/** As the server limits a panel. */
const MAX_SENSORS = 100
const MAX_CHANNELS = 8

export async function loadSensorTable(
  sensorIds: readonly string[],
  channels: readonly string[],
  signal: AbortSignal,
): Promise<TablePanelData['items']> {
  if (sensorIds.length === 0) return []
  const nowMs = Date.now()
  const place = { x: 0, y: 0, w: 12, h: 4 }
  const answer = await dataOf(
    api.POST('/enterprise/v1/assets/panels', {
      body: {
        // a table has the newest values of any time
        from: new Date(nowMs - 3_600_000).toISOString(),
        to: new Date(nowMs).toISOString(),
        panel: {
          ...place,
          id: 'sensors',
          type: 'table',
          sort: 'name',
          sensors: { sensorIds: sensorIds.slice(0, MAX_SENSORS) },
          ...(channels.length > 0 && { channels: channels.slice(0, MAX_CHANNELS) }),
        },
      },
      signal,
    }),
  )
  return (answer as unknown as TablePanelData).items
}

/** By id. Deleted sensors have none. */
export async function sensorNames(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const items = await loadSensorTable(ids, [], signal)
  return new Map(items.map(({ sensorId, sensorName }) => [sensorId, sensorName]))
}
