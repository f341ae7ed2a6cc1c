import { expect, test } from 'bun:test'
import { createChangeCache } from '../../../src/stores/change-cache.ts'
import { type Change, createChanges } from '../../../src/stores/changes.ts'
import { seeded } from '../../support/random.ts'

/** A store whose loads are recorded; keys that start with "no" do not exist. */
function recordingStore() {
  const loaded: string[] = []
  const load = async (key: string): Promise<{ key: string } | undefined> => {
    loaded.push(key)
    await Bun.sleep(0)
    return key.startsWith('no') ? undefined : { key }
  }
  return { load, loaded }
}

test('concurrent callers share one load, and later ones need none', async () => {
  const { load, loaded } = recordingStore()
  const cache = createChangeCache({ load, maxSize: 10 })
  expect(cache.peek('a')).toBeUndefined()
  const [first, second] = await Promise.all([cache.get('a'), cache.get('a')])
  expect(first).toEqual({ key: 'a' })
  expect(second).toBe(first)
  expect(cache.peek('a')).toBe(first)
  expect(await cache.get('a')).toBe(first)
  expect(loaded).toEqual(['a'])
})

test('the most recently used half of the bound stays cached', async () => {
  const { load, loaded } = recordingStore()
  const cache = createChangeCache({ load, maxSize: 20 })
  const random = seeded(7)
  const used: string[] = []
  for (let i = 0; i < 2_000; i++) {
    const key = `${Math.floor(random() ** 2 * 60)}`
    const recent = new Set([...used.toReversed()].values().take(200))
    const lastTen = [...recent].slice(0, 10)
    const loads = loaded.length
    await cache.get(key)
    if (lastTen.includes(key)) expect(loaded.length).toBe(loads)
    used.push(key)
  }
})

test('it never exceeds its bound, in the unit that the owner chose', async () => {
  const { load } = recordingStore()
  const cache = createChangeCache({ load, maxSize: 100, sizeOf: ({ key }: { key: string }) => key.length })
  const random = seeded(11)
  const keys = Array.from({ length: 500 }, (_, i) => `${i}`.padEnd(1 + Math.floor(random() * 20), 'x'))
  for (const key of keys) {
    await cache.get(key)
    expect(cache.peek(key)).toBeDefined()
    if (random() < 0.1) cache.delete(keys[Math.floor(random() * keys.length)] as string)
  }
  // from the newest to the oldest, so that a lookup does not evict entries that are checked later
  const held = keys.toReversed().filter((key) => cache.peek(key) !== undefined)
  expect(held.reduce((sum, key) => sum + key.length, 0)).toBeLessThanOrEqual(100)
  expect(held.length).toBeGreaterThan(0)
})

test('one value larger than the bound is cached alone', async () => {
  const { load, loaded } = recordingStore()
  const cache = createChangeCache({ load, maxSize: 10, sizeOf: () => 1_000 })
  for (const key of ['a', 'a', 'b', 'b', 'b']) await cache.get(key)
  expect(loaded).toEqual(['a', 'b'])
})

test('unknown keys are cached within a separate bound and evict no known ones', async () => {
  const { load, loaded } = recordingStore()
  const cache = createChangeCache({ load, maxSize: 10, maxUnknownKeys: 100 })
  await cache.get('a')
  for (let i = 0; i < 1_000; i++) expect(await cache.get(`no-${i}`)).toBeUndefined()
  const loads = loaded.length
  await cache.get('a')
  await cache.get('no-999')
  expect(loaded.length).toBe(loads)
  await cache.get('no-0')
  expect(loaded.length).toBe(loads + 1)
})

test('an unknown key of any length takes at most the memory of about a hundred characters', async () => {
  const { load, loaded } = recordingStore()
  const cache = createChangeCache({ load, maxSize: 10 })
  const key = 'no'.padEnd(16_000, 'x')
  await cache.get(key)
  await cache.get(key)
  expect(loaded.length).toBe(2)
})

test('changes of the named kinds clear it, other changes do not', async () => {
  const { load, loaded } = recordingStore()
  const changes = createChanges()
  const cache = createChangeCache({ load, maxSize: 10, invalidatedBy: { changes, kinds: ['access', 'missed'] } })
  for (const key of ['a', 'no']) await cache.get(key)
  await changes.publish({ kind: 'tiers' })
  for (const key of ['a', 'no']) await cache.get(key)
  expect(loaded).toEqual(['a', 'no'])
  changes.receive({ kind: 'missed' })
  for (const key of ['a', 'no']) await cache.get(key)
  expect(loaded).toEqual(['a', 'no', 'a', 'no'])
})

test.each(['delete', 'deleteWhere', 'clear'] as const)('a load that began before %s is not cached', async (how) => {
  const answers = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
  let loads = 0
  const cache = createChangeCache({
    load: (_: string) => (answers[loads++] as (typeof answers)[0]).promise,
    maxSize: 10,
  })
  const before = cache.get('a')
  if (how === 'delete') cache.delete('a')
  else if (how === 'deleteWhere') cache.deleteWhere(() => true)
  else cache.clear()
  const after = cache.get('a')
  answers[1]?.resolve(2)
  expect(await after).toBe(2)
  answers[0]?.resolve(1)
  expect(await before).toBe(1)
  expect(cache.peek('a')).toBe(2)
})

test('deletes one key, or all keys whose values match', async () => {
  const { load, loaded } = recordingStore()
  const cache = createChangeCache({ load, maxSize: 10 })
  const keys = ['a', 'b', 'c', 'no']
  for (const key of keys) await cache.get(key)
  cache.delete('no')
  cache.deleteWhere((value) => value?.key === 'b')
  for (const key of keys) await cache.get(key)
  expect(loaded).toEqual([...keys, 'b', 'no'])
})

test('a change drops only its subject, also keys that do not exist; a change without a subject drops everything', async () => {
  const { load, loaded } = recordingStore()
  const changes = createChanges()
  const cache = createChangeCache({
    load,
    maxSize: 10,
    invalidatedBy: {
      changes,
      kinds: ['access', 'missed'],
      concerns: (ids, value, key) =>
        value === undefined ? key === 'no' && ids.includes('n') : ids.includes(value.key),
    },
  })
  const keys = ['a', 'b', 'no']
  const loadedAfter = async (change: Change): Promise<string[]> => {
    await changes.publish(change)
    const before = loaded.length
    for (const key of keys) await cache.get(key)
    return loaded.slice(before)
  }
  expect(await loadedAfter({ kind: 'tiers' })).toEqual(keys)
  expect(await loadedAfter({ kind: 'access', id: 'b' })).toEqual(['b'])
  expect(await loadedAfter({ kind: 'access', id: 'n' })).toEqual(['no'])
  expect(await loadedAfter({ kind: 'access', id: 'other' })).toEqual([])
  expect(await loadedAfter({ kind: 'missed' })).toEqual(keys)
  // sent by an instance of an earlier release
  expect(await loadedAfter({ kind: 'access' } as Change)).toEqual(keys)
})

test('a failed load is not cached', async () => {
  let loads = 0
  const load = async (): Promise<number> => {
    if (++loads === 1) throw new Error('unavailable')
    return loads
  }
  const cache = createChangeCache({ load, maxSize: 10 })
  await expect(cache.get('a')).rejects.toThrow('unavailable')
  expect(await cache.get('a')).toBe(2)
})
