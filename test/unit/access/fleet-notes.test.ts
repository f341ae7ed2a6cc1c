/** What is counted of fleet keys, while the store that it is written to fails. */
import { afterEach, expect, test } from 'bun:test'
import { type FleetNotes, startFleetNotes } from '../../../src/access/fleet/fleet-notes.ts'
import type { FleetCounts } from '../../../src/stores/postgres/sensors/fleet-senders.ts'

const opened: FleetNotes[] = []
afterEach(async () => {
  for (const notes of opened.splice(0)) await notes.stop()
})

function openNotes() {
  const written: FleetCounts[] = []
  const errors: unknown[] = []
  const store = { isDown: false }
  const notes = startFleetNotes(
    async (counts) => {
      if (store.isDown) throw new Error('the store is down')
      written.push(counts)
    },
    (error) => errors.push(error),
  )
  opened.push(notes)
  const calls = (): number => written.reduce((sum, counts) => sum + (counts.calls.get('flk_1') ?? 0), 0)
  const refused = (): number => written.flatMap(({ refusals }) => refusals).reduce((sum, { count }) => sum + count, 0)
  return { notes, store, written, errors, calls, refused }
}

test('what could not be written is written once when the store is back, and what came meanwhile too', async () => {
  const { notes, store, written, errors, calls, refused } = openNotes()
  store.isDown = true
  for (let i = 1; i <= 3; i++) {
    notes.called('flk_1')
    notes.refused('flk_1', [{ name: `device ${i}`, reason: 'SENSOR_UNKNOWN' }], i * 1_000)
    notes.waited('flk_1', 'new device', i * 1_000)
    await notes.flush()
  }
  expect({ written, errors: errors.map(String) }).toEqual({
    written: [],
    errors: Array(3).fill('Error: the store is down'),
  })
  store.isDown = false
  await notes.flush()
  await notes.flush()
  expect({ calls: calls(), refused: refused() }).toEqual({ calls: 3, refused: 3 })
  const refusals = written.flatMap((counts) => counts.refusals)
  expect(refusals.map(({ name }) => name).toSorted()).toEqual(['device 1', 'device 2', 'device 3'])
  expect(Math.max(...written.flatMap(({ pending }) => pending).map(({ lastMs }) => lastMs))).toBe(3_000)
})

test('a flood of different names of many keys is counted without them, so that it fits into memory', async () => {
  const { notes, store, written, refused } = openNotes()
  store.isDown = true
  const sent = 40_000
  for (let i = 0; i < sent; i++) {
    notes.refused(`flk_${i % 40}`, [{ name: `invented ${i}`, reason: 'SENSOR_UNKNOWN' }], i)
    if (i === sent / 2) await notes.flush()
  }
  store.isDown = false
  await notes.flush()
  expect(refused()).toBe(sent)
  for (const { refusals } of written) expect(refusals.length).toBeLessThanOrEqual(10_000 + 40)
})
