/** Features found in the bytes of GeoJSON while they arrive, against JSON.parse of the whole text. */
import { expect, test } from 'bun:test'
import { createFeatureBytes } from '../src/portal/result/feature-bytes.ts'
import { type Random, seeded, whole } from './support/random.ts'

const SEED = 20_261_124

/** Adds the bytes in pieces of any length, which cut texts, escapes and characters. */
function read(text: string, random: Random): unknown[] {
  const all = new TextEncoder().encode(text)
  const bytes = createFeatureBytes(random() < 0.5 ? all.length : undefined)
  for (let at = 0; at < all.length; ) {
    const length = 1 + whole(random, random() < 0.5 ? 3 : 400)
    bytes.add(all.subarray(at, at + length))
    at += length
  }
  bytes.end()
  const found: unknown[] = []
  bytes.each(0, bytes.count(), (feature, index) => {
    expect(bytes.at(index)).toEqual(feature)
    found.push(feature)
  })
  return found
}

/** What the whole text has, or nothing where it is no GeoJSON. */
function truth(text: string): unknown[] | undefined {
  let parsed: { type?: unknown; features?: unknown } | null
  try {
    // a byte order mark is no part of the text
    parsed = JSON.parse(text.replace(/^\ufeff/, '')) as typeof parsed
  } catch {
    return undefined
  }
  if (parsed === null || typeof parsed !== 'object') return undefined
  if (parsed.type === 'FeatureCollection') return Array.isArray(parsed.features) ? parsed.features : undefined
  if (parsed.type === 'Feature') return [parsed]
  return parsed.type === 'Point' ? [{ properties: {}, geometry: parsed }] : undefined
}
function attempt(text: string, random: Random): unknown[] | undefined {
  try {
    return read(text, random)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined
    throw error
  }
}

const TEXTS = ['"', '\\', '\\"', '],"features":[', '{}[],:', 'عقدة', '🚧', '\u0000\n', '}', 'features']
const some = <T>(random: Random, list: readonly T[]): T => list[whole(random, list.length)] as T

function anyValue(random: Random, depth = 0): unknown {
  const kind = whole(random, depth > 2 ? 4 : 6)
  if (kind === 0) return some(random, TEXTS) + some(random, TEXTS)
  if (kind === 1) return (random() - 0.5) * 10 ** whole(random, 20)
  if (kind === 2) return some(random, [null, true, false, 0, -0.5e-7])
  if (kind === 3) return ''
  if (kind === 4) return Array.from({ length: whole(random, 4) }, () => anyValue(random, depth + 1))
  return Object.fromEntries(
    Array.from({ length: whole(random, 4) }, () => [some(random, TEXTS), anyValue(random, depth + 1)]),
  )
}
function anyFile(random: Random): string {
  const features = Array.from({ length: whole(random, 700) }, () =>
    random() < 0.02 ? anyValue(random) : { type: 'Feature', properties: anyValue(random), geometry: anyValue(random) },
  )
  const members: [string, unknown][] = [
    ['name', anyValue(random)],
    ['crs', { properties: { features: [1, 2] } }],
    ['features', features],
    ['type', 'FeatureCollection'],
  ]
  members.sort(() => random() - 0.5)
  const text = JSON.stringify(Object.fromEntries(members), undefined, some(random, [0, 1, '\t']))
  return random() < 0.2 ? `\ufeff${text}` : text
}

test('collections of any values, however they are cut', () => {
  const random = seeded(SEED)
  for (let round = 0; round < 40; round++) {
    const text = anyFile(random)
    expect(read(text, random)).toEqual(truth(text) as unknown[])
  }
})

test('a feature, a geometry, and collections with members that look like others', () => {
  const random = seeded(SEED)
  const texts = [
    '{"type":"Feature","properties":null,"geometry":null}',
    '{"type":"Feature","features":[1,2],"geometry":null}',
    '{"type":"Point","coordinates":[1,2]}',
    '{"type":"FeatureCollection","features":[]}',
    '{"features":[{"a":1}],"features":[{"a":2}],"type":"FeatureCollection"}',
    '{"fe\\u0061tures":[{"a":1}],"type":"FeatureCollection"}',
    ' { "type" : "FeatureCollection" , "features" : [ 1 , "x" , null , [ ] ] } ',
  ]
  for (const text of texts) expect([text, attempt(text, random)]).toEqual([text, truth(text)])
})

test('a file with a fault is refused exactly where JSON.parse refuses it', () => {
  const random = seeded(SEED)
  const marks = ['{', '}', '[', ']', ',', ':', '"', '\\', ' ', '1', '']
  const whole0 = '{"type":"FeatureCollection","x":{"features":[7]},"features":[{"a":"\\"]"},{"b":[1,2]},3],"z":1}'
  let refused = 0
  for (let round = 0; round < 4_000; round++) {
    const at = whole(random, whole0.length)
    const text = whole0.slice(0, at) + some(random, marks) + whole0.slice(at + whole(random, 2))
    const expected = truth(text)
    if (expected === undefined) refused++
    expect([text, attempt(text, random)]).toEqual([text, expected])
  }
  expect(refused).toBeGreaterThan(1_000)
})
