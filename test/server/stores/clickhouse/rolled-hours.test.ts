/** A process's view of waiting hours, compared with a model that sees every change, in random orders of events. */
import { describe, expect, test } from 'bun:test'
import { areWithinHours, haveEveryHour } from '../../../../src/stores/clickhouse/queries/full-hours.ts'
import { createRolledHours } from '../../../../src/stores/clickhouse/queries/rolled-hours.ts'
import { seeded } from '../../../support/random.ts'

const HOUR_MS = 3_600_000
const SENSORS = [1, 2, 3]

test('a sensor counts as complete only if none of its hours waits, in any order of inserts and scans', async () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = seeded(seed)
    const any = (n: number): number => Math.floor(random() * n)
    const hours = createRolledHours()
    /** Hours that wait in the store, as `sensor hour`. An insert becomes visible at some moment while it runs. */
    const waiting = new Set<string>()
    type Insert = { keys: string[]; isVisible: boolean; end: PromiseWithResolvers<void>; done: Promise<void> }
    const running: Insert[] = []
    let look: { untilMs: number; end: ReturnType<typeof hours.look> } | undefined
    let known = 0

    const show = (insert: Insert): void => {
      if (!insert.isVisible) for (const key of insert.keys) waiting.add(key)
      insert.isVisible = true
    }
    const begin = (): void => {
      const oldest = new Map<number, number>()
      const keys: string[] = []
      for (const sensor of SENSORS.filter(() => random() < 0.4)) {
        const hour = any(10)
        oldest.set(sensor, hour * HOUR_MS + any(HOUR_MS))
        keys.push(`${sensor} ${hour}`)
        if (random() < 0.5) keys.push(`${sensor} ${hour + 1}`)
      }
      const end = Promise.withResolvers<void>()
      const done = hours.during(oldest, () => end.promise).catch(() => undefined)
      running.push({ keys, isVisible: false, end, done })
    }
    const events = [
      begin,
      () => {
        const insert = running[any(running.length)]
        if (insert !== undefined) show(insert)
      },
      async () => {
        const [insert] = running.splice(any(running.length), 1)
        if (insert === undefined) return
        // a failed insert may have stored something
        if (random() < 0.9) show(insert)
        if (insert.isVisible && random() < 0.9) insert.end.resolve()
        else insert.end.reject(new Error('failed'))
        await insert.done
      },
      () => {
        const untilMs = (5 + any(6)) * HOUR_MS
        look = { untilMs, end: hours.look(untilMs) }
      },
      // the rollups aggregate some of the hours that they see
      () => {
        if (look !== undefined) for (const key of [...waiting]) if (random() < 0.6) waiting.delete(key)
      },
      () => {
        if (look === undefined) return
        const { untilMs, end } = look
        look = undefined
        const found = new Map<number, number>()
        for (const key of waiting) {
          const [sensor, hour] = key.split(' ').map(Number) as [number, number]
          if (hour * HOUR_MS < untilMs) found.set(sensor, Math.min(found.get(sensor) ?? untilMs, hour * HOUR_MS))
        }
        end(random() < 0.9 ? found : undefined)
      },
      () => {
        if (random() < 0.2) hours.forget()
      },
    ]
    for (let step = 0; step < 200; step++) {
      await events[any(events.length)]?.()
      for (const sensor of SENSORS)
        for (let hour = 1; hour <= 10; hour++) {
          if (!hours.include([sensor], hour * HOUR_MS)) continue
          known++
          const missed = [...waiting].filter((key) => {
            const [of, at] = key.split(' ').map(Number) as [number, number]
            return of === sensor && at < hour
          })
          expect({ seed, step, sensor, hour, missed }).toEqual({ seed, step, sensor, hour, missed: [] })
        }
    }
    // `count` readings at random times of an hour.
    if (seed % 100 === 0) expect(known).toBeGreaterThan(0)
  }
})

describe('hours without minutes', () => {
  const ONE = [{ series: 0, sensor: 1 }]
  const range = { fromMs: HOUR_MS, toMs: 3 * HOUR_MS }
  const points = (...starts: number[]) => ({ starts, values: [starts] })

  test('the buckets show that minutes are missing only if each bucket lies in one hour', () => {
    for (const seconds of [60, 300, 900, 3600]) expect(areWithinHours({ kind: 'seconds', seconds })).toBe(true)
    for (const seconds of [420, 5400]) expect(areWithinHours({ kind: 'seconds', seconds })).toBe(false)
    expect(areWithinHours({ kind: 'days', count: 1, timeZone: 'UTC' })).toBe(false)
  })

  test('every hour of the range needs a point', () => {
    const both = points(HOUR_MS, HOUR_MS + 60_000, 3 * HOUR_MS - 60_000)
    expect(haveEveryHour([both], ONE, range)).toBe(true)
    expect(haveEveryHour([points(HOUR_MS, HOUR_MS + 60_000)], ONE, range)).toBe(false)
    // points outside the range do not count
    expect(haveEveryHour([points(0, HOUR_MS, 3 * HOUR_MS)], ONE, range)).toBe(false)
    expect(haveEveryHour([], ONE, range)).toBe(false)
  })

  test('one channel with points shows that the sensor has minutes; every sensor needs one', () => {
    const members = [
      { series: 0, sensor: 1 },
      { series: 1, sensor: 1 },
      { series: 2, sensor: 2 },
    ]
    const full = points(HOUR_MS, 2 * HOUR_MS)
    expect(haveEveryHour([full, points(), full], members, range)).toBe(true)
    expect(haveEveryHour([full, full, points()], members, range)).toBe(false)
    const shared = members.map((member) => ({ ...member, series: 0 }))
    expect(haveEveryHour([full], shared, range)).toBe(false)
  })
})
