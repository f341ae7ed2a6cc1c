/** A useful dashboard for a fleet that has none, from its channels, tags and positions. */
import { send } from '../../api/client.ts'
import { t } from '../../text/text.ts'
import { type DashboardDocument, loadChannels, type Panel } from './dashboard-data.ts'
import { settled } from './layout.ts'

/** Sensors of which one panel can read all readings. */
const MOST_SENSORS = 1_000
const CHANNELS = 3

export type FirstDashboard = { document: DashboardDocument; channels: string[]; tag: string | undefined }

async function get<T>(path: string, signal: AbortSignal): Promise<T> {
  return ((await (await send(`/enterprise/v1/assets/${path}`, { signal })).json()) as { data: T }).data
}

/** @returns undefined for an enterprise without sensors */
export async function firstDashboard(signal: AbortSignal): Promise<FirstDashboard | undefined> {
  const [all, { items: tags }, { total }] = await Promise.all([
    loadChannels(signal),
    get<{ items: { tag: string; count: number }[] }>('tags?limit=20', signal),
    get<{ total: number }>('sensors/states', signal),
  ])
  if (total === 0) return undefined
  const channels = all.slice(0, CHANNELS).map(({ name }) => name)
  // the largest group that a panel can read as a whole
  const tag = total <= MOST_SENSORS ? undefined : tags.find(({ count }) => count <= MOST_SENSORS)?.tag
  const sensors = { variables: true, ...(tag !== undefined && { tag }) }
  const isReadable = total <= MOST_SENSORS || tag !== undefined
  const panels: Panel[] = [
    {
      id: 'states',
      type: 'states',
      title: t('dashboards.first.states'),
      x: 0,
      y: 0,
      w: 4,
      h: 4,
      sensors: { variables: true },
    },
    {
      id: 'worst',
      type: 'table',
      title: t('dashboards.first.worst'),
      x: 4,
      y: 0,
      w: 8,
      h: 4,
      channels,
      sort: 'worst',
      sensors: { variables: true },
    },
  ]
  if (channels.length === 0) delete panels[1]?.channels
  if (isReadable)
    for (const [i, channel] of channels.entries()) {
      panels.push({
        id: `number-${i}`,
        type: 'number',
        x: i * 4,
        y: 4,
        w: 4,
        h: 3,
        channels: [channel],
        agg: 'avg',
        sensors,
      })
      panels.push({
        id: `chart-${i}`,
        type: 'chart',
        x: (i % 2) * 6,
        y: 7 + Math.floor(i / 2) * 5,
        w: 6,
        h: 5,
        channels: [channel],
        sensors,
      })
    }
  panels.push({
    id: 'map',
    type: 'map',
    title: t('dashboards.first.map'),
    x: 6,
    y: 12,
    w: 6,
    h: 5,
    sensors: { variables: true },
  })
  return { document: { version: 1, range: '24h', panels: settled(panels) }, channels: isReadable ? channels : [], tag }
}
