/** The batcher, the keyed mutex and the backoff. */
import { expect, test } from 'bun:test'
import { createBackoff } from '../../../src/stores/backoff.ts'
import { createBatcher } from '../../../src/stores/batcher.ts'
import { createKeyedMutex } from '../../../src/stores/keyed-mutex.ts'

test('keys that come within the window are looked up together, each once', async () => {
  const batches: (readonly number[])[] = []
  const lookUp = createBatcher(5, async (keys: readonly number[]) => {
    batches.push(keys)
    return new Map(keys.map((key) => [key, key * 2]))
  })
  const results = await Promise.all([1, 2, 1].map(async (key) => (await lookUp(key)).get(key)))
  expect(results).toEqual([2, 4, 2])
  await lookUp(3)
  expect(batches).toEqual([[1, 2], [3]])
})

test('keys that arrive during a lookup wait for it, and are looked up together', async () => {
  const batches: (readonly number[])[] = []
  const gate = Promise.withResolvers<void>()
  const lookUp = createBatcher(0, async (keys: readonly number[]) => {
    batches.push(keys)
    if (batches.length === 1) await gate.promise
  })
  const first = lookUp(1)
  while (batches.length === 0) await Bun.sleep(1)
  const others = [lookUp(2), Bun.sleep(20).then(() => lookUp(3)), Bun.sleep(40).then(() => lookUp(4))]
  await Bun.sleep(60)
  expect(batches).toEqual([[1]])
  gate.resolve()
  await Promise.all([first, ...others])
  expect(batches).toEqual([[1], [2, 3, 4]])
})

test('a failed batch fails its callers and not the next batch', async () => {
  let runs = 0
  const lookUp = createBatcher(1, async (_: readonly number[]) => {
    if (++runs === 1) throw new Error('unavailable')
    return runs
  })
  const results = await Promise.allSettled([lookUp(1), lookUp(2)])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await lookUp(1)).toBe(2)
})

test('work on one key runs in order, work on another key does not wait', async () => {
  const mutex = createKeyedMutex<string>()
  const events: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = mutex.run('a', async () => {
    events.push('a1 begins')
    await gate.promise
    events.push('a1 ends')
    throw new Error('failed')
  })
  const second = mutex.run('a', async () => {
    events.push('a2')
    return 2
  })
  await mutex.run('b', async () => events.push('b'))
  expect(events).toEqual(['a1 begins', 'b'])
  expect(mutex.isLocked('a')).toBe(true)
  gate.resolve()
  await expect(first).rejects.toThrow('failed')
  expect(await second).toBe(2)
  expect(events).toEqual(['a1 begins', 'b', 'a1 ends', 'a2'])
  expect(mutex.isLocked('a')).toBe(false)
})

test('each pause is twice as long as the previous one, up to the limit; after a reset, they begin again with the first', async () => {
  const never = new AbortController().signal
  const backoff = createBackoff(1, 6)
  const pauses: number[] = []
  for (let i = 0; i < 5; i++) {
    pauses.push(backoff.nextMs())
    await backoff.pause(never)
  }
  expect(pauses).toEqual([1, 2, 4, 6, 6])
  backoff.reset()
  expect(backoff.nextMs()).toBe(1)
})

test('a pause lasts as long as announced, and ends immediately when it is stopped', async () => {
  const stop = new AbortController()
  const backoff = createBackoff(30, 60_000)
  const startedMs = performance.now()
  await backoff.pause(stop.signal)
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(29)
  const long = createBackoff(60_000, 60_000)
  const pausing = long.pause(stop.signal)
  stop.abort()
  await pausing
  await long.pause(stop.signal)
  expect(performance.now() - startedMs).toBeLessThan(5_000)
})
