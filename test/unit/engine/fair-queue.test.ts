/** The order in which waiting runs start, and which is refused when too many wait. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { FairQueue } from '../../../src/engine/fair-queue.ts'

const always = (): boolean => true

function queueOf(...names: string[]) {
  const queue = new FairQueue<{ tenant: string; name: string }>()
  for (const name of names) queue.add({ tenant: name[0] as string, name })
  return queue
}

test('tenants take turns, and the runs of each keep their order', () => {
  const queue = queueOf('a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1')
  const order = Array.from({ length: 7 }, () => queue.take(always)?.name)
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
  expect(queue.take(always)).toBeUndefined()
})

test('a tenant whose runs cannot start does not block others', () => {
  const queue = queueOf('a1', 'a2', 'b1')
  expect(queue.take(({ tenant }) => tenant !== 'a')?.name).toBe('b1')
  expect(queue.take(({ name }) => name === 'a2')?.name).toBe('a2')
  expect(queue.length).toBe(1)
})

test('one tenant fills only its share, and when all are full the longest queue loses a run', () => {
  const limits = { total: 6, perTenant: 4 }
  const queue = queueOf()
  const add = (name: string): string | undefined => {
    const run = { tenant: name[0] as string, name }
    queue.add(run)
    return queue.takeExcess(limits, run)?.name
  }
  expect(['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2'].map(add)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    'a5',
    undefined,
    undefined,
  ])
  // six wait: the seventh is accepted, because another tenant has more
  expect(add('c1')).toBe('a4')
  expect(add('a6')).toBe('a6')
  expect(['c2', 'b3'].map(add)).toEqual(['a3', 'b3'])
})

test('no tenant is served twice while another one waits', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 60 }), (tenants) => {
      const queue = new FairQueue<{ tenant: string }>()
      for (const tenant of tenants) queue.add({ tenant })
      const left = Map.groupBy<string, string>(tenants, (tenant) => tenant)
      const servedSince = new Map<string, Set<string>>()
      for (let run = queue.take(always); run !== undefined; run = queue.take(always)) {
        const { tenant } = run
        const others = [...left].filter(([name, all]) => name !== tenant && all.length > 0)
        const since = servedSince.get(tenant)
        if (since !== undefined) for (const [name] of others) expect(since.has(name)).toBe(true)
        servedSince.set(tenant, new Set())
        for (const set of servedSince.values()) set.add(tenant)
        left.get(tenant)?.pop()
      }
      expect([...left.values()].every((all) => all.length === 0)).toBe(true)
    }),
  )
})
