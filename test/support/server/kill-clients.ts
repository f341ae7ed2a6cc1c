/** Sensors that keep sending readings to a server that is killed again and again, and checks of the stored readings. */

import { type Random, whole } from '../random.ts'
import { until } from '../until.ts'
import {
  type Channel,
  type Envelope,
  type Instance,
  type MadeSensor,
  type Organization,
  type Outcome,
  outcomeOf,
} from './instance.ts'

export const CHANNELS: Channel[] = [
  { name: 'a', measurement: 'number' },
  { name: 'b', measurement: 'whole' },
]

type Stored = { values: { a: number; b: number }; location: [number, number] }

/** Outcome of the readings of a sensor. */
export type KillCount = {
  sensor: number
  stored: number
  /** Sum of `b` over the stored readings. */
  sum: number
  /** Times sent until they were answered, but not stored. */
  lost: number[]
  /** Stored times that were never sent. */
  neverSent: number[]
  /** Times that were accepted twice or stored twice. */
  doubled: number[]
  /** Times whose stored values or location differ from the values sent. */
  changed: number[]
}

export type KillClients = {
  /** Number of calls answered so far. @throws what a sensor failed with */
  answers(): number
  /** Ends when every reading has an answer, and compares the stored readings with it. */
  stop(): Promise<KillCount[]>
}

export type KillWork = {
  instance: Instance
  organization: Organization
  sensors: readonly MadeSensor[]
  /** A generator for each sensor. */
  randomOf: (sensor: number) => Random
  /** The longest pause between two calls of a sensor. */
  pauseMs: number
  /** The most readings of a sensor that are sent together. */
  most?: number
  /** Sends readings until they have an answer; by default in a call of the sensor. */
  ask?: (sensor: MadeSensor, readings: Reading[]) => Promise<Outcome>
}

/** Values follow from sensor and time, so a mixed-up reading is noticed. */
const valueAt = (sensor: number, ms: number): number => ((ms / 10) * 31 + sensor * 17) % 1000
const reading = (sensor: number, ms: number) => ({
  at: new Date(ms).toISOString(),
  values: { a: valueAt(sensor, ms) / 8, b: valueAt(sensor, ms) },
  location: [(ms % 360_000) / 1000 - 180, sensor] as [number, number],
})

export type Reading = ReturnType<typeof reading>

/** Repeats a call as a sensor does, until it has an answer. */
export async function untilAnswered(send: () => Promise<Response>): Promise<Response> {
  for (; ; await Bun.sleep(10)) {
    let response: Response
    let text: string
    try {
      response = await send()
      text = await response.text()
    } catch {
      // the server was killed
      continue
    }
    if (response.ok) return new Response(response.status === 204 ? null : text, { status: response.status })
    if (response.status !== 503) throw new Error(`${response.status} ${(JSON.parse(text) as Envelope).code}`)
  }
}

export function startKillClients(work: KillWork): KillClients {
  const { instance, organization, sensors, randomOf, pauseMs, most = 500 } = work
  const ask =
    work.ask ?? (async (sensor, readings) => outcomeOf(await untilAnswered(() => instance.send(sensor, { readings }))))
  const startMs = Math.floor(Date.now() / 1000) * 1000 - 5 * 86_400_000
  let running = true
  let answers = 0

  async function send(sensor: MadeSensor, index: number) {
    const random = randomOf(index)
    const sent = new Set<number>()
    const accepted = new Map<number, number>()
    for (let next = startMs; running; await Bun.sleep(random() * pauseMs)) {
      const count = 1 + whole(random, most)
      // mostly new times; sometimes the last hour again, including times never sent before
      const from = random() < 0.1 ? Math.max(startMs, next - 3_600_000) : next
      const times = [...new Set(Array.from({ length: count }, (_, i) => from + i * 10 * (1 + whole(random, 3))))].sort(
        (a, b) => a - b,
      )
      for (const ms of times) sent.add(ms)
      const outcome = await ask(
        sensor,
        times.map((ms) => reading(index, ms)),
      )
      answers++
      const known = outcome.accepted.length + outcome.duplicates.length
      if (outcome.refused.length > 0 || known !== times.length)
        throw new Error(`${times.length} readings were answered with ${JSON.stringify(outcome)}`)
      for (const at of outcome.accepted) accepted.set(Date.parse(at), (accepted.get(Date.parse(at)) ?? 0) + 1)
      next = Math.max(next, (times.at(-1) as number) + 10)
    }
    return { sensor, index, sent, accepted }
  }

  async function storedOf(sensor: MadeSensor): Promise<{ stored: Map<number, Stored>; twice: number[] }> {
    const stored = new Map<number, Stored>()
    const twice: number[] = []
    for (let cursor = ''; ; ) {
      const { data } = await instance.query<{ items: ({ at: string } & Stored)[]; nextCursor: string | null }>(
        organization,
        `/sensors/${sensor.id}/readings?limit=1000${cursor}`,
      )
      for (const { at, values, location } of data.items) {
        const ms = Date.parse(at)
        if (stored.has(ms)) twice.push(ms)
        stored.set(ms, { values, location })
      }
      if (data.nextCursor === null) return { stored, twice }
      cursor = `&cursor=${data.nextCursor}`
    }
  }

  const clients = sensors.map(send)
  let failure: Error | undefined
  for (const client of clients)
    client.catch((error) => {
      failure ??= error
    })

  return {
    answers() {
      if (failure !== undefined) throw failure
      return answers
    },
    async stop() {
      running = false
      const counts: KillCount[] = []
      for (const { sensor, index, sent, accepted } of await Promise.all(clients)) {
        let found = await storedOf(sensor)
        const isThere = async (): Promise<boolean> => {
          if (found.stored.size < sent.size) found = await storedOf(sensor)
          return found.stored.size >= sent.size
        }
        // lost readings are counted below
        await until(isThere, 'loading the readings').catch(() => undefined)
        const { stored, twice } = found
        const isChanged = (ms: number): boolean => {
          const { values, location } = reading(index, ms)
          const there = stored.get(ms) as Stored
          return values.a !== there.values.a || values.b !== there.values.b || `${location}` !== `${there.location}`
        }
        counts.push({
          sensor: sensor.number,
          stored: stored.size,
          sum: [...stored.values()].reduce((sum, { values }) => sum + values.b, 0),
          lost: [...sent].filter((ms) => !stored.has(ms)),
          neverSent: [...stored.keys()].filter((ms) => !sent.has(ms)),
          doubled: [...twice, ...[...accepted].filter(([, times]) => times !== 1).map(([ms]) => ms)],
          changed: [...stored.keys()].filter((ms) => sent.has(ms) && isChanged(ms)),
        })
      }
      return counts
    },
  }
}
