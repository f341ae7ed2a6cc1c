/** Dedup compared with a simple model: the set of everything that was ever stored. */
import { afterEach, expect, mock, spyOn, test } from 'bun:test'
import fc from 'fast-check'
import { type Batch, createBatch, OUTCOME } from '../../../src/ingest/batch.ts'
import type { DedupSensor } from '../../../src/ingest/dedup.ts'
import { createMemoryDedup } from '../../../src/ingest/memory-dedup.ts'
import { runs } from '../../support/fuzz.ts'

function batchOf(times: number[]): Batch {
  const batch = createBatch()
  for (const time of times) {
    batch.times[batch.count] = time
    batch.outcomes[batch.count] = Number.isNaN(time) ? OUTCOME.REFUSED : OUTCOME.NEW
    batch.count++
  }
  return batch
}

const sensorOf = (sensor: number, extensions = 0, deletedBeforeMs = Number.NEGATIVE_INFINITY): DedupSensor => ({
  sensor,
  extensions,
  deletedBeforeMs,
  retentionDays: 90,
})

/** A store that knows only loaded rows; rows between the last load and the end of the log are missing. */
function laggingStore() {
  const logged: { sensor: number; at: number }[] = []
  let loaded = 0
  const inStore = (sensor: number) => logged.slice(0, loaded).filter((row) => row.sensor === sensor)
  return {
    position: () => logged.length,
    append: (sensor: number, at: number) => logged.push({ sensor, at }),
    loadTo: (position: number) => {
      loaded = Math.max(loaded, Math.min(position, logged.length))
    },
    async loadedThrough(position: number) {
      await Promise.resolve()
      loaded = Math.max(loaded, position)
    },
    async newestTimes(sensors: readonly number[]) {
      await Promise.resolve()
      const newest = sensors.map((sensor) => [sensor, Math.max(...inStore(sensor).map(({ at }) => at))] as const)
      return new Map(newest.filter(([, at]) => at !== Number.NEGATIVE_INFINITY))
    },
    /** As after a shorter retention: positions in the log do not change. */
    deleteBefore(time: number): void {
      loaded = logged.length
      for (const [i, { at }] of logged.entries()) if (at < time) logged[i] = { sensor: -1, at }
    },
    async storedTimes({ sensor }: DedupSensor, times: readonly number[]) {
      await Promise.resolve()
      const held = new Set(inStore(sensor).map(({ at }) => at))
      return new Set(times.filter((at) => held.has(at)))
    },
  }
}

/** The same, with the newest times of all sensors in one answer. */
function bulkStore() {
  const store = laggingStore()
  return {
    ...store,
    allNewestTimes: () => store.newestTimes([1, 2, 3, 4]),
  }
}

const call = fc.record({
  sensor: fc.integer({ min: 1, max: 4 }),
  // increasing, decreasing and repeated times in any order
  start: fc.oneof(fc.integer({ min: 0, max: 6000 }), fc.constant(-1)),
  step: fc.constantFrom(1, 1, 1, 3),
  length: fc.integer({ min: 1, max: 500 }),
  shuffled: fc.boolean(),
  refusedEvery: fc.constantFrom(0, 0, 7),
  loadFirst: fc.boolean(),
  deleted: fc.option(fc.integer({ min: 0, max: 8000 }), { freq: 6 }),
  walFails: fc.integer({ min: 0, max: 12 }).map((n) => n === 0),
})

afterEach(() => mock.restore())

for (const [name, openStore] of [
  ['by sensor', laggingStore],
  ['of all sensors', bulkStore],
] as const)
  test(`reports for every reading whether it is stored, even if memory has dropped its timestamp or it was deleted; newest times ${name}`, async () => {
    // lookups of a fleet are collected for 20 ms, and thousands of lookups follow one another here
    spyOn(Bun, 'sleep').mockResolvedValue(undefined)
    await fc.assert(
      fc.asyncProperty(
        fc.array(call, { minLength: 1, maxLength: 40 }),
        fc.constantFrom(2_000, 40_000, 1_000_000),
        async (calls, bytes) => {
          const store = openStore()
          const dedup = createMemoryDedup(store, bytes, 0)
          const model = new Map<number, Set<number>>()
          const clock = new Map<number, number>()
          let extensions = 0
          let deletedBeforeMs = Number.NEGATIVE_INFINITY
          for (const { sensor, start, step, length, shuffled, refusedEvery, loadFirst, deleted, walFails } of calls) {
            if (loadFirst) store.loadTo(store.position())
            if (deleted !== null) {
              store.deleteBefore(deleted)
              extensions++
              deletedBeforeMs = Math.max(deletedBeforeMs, deleted)
              for (const had of model.values()) for (const at of had) if (at < deleted) had.delete(at)
            }
            const first = start < 0 ? (clock.get(sensor) ?? 0) : start
            const times = Array.from({ length }, (_, i) => first + i * step)
            clock.set(sensor, Math.max(clock.get(sensor) ?? 0, first + length * step))
            if (shuffled) times.reverse()
            const batch = batchOf(times.map((at, i) => (refusedEvery > 0 && i % refusedEvery === 0 ? Number.NaN : at)))
            const had = model.get(sensor) ?? new Set()
            model.set(sensor, had)
            await dedup.lookup(sensorOf(sensor, extensions, deletedBeforeMs), batch, store.position(), 0, false)
            for (let i = 0; i < batch.count; i++) {
              const at = batch.times[i] as number
              const expected = Number.isNaN(at) ? OUTCOME.REFUSED : had.has(at) ? OUTCOME.STORED_BEFORE : OUTCOME.NEW
              if (batch.outcomes[i] !== expected)
                throw new Error(`sensor ${sensor} at ${at}: ${batch.outcomes[i]}, not ${expected}`)
            }
            if (walFails) {
              dedup.commit(sensor, batch, store.position())
              dedup.release(sensor)
              dedup.forget(sensor, store.position())
              continue
            }
            for (let i = 0; i < batch.count; i++)
              if (batch.outcomes[i] === OUTCOME.NEW) {
                store.append(sensor, batch.times[i] as number)
                had.add(batch.times[i] as number)
              }
            dedup.commit(sensor, batch, store.position())
            dedup.release(sensor)
          }
        },
      ),
      runs(300),
    )
  })

test('requests of one sensor that need a lookup run one after the other', async () => {
  const store = laggingStore()
  const dedup = createMemoryDedup(store, 1_000_000, 0)
  async function accept(times: number[]): Promise<number> {
    const batch = batchOf(times)
    await dedup.lookup(sensorOf(1), batch, store.position(), 0, false)
    let fresh = 0
    for (let i = 0; i < batch.count; i++)
      if (batch.outcomes[i] === OUTCOME.NEW) {
        fresh++
        store.append(1, batch.times[i] as number)
      }
    dedup.commit(1, batch, store.position())
    dedup.release(1)
    return fresh
  }
  const same = [100, 200, 300]
  const accepted = await Promise.all(Array.from({ length: 20 }, () => accept(same)))
  expect(accepted.reduce((sum, n) => sum + n, 0)).toBe(same.length)
})

test('a failed lookup releases the sensor', async () => {
  let fails = true
  const store = laggingStore()
  const dedup = createMemoryDedup(
    {
      ...store,
      async newestTimes() {
        if (fails) throw new Error('down')
        return new Map()
      },
    },
    1_000_000,
    0,
  )
  const first = dedup.lookup(sensorOf(1), batchOf([5]), 0, 0, false)
  const second = dedup.lookup(sensorOf(1), batchOf([6]), 0, 0, false)
  await expect(first).rejects.toThrow('down')
  await first?.catch(() => dedup.release(1))
  fails = false
  const third = dedup.lookup(sensorOf(1), batchOf([7]), 0, 0, false)
  await second?.catch(() => undefined)
  dedup.release(1)
  await third
  dedup.release(1)
})

test('the first calls of a fleet after a start cost one query, and its failure fails no call', async () => {
  const queries: string[] = []
  let fails = true
  const fleet = Array.from({ length: 50 }, (_, i) => i + 2)
  const store = laggingStore()
  for (const sensor of fleet) store.append(sensor, 500)
  store.loadTo(store.position())
  const dedup = createMemoryDedup(
    {
      ...store,
      async newestTimes(sensors) {
        queries.push(`of ${sensors.length}`)
        return store.newestTimes(sensors)
      },
      async allNewestTimes() {
        queries.push('of all')
        if (fails) throw new Error('down')
        return store.newestTimes(fleet)
      },
    },
    1_000_000,
    store.position(),
  )
  const outcomesOf = async (sensor: number): Promise<number[]> => {
    const batch = batchOf([500, 501])
    await dedup.lookup(sensorOf(sensor), batch, store.position(), 0, false)
    dedup.release(sensor)
    return [...batch.outcomes.subarray(0, 2)]
  }
  expect(await outcomesOf(1)).toEqual([OUTCOME.NEW, OUTCOME.NEW])
  expect(queries).toEqual(['of all', 'of 1'])
  fails = false
  for (const outcomes of await Promise.all(fleet.map(outcomesOf)))
    expect(outcomes).toEqual([OUTCOME.STORED_BEFORE, OUTCOME.NEW])
  expect(queries).toEqual(['of all', 'of 1', 'of all'])
})
