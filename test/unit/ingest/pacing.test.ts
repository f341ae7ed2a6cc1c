/** The pace of responses, with a simulated fleet and ClickHouse in simulated time. */
import { expect, test } from 'bun:test'
import { createPacing } from '../../../src/ingest/pacing.ts'
import { killRandom } from '../../support/random.ts'

const CALL_BYTES = 37_000
const SEGMENT_BYTES = 32 * 2 ** 20
const RATE = 40e6
const CONNECTIONS = 64

/**
 * A fleet that calls as fast as it is answered, or `bytesPerSecond` spread evenly, and a ClickHouse whose inserts take
 * 0.7 to 1.3 times the usual time.
 */
function simulate(seconds: number, bytesPerSecond: number, seed: string, backlogBytes = 0) {
  const random = killRandom('pacing.test.ts')(seed)
  let [onDisk, nowMs, acceptedBytes] = [backlogBytes, 0, 0]
  let inserting: { bytes: number; sinceMs: number; endMs: number } | undefined
  const wal = { bytesOnDisk: () => onDisk }
  const loader = {
    bytesPerSecond: () => RATE,
    failing: () => false,
    checking: () => ({ segments: 0, bytes: 0 }),
    storedBytes: (atMs: number) =>
      inserting === undefined ? 0 : Math.min(inserting.bytes, ((atMs - inserting.sinceMs) * RATE) / 1000),
  }
  const waitOf = createPacing(wal, loader, { ceilingBytes: 2 ** 40, segmentBytes: SEGMENT_BYTES })
  const nextMs = Array.from({ length: CONNECTIONS }, () => 0)
  const everyMs = (CALL_BYTES * 1000) / bytesPerSecond
  const waits: number[] = []
  for (let calls = 0; nowMs < seconds * 1000; calls++) {
    const first = nextMs.indexOf(Math.min(...nextMs))
    nowMs = Math.max(nextMs[first] as number, calls * everyMs)
    if (inserting !== undefined && nowMs >= inserting.endMs) {
      onDisk -= inserting.bytes
      inserting = undefined
    }
    if (inserting === undefined && onDisk >= SEGMENT_BYTES) {
      const durationMs = ((SEGMENT_BYTES * 1000) / RATE) * (0.7 + 0.6 * random())
      inserting = { bytes: SEGMENT_BYTES, sinceMs: nowMs, endMs: nowMs + durationMs }
    }
    onDisk += CALL_BYTES
    acceptedBytes += CALL_BYTES
    const waitMs = waitOf(CALL_BYTES, nowMs)
    waits.push(waitMs)
    // the call itself takes a millisecond
    nextMs[first] = nowMs + waitMs + 1
  }
  const settled = waits.slice(waits.length >> 2).sort((a, b) => a - b)
  return {
    share: acceptedBytes / seconds / RATE,
    p99Ms: settled[Math.floor(settled.length * 0.99)] as number,
    longestMs: settled.at(-1) as number,
    firstMs: Math.max(...waits.slice(0, 1_000)),
  }
}

test('a fleet at full speed is slowed to the rate of loading, and its connections wait about equally long', () => {
  const { share, p99Ms, longestMs } = simulate(120, Number.POSITIVE_INFINITY, 'full')
  expect(share).toBeGreaterThan(0.95)
  expect(share).toBeLessThan(1.05)
  const evenMs = (CONNECTIONS * CALL_BYTES * 1000) / RATE
  expect(p99Ms).toBeLessThan(2 * evenMs)
  expect(longestMs).toBeLessThan(250)
})

test('half of the rate never waits, even right after a peak', () => {
  const { longestMs, firstMs } = simulate(60, RATE / 2, 'half', 2 * RATE)
  expect(firstMs).toBeLessThan(10)
  expect(longestMs).toBe(0)
})

test('no response waits longer than half a second, and none while ClickHouse is unavailable', () => {
  const loader = { bytesPerSecond: () => RATE, checking: () => ({ segments: 0, bytes: 0 }), storedBytes: () => 0 }
  const sizes = { ceilingBytes: 2 ** 40, segmentBytes: SEGMENT_BYTES }
  const wal = { bytesOnDisk: () => 20 * RATE }
  const waitOf = createPacing(wal, { ...loader, failing: () => false }, sizes)
  for (let i = 0; i < 100; i++) expect(waitOf(CALL_BYTES, 1_000)).toBeLessThanOrEqual(500)
  expect(waitOf(CALL_BYTES, 1_000)).toBe(500)
  expect(createPacing(wal, { ...loader, failing: () => true }, sizes)(CALL_BYTES, 1_000)).toBe(0)
})

test('responses wait for stored segments that alert rules have not judged yet, more with each of them', () => {
  let unjudgedBytes = 0
  const wal = { bytesOnDisk: () => 0 }
  const loader = {
    bytesPerSecond: () => RATE,
    failing: () => false,
    checking: () => ({ segments: 0, bytes: 0 }),
    storedBytes: () => 0,
  }
  const limits = { ceilingBytes: 8 * SEGMENT_BYTES, segmentBytes: SEGMENT_BYTES, unjudgedBytes: () => unjudgedBytes }
  const waitOf = createPacing(wal, loader, limits)
  const waits = [0, 4, 5, 6, 10].map((segments) => {
    unjudgedBytes = segments * SEGMENT_BYTES
    return waitOf(CALL_BYTES, 0)
  })
  expect(waits).toEqual([0, 0, 5, 10, 30])
})
