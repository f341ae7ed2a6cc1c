/** Sensors that keep sending readings while stores fail, and the invariants afterwards. */
import { expect } from 'bun:test'
import { type Random, whole } from '../random.ts'
import { rounds } from '../rounds.ts'
import { until } from '../until.ts'
import type { Envelope, Instance, MadeSensor, Organization, Outcome } from './instance.ts'
import { readingTimes } from './instance.ts'

export type FleetCount = {
  sent: number
  stored: number
  /** Readings sent until they were answered, but not stored. */
  lost: number
  /** Stored readings that were never sent, or that are returned twice. */
  unexpected: number
  /** Readings that were accepted twice. */
  acceptedTwice: number
  /** Number of 503 answers and of calls without an answer, which were repeated. */
  repeats: number
  /** Duration of the slowest call, whether it was answered or lost its connection. */
  slowestMs: number
}

export type ReadingFleet = {
  /** Number of calls answered so far. */
  answered(): number
  /** Ends when every reading has an answer, and counts. */
  stop(): Promise<FleetCount>
}

const PER_CALL = 60
/** Pause of a sensor after each call. Without it, ten sensors take the whole processor while stores need to recover. */
const PAUSE_MS = rounds(80, 10)
const START_DAYS = 30

/**
 * @param any returns an instance for each call
 * @param randomOf returns a generator for each sensor
 */
export function startReadingFleet(
  sensors: readonly MadeSensor[],
  organization: Organization,
  any: (random: Random) => Instance,
  randomOf: (sensor: number) => Random,
): ReadingFleet {
  let running = true
  let answered = 0
  let repeats = 0
  let slowestMs = 0
  // a sensor sends hours of readings in a second; readings from the future would be rejected
  const startMs = Math.floor(Date.now() / 1000) * 1000 - START_DAYS * 86_400_000

  async function send(sensor: MadeSensor, index: number) {
    const random = randomOf(index)
    const sent = new Set<string>()
    const accepted = new Map<string, number>()
    for (let i = 0; running; i++) {
      // sometimes the previous batch again, and sometimes an older one
      const back = random() < 0.2 ? 1 : random() < 0.05 ? whole(random, 20) : 0
      const from = Math.max(0, i - back) * PER_CALL
      const readings = Array.from({ length: PER_CALL }, (_, k) => ({
        at: new Date(startMs + (from + k) * 1000).toISOString(),
        values: { a: from + k },
      }))
      for (const { at } of readings) sent.add(at)
      for (let isAnswered = false; !isAnswered; ) {
        let envelope: Envelope<Outcome> | undefined
        const calledMs = performance.now()
        try {
          const response = await any(random).send(sensor, { readings })
          envelope = (await response.json()) as Envelope<Outcome>
        } catch {
          // the instance is down, or the connection was lost: the call is repeated, as a sensor does
        }
        slowestMs = Math.max(slowestMs, performance.now() - calledMs)
        if (envelope !== undefined && envelope.statusCode !== 200 && envelope.statusCode !== 503)
          throw new Error(`${envelope.statusCode} ${envelope.code}: ${envelope.message}`)
        isAnswered = envelope?.statusCode === 200
        if (envelope !== undefined && isAnswered)
          for (const at of envelope.data.accepted) accepted.set(at, (accepted.get(at) ?? 0) + 1)
        if (!isAnswered) {
          repeats++
          await Bun.sleep(30)
        }
      }
      answered++
      await Bun.sleep(PAUSE_MS)
    }
    return { sensor, sent, accepted }
  }
  const clients = sensors.map(send)
  // an error of one sensor is thrown by stop()
  for (const client of clients) client.catch(() => undefined)

  return {
    answered: () => answered,
    async stop() {
      running = false
      const count: FleetCount = { sent: 0, stored: 0, lost: 0, unexpected: 0, acceptedTwice: 0, repeats, slowestMs }
      const random = randomOf(-1)
      for (const { sensor, sent, accepted } of await Promise.all(clients)) {
        let there: string[] = []
        const isThere = async (): Promise<boolean> => {
          there = await readingTimes(() => any(random), organization, sensor)
          return there.length >= sent.size
        }
        // lost readings are counted below
        await until(isThere, 'readings to be stored').catch(() => undefined)
        const stored = new Set(there)
        count.sent += sent.size
        count.stored += there.length
        count.lost += [...sent].filter((at) => !stored.has(at)).length
        count.unexpected += there.length - [...stored].filter((at) => sent.has(at)).length
        count.acceptedTwice += [...accepted.values()].filter((times) => times > 1).length
      }
      return { ...count, repeats, slowestMs }
    },
  }
}

/**
 * Disturbs two instances several times while ten sensors send to either, and expects that nothing is lost or accepted
 * twice.
 * @param recover called once sensors get answers again
 */
export async function expectUndisturbed(
  { instances, organization }: { instances: Instance[]; organization: Organization },
  [randomFor, name]: [(loop: string) => Random, string],
  times: number,
  disturb: (random: Random) => Promise<void>,
  recover: () => Promise<void>,
): Promise<void> {
  const [one, other] = instances as [Instance, Instance]
  const channels = [{ name: 'a', measurement: 'number' as const }]
  const sensors = await Promise.all(Array.from({ length: 10 }, () => one.sensor(organization.id, channels)))
  const any = (random: Random): Instance => (random() < 0.5 ? one : other)
  const fleet = startReadingFleet(sensors, organization, any, (sensor) => randomFor(`${name} ${sensor}`))
  const moreAnswers = async (): Promise<void> => {
    const enough = fleet.answered() + 20
    await until(() => fleet.answered() >= enough, 'more answers', 120_000)
  }
  const random = randomFor(name)
  for (let round = 0; round < times; round++) {
    await moreAnswers()
    await disturb(random)
    await moreAnswers()
    await recover()
  }
  const { sent, stored, lost, unexpected, acceptedTwice } = await fleet.stop()
  expect({ lost, unexpected, acceptedTwice }).toEqual({ lost: 0, unexpected: 0, acceptedTwice: 0 })
  expect(stored).toBe(sent)
}
