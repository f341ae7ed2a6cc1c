/** Calls of one caller at a time. */
import { expect, test } from 'bun:test'
import { createConcurrencyLimit } from '../../../src/access/concurrency-limit.ts'

test('calls beyond the limit wait in order, calls of others do not, and too many are refused', async () => {
  const turns = createConcurrencyLimit({ running: 2, waiting: 2 })
  const order: string[] = []
  const gates = new Map<string, PromiseWithResolvers<void>>()
  const call = (name: string): Promise<unknown> =>
    turns
      .run(name[0] as string, async () => {
        order.push(name)
        const gate = Promise.withResolvers<void>()
        gates.set(name, gate)
        await gate.promise
        if (name === 'a2') throw new Error('failed')
      })
      .then(
        () => 'done',
        (error) => error.code ?? error.message,
      )
  const calls = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1'].map(call)
  expect(order).toEqual(['a1', 'a2', 'b1'])
  expect(await calls[4]).toBe('RATE_LIMITED')
  // a failed call passes its turn on too
  for (const name of ['a2', 'a1', 'b1']) gates.get(name)?.resolve()
  expect(await Promise.all([calls[0], calls[1], calls[5]])).toEqual(['done', 'failed', 'done'])
  expect(order).toEqual(['a1', 'a2', 'b1', 'a3', 'a4'])
  for (const name of ['a3', 'a4']) gates.get(name)?.resolve()
  expect(await Promise.all([calls[2], calls[3]])).toEqual(['done', 'done'])
  const later = call('a6')
  expect(order.at(-1)).toBe('a6')
  gates.get('a6')?.resolve()
  expect(await later).toBe('done')
})
