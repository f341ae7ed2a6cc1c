import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { formatTimestamp, parseTimestamp } from '../../../src/ingest/timestamp.ts'
import { runs } from '../../support/fuzz.ts'

const anyMs = fc.integer({ min: Date.parse('0000-01-01T00:00:00Z'), max: Date.parse('9999-12-31T23:59:59.999Z') })

test('writes the same text as Date, and reads it back', () => {
  fc.assert(
    fc.property(anyMs, (ms) => {
      const text = formatTimestamp(ms)
      expect(text).toBe(new Date(ms).toISOString())
      expect(parseTimestamp(text)).toBe(ms)
    }),
    runs(2_000),
  )
})

test('reads every offset like Date', () => {
  const offset = fc.tuple(fc.constantFrom('+', '-'), fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  fc.assert(
    fc.property(anyMs, offset, (ms, [sign, hour, minute]) => {
      const two = (n: number): string => String(n).padStart(2, '0')
      const text = `${new Date(ms).toISOString().slice(0, -1)}${sign}${two(hour)}:${two(minute)}`
      expect(parseTimestamp(text)).toBe(Date.parse(text))
    }),
    runs(2_000),
  )
})

test('reads the examples of RFC 3339', () => {
  // section 5.8, except for leap seconds, which milliseconds since 1970 cannot express
  expect(parseTimestamp('1985-04-12T23:20:50.52Z')).toBe(482_196_050_520)
  expect(parseTimestamp('1996-12-19T16:39:57-08:00')).toBe(851_042_397_000)
  expect(parseTimestamp('1937-01-01T12:00:27.87+00:20')).toBe(-1_041_337_172_130)
  expect(parseTimestamp('2026-11-20t10:00:00z')).toBe(Date.parse('2026-11-20T10:00:00Z'))
  // a longer fraction is truncated, not rounded
  expect(parseTimestamp('2026-11-20T10:00:00.123999999Z')).toBe(Date.parse('2026-11-20T10:00:00.123Z'))
  expect(parseTimestamp('2024-02-29T00:00:00Z')).toBe(Date.parse('2024-02-29T00:00:00Z'))
})

test.each([
  '2026-11-20T10:00:00', // no offset
  '2026-11-20T10:00Z', // no seconds
  '2026-11-20 10:00:00Z',
  '2026-11-20T10:00:00.Z',
  '2026-11-20T10:00:00+0100',
  '2026-11-20T10:00:00+01',
  '2026-11-20T10:00:00+24:00',
  '2026-11-20T10:00:00+01:60',
  '2026-02-29T10:00:00Z',
  '2026-04-31T10:00:00Z',
  '2026-13-01T10:00:00Z',
  '2026-00-01T10:00:00Z',
  '2026-01-00T10:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T10:60:00Z',
  '1990-12-31T23:59:60Z',
  '+002026-01-01T10:00:00Z',
  '20260101T100000Z',
  '2026-01-01T10:00:00Z ',
  '٢٠٢٦-01-01T10:00:00Z',
  '1795000000000',
  '',
])('refuses %p', (text) => {
  expect(parseTimestamp(text)).toBeNaN()
})
