/** Limits of line protocol that real bodies reach after hours, or never. */
import { expect, test } from 'bun:test'
import { takeSlots } from '../../../../src/ingest/line-protocol/group-points.ts'
import { createLines, resetLines } from '../../../../src/ingest/line-protocol/lines.ts'
import { readLines } from '../../../../src/ingest/line-protocol/parse-lines.ts'
import { decodeSeries, type LineSettings } from '../../../../src/ingest/line-protocol/series.ts'

test('stamps start again before they no longer fit into 32 bits', () => {
  const old = { stamp: 2 ** 31 - 2, stamps: new Int32Array(4).fill(2 ** 31 - 2), places: new Int32Array(4) }
  const slots = takeSlots([old])
  for (let point = 0; point < 20_000; point++) {
    slots.stamp++
    expect(slots.stamps.includes(slots.stamp)).toBe(false)
    slots.stamps[1] = slots.stamp
    expect(slots.stamps[1]).toBe(slots.stamp)
  }
  expect(takeSlots([slots]).stamp).toBe(20_000)
})

function seriesOf(line: string, settings: LineSettings) {
  const lines = createLines()
  resetLines(lines, new TextEncoder().encode(line), 'ns')
  while (readLines(lines, 1_000_000));
  return decodeSeries(lines, 0, settings)
}

test('a template or a prefix does not repeat long tags', () => {
  const long = `m,a=${'x'.repeat(60_000)} f=1`
  expect(seriesOf(long, { sensor: '{a}'.repeat(66) })).toEqual({ sensor: undefined, prefix: '' })
  expect(seriesOf(long, { channelTags: ['a'] })).toMatchObject({ prefix: 'x'.repeat(400) })
  const short = `m,a=${'x'.repeat(200)} f=1`
  expect(seriesOf(short, { sensor: '{a}{a}' })).toMatchObject({ sensor: 'x'.repeat(400) })
  expect(seriesOf(short, { sensor: '{a}{a}{measurement}' })).toMatchObject({ sensor: undefined })
})
