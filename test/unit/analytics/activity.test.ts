/** Memory and rows for recorded refusals are bounded, for any number of refusals. */
import { expect, test } from 'bun:test'
import { startActivity } from '../../../src/analytics/fleet/activity.ts'
import { EXAMPLE_BYTES, exampleOfBody, exampleOfValue } from '../../../src/analytics/fleet/refusal-example.ts'
import type { ClickHouse } from '../../../src/stores/clickhouse/client.ts'

test('a million refusals of 50,000 sensors are at most 10,000 rows and 200 examples', async () => {
  const rows: { sensor: number; count: number; example: string }[] = []
  const write = async (_: string, params: Record<string, unknown> = {}): Promise<void> => {
    const { sensors, counts, examples } = params as { sensors: number[]; counts: number[]; examples: string[] }
    for (const [i, sensor] of sensors.entries())
      rows.push({ sensor, count: counts[i] as number, example: examples[i] as string })
  }
  const failures: unknown[] = []
  const activity = startActivity({ write } as unknown as ClickHouse, (error) => failures.push(error))
  const nowMs = Date.now()
  const reading = { at: 'x'.repeat(100_000), values: {} }
  let examples = 0
  const example = (): string => {
    examples++
    return exampleOfValue(reading)
  }
  // synchronous, so that nothing is written meanwhile
  for (let i = 0; i < 1_000_000; i++)
    activity.refused({ enterprise: 1, sensor: 1 + (i % 50_000) }, 'SENSOR_READING_AT_INVALID', 1, nowMs, false, example)
  await activity.stop()
  expect(failures).toEqual([])
  expect(rows).toHaveLength(10_000)
  expect(rows.every(({ count }) => count === 20)).toBe(true)
  expect(rows.filter((row) => row.example !== '')).toHaveLength(200)
  expect(examples).toBe(200)
  for (const row of rows) expect(Buffer.byteLength(row.example)).toBeLessThanOrEqual(EXAMPLE_BYTES)
})

test('examples are never cut within a character', () => {
  for (const text of ['ق'.repeat(2000), '😀'.repeat(2000), `a${'😀'.repeat(2000)}`, '\ud800'.repeat(3000)]) {
    const example = exampleOfValue({ at: text })
    expect(Buffer.byteLength(example)).toBeLessThanOrEqual(EXAMPLE_BYTES)
    expect(example.isWellFormed()).toBe(true)
    expect(example.endsWith('…')).toBe(true)
  }
  expect(exampleOfBody(new Uint8Array([0xff, 0xfe, 0x41, 0x00]))).toBe('\ufffd\ufffdA\ufffd')
  expect(exampleOfValue({ a: [1, 'b', null, true, { c: undefined }] })).toBe('{"a":[1,"b",null,true,{"c":null}]}')
})
