/** Zone rules for tests: zones are boxes, so that the expected events follow from comparisons in a plain loop. */
import type { Envelope, Instance, MadeSensor, Organization } from './instance.ts'

export type Box = { id: string; west: number; south: number; east: number; north: number }
export type Position = { ms: number; x: number; y: number }
export type When = 'enter' | 'leave'
export const WHENS: When[] = ['enter', 'leave']
export type ZoneEvent = {
  id: string
  when: When
  sensorId: string
  at: string
  location: [number, number]
  featureIds: string[]
  layerVersion: number
}
export type Rule = { id: string; name: string; when: When; sensorIds: string[] | 'all'; layerUsable: boolean }

export const featureOf = ({ id, west, south, east, north }: Box) => ({
  type: 'Feature',
  id,
  properties: {},
  geometry: {
    type: 'Polygon',
    coordinates: [
      [
        [west, south],
        [east, south],
        [east, north],
        [west, north],
        [west, south],
      ],
    ],
  },
})
export const collectionOf = (boxes: Box[]) => ({ type: 'FeatureCollection', features: boxes.map(featureOf) })

/** Ids of the boxes that contain a position; edges belong to the inside. */
export const holding = (boxes: Box[], { x, y }: Position): string[] =>
  boxes.filter(({ west, south, east, north }) => x >= west && x <= east && y >= south && y <= north).map(({ id }) => id)

/** Expected events of a rule for positions, as `time:zone,zone`. */
export function expectedEvents(when: When, boxes: Box[], positions: Position[]): string[] {
  let before: string[] = []
  return positions
    .toSorted((a, b) => a.ms - b.ms)
    .flatMap((position) => {
      const zones = holding(boxes, position)
      const seen = {
        enter: zones.filter((zone) => !before.includes(zone)),
        leave: before.filter((zone) => !zones.includes(zone)),
      }[when]
      before = zones
      return seen.length > 0 ? [`${position.ms}:${seen.toSorted()}`] : []
    })
}

export const eventKey = ({ at, featureIds }: ZoneEvent): string => `${Date.parse(at)}:${featureIds.toSorted()}`

/** A call of /enterprise/v1/assets other than GET. */
export async function call<T>(
  instance: Instance,
  { publicKey, secretKey }: Organization,
  method: string,
  path: string,
  body?: unknown,
): Promise<Envelope<T>> {
  const response = await fetch(`${instance.url()}/enterprise/v1/assets${path}`, {
    method,
    headers: { 'x-api-key': publicKey, 'x-api-secret': secretKey, 'content-type': 'application/json' },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return (await response.json()) as Envelope<T>
}

/** All events of a rule, fetched page by page. */
export async function eventsOf(instance: Instance, who: Organization, rule: string, limit = 1000, more = '') {
  const events: ZoneEvent[] = []
  for (let cursor = ''; ; ) {
    const path = `/rules/${rule}/events?limit=${limit}${more}${cursor}`
    const { data } = await instance.query<{ items: ZoneEvent[]; nextCursor: string | null }>(who, path)
    events.push(...data.items)
    if (data.nextCursor === null) return events
    cursor = `&cursor=${data.nextCursor}`
  }
}

/** Waits until all accepted readings are checked. */
export async function untilChecked(instance: Instance): Promise<void> {
  for (const deadline = Date.now() + 100_000; ; await Bun.sleep(50)) {
    const text = await (await fetch(`${instance.url()}/metrics`)).text()
    const gauge = (name: string): number => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1])
    if (gauge('log_segments') === 0 && gauge('zone_check_segments') === 0) return
    if (Date.now() > deadline) throw new Error('readings are still being checked')
  }
}

export async function sendPositions(instance: Instance, sensor: MadeSensor, positions: Position[]): Promise<Response> {
  const readings = positions.map(({ ms, x, y }) => ({ at: new Date(ms).toISOString(), location: [x, y] }))
  return instance.send(sensor, { readings })
}
