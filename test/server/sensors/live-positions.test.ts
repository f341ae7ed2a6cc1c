/** Tracks, the live layer and its event stream, compared with plain loops over the sent readings. */
import { describe, expect, test } from 'bun:test'
import { seeded } from '../../support/random.ts'
import {
  type Envelope,
  type MadeSensor,
  type Organization,
  outcomeOf,
  untilStored,
} from '../../support/server/instance.ts'
import { iso, recordReadings, type SentReading, START } from '../../support/server/recorded-readings.ts'
import { EMBEDDED_AND_CLUSTER } from '../../support/stores/reading-stores.ts'
import { eventually, until } from '../../support/until.ts'

type Feature = {
  id: string
  geometry: { type: string; coordinates: number[] }
  properties: { assetName: string; sensorId: string; at: string }
}
type Collection = { type: string; features: Feature[]; removed?: string[] }

const recorded = { embedded: await recordReadings('embedded'), cluster: await recordReadings('cluster') }

describe.each(EMBEDDED_AND_CLUSTER)('on %s ClickHouse', (kind) => {
  const { instance, organization, other, sensors, sent } = recorded[kind]

  const ask = async <T>(path: string, who = organization): Promise<Envelope<T> & { statusCode: number }> =>
    instance.query<T>(who, path)
  const id = (s: number): string => (sensors[s] as MadeSensor).id

  test('tracks contain positions with their times, in pages', async () => {
    const wanted = (sent[2] as SentReading[]).filter(({ location }) => location !== undefined)
    type Track = {
      geometry: { type: string; coordinates: number[][][] }
      properties: { times: string[][] }
      nextCursor: string | null
    }
    const isSent = new Set(wanted.map(({ ms, location }) => `${iso(ms)} ${location}`))
    const positionsIn = ({ geometry, properties }: Track): string[] =>
      geometry.coordinates.flatMap((line, i) => line.map((position, j) => `${properties.times[i]?.[j]} ${position}`))
    const whole = await ask<Track>(`/tracks/${id(2)}`)
    // the positions are random, so the track crosses the antimeridian very often
    expect(whole.data.geometry.type).toBe('MultiLineString')
    const positions = positionsIn(whole.data)
    expect(positions.filter((position) => isSent.has(position))).toEqual([...isSent])
    for (const position of positions) if (!isSent.has(position)) expect(position).toMatch(/ -?180,/)
    for (const line of whole.data.geometry.coordinates)
      for (const [i, position] of line.entries())
        if (i > 0) expect(Math.abs(Number(position[0]) - Number(line[i - 1]?.[0]))).toBeLessThanOrEqual(180)
    const inPages: string[] = []
    for (let cursor = ''; ; ) {
      const { data } = await ask<Track>(`/tracks/${id(2)}?limit=150${cursor}`)
      inPages.push(...positionsIn(data).filter((position) => isSent.has(position)))
      if (data.nextCursor === null) break
      cursor = `&cursor=${data.nextCursor}`
    }
    expect(inPages).toEqual([...isSent])
    const none = await ask<Track>(`/tracks/${id(2)}?to=${iso(START)}`)
    expect(none.data).toMatchObject({ geometry: null, properties: { times: [] } })
  })

  test('a track on one side of the antimeridian is a line with one time for each position', async () => {
    const third = await instance.organization('scale')
    const sensor = await instance.sensor(third.id, [{ name: 'a', measurement: 'number' }])
    const locations = [
      [170, 45],
      [-170, 45],
      [-160, 40],
    ]
    const readings = locations.map((location, i) => ({ at: iso(START + i * 1000), values: {}, location }))
    await outcomeOf(await instance.send(sensor, { readings }))
    await untilStored(() => instance, third, sensor, 3)
    const line = await ask<{ geometry: object; properties: { times: unknown } }>(
      `/tracks/${sensor.id}?from=${iso(START + 1)}`,
      third,
    )
    expect(line.data.geometry).toEqual({ type: 'LineString', coordinates: locations.slice(1) })
    expect(line.data.properties.times).toEqual([iso(START + 1000), iso(START + 2000)])
    const across = await ask<{ geometry: object; properties: { times: unknown } }>(`/tracks/${sensor.id}`, third)
    // RFC 7946, section 3.1.9
    expect(across.data.geometry).toEqual({
      type: 'MultiLineString',
      coordinates: [
        [
          [170, 45],
          [180, 45],
        ],
        [
          [-180, 45],
          [-170, 45],
          [-160, 40],
        ],
      ],
    })
    expect(across.data.properties.times).toEqual([
      [iso(START), iso(START + 500)],
      [iso(START + 500), iso(START + 1000), iso(START + 2000)],
    ])
  })

  test('the live layer has the newest point of each asset inside a box, also across the antimeridian', async () => {
    const newest = [0, 1, 2].map(
      (s) => (sent[s] as SentReading[]).findLast(({ location }) => location !== undefined) as SentReading,
    )
    const all = await ask<Collection>('/live')
    expect(all.data.type).toBe('FeatureCollection')
    expect(all.data.features.map(({ properties }) => properties.assetName).sort()).toEqual([
      'Asset 0',
      'Asset 1',
      'Asset 2',
    ])
    for (const { geometry, properties } of all.data.features) {
      const s = sensors.findIndex(({ id }) => id === properties.sensorId)
      expect(geometry).toEqual({ type: 'Point', coordinates: newest[s]?.location as number[] })
      expect(properties.at).toBe(iso((newest[s] as SentReading).ms))
    }
    const random = seeded(8)
    for (let i = 0; i < 25; i++) {
      const [west, east] = [random() * 360 - 180, random() * 360 - 180]
      const [south, north] = [random() * 180 - 90, random() * 180 - 90].sort((a, b) => a - b) as [number, number]
      const { data } = await ask<Collection>(`/live?bbox=${west},${south},${east},${north}`)
      const inside = newest.filter(
        ({ location: [x, y] = [0, 0] }) =>
          y >= south && y <= north && (west <= east ? x >= west && x <= east : x >= west || x <= east),
      )
      expect(data.features.length).toBe(inside.length)
    }
    expect((await ask<Collection>('/live', other)).data.features).toEqual([])
  })

  test('an asset with two sensors is at the newest position of both, and late readings do not move it back', async () => {
    const channels = [{ name: 'a', measurement: 'number' as const }]
    const [a, b] = [
      await instance.sensor(other.id, channels, 'Truck'),
      await instance.sensor(other.id, channels, 'Truck'),
    ]
    const sent = { [a.id]: 0, [b.id]: 0 }
    const send = async (sensor: MadeSensor, ms: number, location: [number, number]): Promise<void> => {
      await outcomeOf(await instance.send(sensor, { readings: [{ at: iso(ms), values: {}, location }] }))
      sent[sensor.id] = (sent[sensor.id] ?? 0) + 1
      await untilStored(() => instance, other, sensor, sent[sensor.id] ?? 0)
    }
    const where = async (query = '') =>
      (await ask<Collection>(`/live${query}`, other)).data.features.map(({ geometry }) => geometry.coordinates)
    await send(a, START, [10, 10])
    await send(b, START + 1000, [20, 20])
    await eventually(async () => expect(await where()).toEqual([[20, 20]]))
    await send(a, START - 1000, [30, 30])
    expect(await where()).toEqual([[20, 20]])
    // the older position lies in the box, but the asset has left it
    expect(await where('?bbox=5,5,15,15')).toEqual([])
    await send(a, START + 2000, [11, 11])
    await eventually(async () => expect(await where('?bbox=5,5,15,15')).toEqual([[11, 11]]))
    await instance.manage('DELETE', `/sensors/${a.id}`)
    await eventually(async () => expect(await where()).toEqual([[20, 20]]))
  }, 120_000)

  describe('server-sent events', () => {
    /** Yields events as they arrive. */
    async function* eventsOf(response: Response): AsyncGenerator<{ event: string; data: Collection }> {
      let text = ''
      for await (const piece of response.body as ReadableStream<Uint8Array>) {
        text += new TextDecoder().decode(piece)
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(text.slice(0, end)) ?? []
          text = text.slice(end + 2)
          if (event !== undefined) yield { event, data: JSON.parse(data ?? '') as Collection }
        }
      }
    }
    const watch = (who: Organization, query = '', signal?: AbortSignal) =>
      fetch(`${instance.url()}/enterprise/v1/assets/live/stream${query}`, {
        headers: { 'x-api-key': who.publicKey, 'x-api-secret': who.secretKey },
        ...(signal && { signal }),
      })

    test('send a snapshot, then moved assets and assets that left the box, and end when keys change', async () => {
      const own = await instance.organization('scale')
      const sensor = await instance.sensor(own.id, [{ name: 'a', measurement: 'number' }], 'Bus')
      const move = async (i: number, location: [number, number]): Promise<void> => {
        await outcomeOf(
          await instance.send(sensor, { readings: [{ at: iso(START + i * 1000), values: {}, location }] }),
        )
      }
      await move(0, [1, 1])
      await until(async () => (await ask<Collection>('/live', own)).data.features.length === 1, 'the first position')
      const response = await watch(own, '?bbox=0,0,10,10')
      expect(response.headers.get('content-type')).toContain('text/event-stream')
      const events = eventsOf(response)
      const next = async () => (await events.next()).value as { event: string; data: Collection }
      const at = ({ data }: { data: Collection }) => data.features.map(({ geometry }) => geometry.coordinates)
      const snapshot = await next()
      expect([snapshot.event, at(snapshot)]).toEqual(['snapshot', [[1, 1]]])
      // later polls find the same position again, but it is sent only once
      await Bun.sleep(2200)
      await move(1, [2, 2])
      const moved = await next()
      expect([moved.event, at(moved), moved.data.removed]).toEqual(['positions', [[2, 2]], []])
      await move(2, [50, 50])
      const left = await next()
      expect([at(left), left.data.removed]).toEqual([[], [snapshot.data.features[0]?.id as string]])
      // other enterprises receive none of these events
      const others = eventsOf(await watch(other))
      expect(JSON.stringify((await others.next()).value)).not.toContain('Bus')
      await others.return(undefined)
      await move(3, [3, 3])
      expect(at(await next())).toEqual([[3, 3]])
      await instance.manage('PATCH', `/enterprises/${own.id}`, { status: 'suspended' })
      expect((await events.next()).done).toBe(true)
      expect((await watch(own)).status).toBe(403)
    }, 120_000)

    test('clients that disconnect immediately do not affect others', async () => {
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          const leaving = new AbortController()
          const response = await watch(organization, '', leaving.signal)
          await response.body?.getReader().read()
          leaving.abort()
        }),
      )
      expect((await ask<Collection>('/live')).data.features.length).toBe(3)
    })
  })
})
