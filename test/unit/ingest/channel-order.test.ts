/** Channels are found by the bytes of their names, in any order, without holding the thread. */
import { expect, test } from 'bun:test'
import { createBatch, sensorProfile } from '../../../src/ingest/batch.ts'
import { scanBatch } from '../../../src/ingest/scan.ts'
import { validateBody, validateReadings } from '../../../src/ingest/validate.ts'
import { snapshot } from '../../support/ingest/body-outcome.ts'
import { seeded, testSeed } from '../../support/random.ts'

const NOW = Date.now()
const READINGS = 70

/** The processor's time of a call, in the best of five runs. */
function msOf(body: Uint8Array, profile: Parameters<typeof validateBody>[1]): number {
  const runs = Array.from({ length: 5 }, () => {
    const batch = createBatch()
    const before = process.cpuUsage()
    validateBody(body, profile, batch, NOW)
    const { user, system } = process.cpuUsage(before)
    expect([batch.count, batch.refused.length]).toEqual([READINGS, 0])
    return (user + system) / 1_000
  })
  return Math.min(...runs)
}

test('256 channels in another order in each reading are found as fast as in the usual order', () => {
  const names = Array.from({ length: 256 }, (_, i) => `Temperatur im Kühlhaus "Nord", Messstelle ${i}`)
  const profile = sensorProfile(
    1,
    1,
    90,
    names.map((name, i) => ({ number: i + 1, name, measurement: 'number' as const })),
  )
  const bodyOf = (orderOf: (i: number) => readonly string[]): Uint8Array => {
    const readings = Array.from({ length: READINGS }, (_, i) => ({
      at: new Date(NOW - READINGS + i).toISOString(),
      values: Object.fromEntries(orderOf(i).map((name) => [name, i])),
    }))
    return new TextEncoder().encode(JSON.stringify({ readings }))
  }
  const usual = msOf(
    bodyOf(() => names),
    profile,
  )
  expect(
    msOf(
      bodyOf((i) => (i % 2 === 0 ? names : names.toReversed())),
      profile,
    ),
  ).toBeLessThan(usual * 15)
})

test('names with escapes, and names that begin alike, are the channels that JSON.parse finds', () => {
  const random = seeded(testSeed)
  const parts = ['a', '"', '\\', 'ق', ' ', '1', '😀']
  const names = [
    ...new Set(
      Array.from({ length: 120 }, (_, i) => parts.map((part) => part.repeat(i % 4)).join('') + 'a'.repeat(i % 40)),
    ),
  ].filter((name) => name !== '')
  expect(names.length).toBeGreaterThan(20)
  const profile = sensorProfile(
    1,
    1,
    90,
    names.map((name, i) => ({ number: i + 1, name, measurement: 'number' as const })),
  )
  for (let round = 0; round < 200; round++) {
    const used = names.filter(() => random() < 0.5).toSorted(() => random() - 0.5)
    if (round % 5 === 4) used.push(`${names[0]}x`)
    if (used.length === 0) continue
    const reading = {
      at: new Date(NOW - 1).toISOString(),
      values: Object.fromEntries(used.map((name, i) => [name, i])),
    }
    const [scanned, parsed] = [createBatch(), createBatch()]
    const limits = [NOW - 1_000, NOW + 1_000] as const
    const isScanned = scanBatch(
      new TextEncoder().encode(JSON.stringify({ readings: [reading] })),
      profile,
      scanned,
      ...limits,
    )
    validateReadings([reading], profile, parsed, ...limits)
    expect([round, isScanned]).toEqual([round, parsed.refused.length === 0])
    if (isScanned) expect(snapshot(scanned)).toEqual(snapshot(parsed))
  }
})
