/** Rate windows in memory with keys that callers choose, such as addresses. */
import { expect, test } from 'bun:test'
import { createMemoryRateWindows } from '../../../src/access/rate-windows.ts'

const MINUTE_MS = 60_000

test('expired windows are dropped and seeded again; windows with counts stay', async () => {
  let nowMs = 1_000 * MINUTE_MS
  const seeded = new Map<string, number>()
  const windows = createMemoryRateWindows(
    async (key) => {
      seeded.set(key, (seeded.get(key) ?? 0) + 1)
      return []
    },
    () => nowMs,
  )
  await windows.take('old', 1, 1, MINUTE_MS)
  nowMs += 3 * MINUTE_MS
  for (let i = 0; i < 10_000; i++) expect(await windows.take(`address ${i}`, 1, 1, MINUTE_MS)).toBe(0)
  // every window of this minute still has its count
  for (let i = 0; i < 10_000; i++) expect(await windows.take(`address ${i}`, 1, 1, MINUTE_MS)).toBeGreaterThan(0)
  expect(seeded.get('address 5000')).toBe(1)
  // the window of three minutes ago was dropped when there were ten thousand
  expect(await windows.take('old', 1, 1, MINUTE_MS)).toBe(0)
  expect(seeded.get('old')).toBe(2)
})
