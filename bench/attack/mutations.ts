/**
 * Mutated requests over every route: of each operation of the API descriptions, with every kind of credential, ids of
 * the attacker and hostile ones, broken queries, and bodies that are examples with some bytes changed.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { isFileField, takesForm } from '../../src/tools/check.ts'
import { loadRegistry } from '../../src/tools/registry.ts'
import type { Tool } from '../../src/tools/tool.ts'
import { type Random, seeded, whole } from '../../test/support/random.ts'
import { FIXTURES, GIS } from '../../test/support/workers/tools.ts'
import type { World } from './world.ts'

export type Mutation = { what: string; path: string; init: RequestInit }
type Operation = { method: string; path: string; parameters: string[]; tool: Tool | undefined }
type Documented = Record<string, Record<string, { parameters?: { in: string; name: string }[] }>>

async function operationsOf(url: string): Promise<Operation[]> {
  const { tools } = await loadRegistry()
  const toolOf = new Map(tools.map((tool) => [GIS + tool.route, tool]))
  const found: Operation[] = []
  for (const document of ['/openapi.json', `${GIS}/openapi.json`]) {
    const { paths } = (await (await fetch(url + document)).json()) as { paths: Documented }
    for (const [path, methods] of Object.entries(paths))
      for (const [method, { parameters = [] }] of Object.entries(methods))
        found.push({
          method: method.toUpperCase(),
          path,
          tool: toolOf.get(path),
          parameters: parameters.filter((one) => one.in === 'query').map(({ name }) => name),
        })
  }
  return found
}

const HOSTILE = [
  '',
  '0',
  '-1',
  '1e308',
  'NaN',
  'null',
  'true',
  '\0',
  '..',
  '../../etc/passwd',
  '%00',
  '%2e%2e%2f',
  "' OR 1=1 --",
  '{}',
  '[]',
  '𝒳'.repeat(50),
  '\u202e',
  'a'.repeat(5_000),
  '9'.repeat(400),
  '2026-13-45T99:99:99Z',
  '{{7*7}}',
]
const pick = <T>(random: Random, all: readonly T[]): T => all[whole(random, all.length)] as T

/** Changes a few bytes: flips, critical values, cuts, repeats. */
export function mutated(random: Random, original: Uint8Array): Uint8Array<ArrayBuffer> {
  let bytes = new Uint8Array(original)
  for (let edits = 1 + whole(random, 6); edits > 0 && bytes.length > 0; edits--) {
    const at = whole(random, random() < 0.5 ? Math.min(128, bytes.length) : bytes.length)
    switch (whole(random, 5)) {
      case 0:
        bytes[at] = (bytes[at] as number) ^ (1 << whole(random, 8))
        break
      case 1:
        bytes.fill(pick(random, [0, 0x7f, 0x80, 0xff]), at, at + 1 + whole(random, 8))
        break
      case 2:
        bytes = bytes.slice(0, at)
        break
      case 3:
        bytes = new Uint8Array([...bytes.subarray(0, at), ...bytes.subarray(at + 1 + whole(random, 64))])
        break
      default: {
        const piece = bytes.subarray(at, at + 1 + whole(random, 64))
        bytes = new Uint8Array([...bytes.subarray(0, at), ...piece, ...piece, ...bytes.subarray(at)])
      }
    }
  }
  return bytes
}

const fixtures = new Map<string, Uint8Array>()
function fixture(name: string): Uint8Array {
  const known = fixtures.get(name) ?? readFileSync(join(FIXTURES, name))
  fixtures.set(name, known)
  return known
}

function formFor(random: Random, tool: Tool): FormData {
  const { input } = pick(random, tool.examples)
  const form = new FormData()
  for (const [field, value] of Object.entries(input)) {
    const schema = tool.input.properties[field]
    for (const one of Array.isArray(value) && schema !== undefined && isFileField(schema) ? value : [value]) {
      if (random() < 0.03) continue
      if (schema !== undefined && isFileField(schema) && typeof one === 'string') {
        const bytes = random() < 0.2 ? fixture(one) : mutated(random, fixture(one))
        const name = random() < 0.1 ? pick(random, HOSTILE) : one
        form.append(field, new File([bytes as Uint8Array<ArrayBuffer>], name))
      } else form.append(field, random() < 0.2 ? pick(random, HOSTILE) : textOf(one))
    }
  }
  if (random() < 0.1) form.append(pick(random, HOSTILE) || 'x', pick(random, HOSTILE))
  return form
}
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const JSON_EXAMPLES = [
  { name: 'x', tier: 'business' },
  { name: 'x', geojson: { type: 'Point', coordinates: [1, 2] } },
  { channels: [{ name: 'a', measurement: 'number' }], assetName: 'x' },
  { readings: [{ at: '2026-05-01T00:00:00Z', values: { level: 1 }, location: [1, 2] }] },
  { input: { type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [1, 2] } } },
  { layerId: 'lay_x', when: 'enter', all: true },
  { upsert: [{ type: 'Feature', properties: {}, geometry: null }], delete: ['a'] },
  { email: 'a@example.org', plan: 'free' },
]

function bodyFor(random: Random, { method, tool }: Operation): RequestInit {
  if (method === 'GET') return {}
  if (tool !== undefined && takesForm(tool) && random() < 0.9) return { body: formFor(random, tool) }
  const example = tool === undefined ? pick(random, JSON_EXAMPLES) : pick(random, tool.examples).input
  let body: Uint8Array<ArrayBuffer> = new TextEncoder().encode(JSON.stringify(example))
  if (random() < 0.8) body = mutated(random, body)
  const types = [
    ...Array<string>(8).fill('application/json'),
    'application/geo+json',
    'text/plain',
    'multipart/form-data',
  ]
  const headers: Record<string, string> = { 'content-type': pick(random, types) }
  if (random() < 0.2) {
    body = new Uint8Array(gzipSync(body))
    if (random() < 0.5) body = mutated(random, body)
    headers['content-encoding'] = pick(random, ['gzip', 'zstd', 'br', 'gzip, gzip'])
  }
  return { headers, body }
}

const PREFIXES: Record<string, string> = {
  enterprises: 'ent_',
  owners: 'ent_',
  applications: 'app_',
  sensors: 'sen_',
  tracks: 'sen_',
  layers: 'lay_',
  'tool-apis': 'tap_',
}

/** Mostly the attacker's own thing of the right kind. */
function idFor(random: Random, collection: string, ids: readonly string[]): string {
  if (random() < 0.15) return pick(random, HOSTILE) || 'x'
  const own = ids.find((id) => id.startsWith(PREFIXES[collection] ?? '?'))
  return own !== undefined && random() < 0.8 ? own : pick(random, ids)
}

/** @returns a generator that gives the same requests for the same seed and server */
export async function mutations(world: World, seed: number): Promise<() => Mutation> {
  const { attacker, operator, server } = world
  const operations = await operationsOf(server.url)
  const random = seeded(seed)
  const wrong = { authorization: 'Bearer wrong', 'x-api-key': 'svc_pk_wrong', 'x-api-secret': 'wrong' }
  const credentials = { attacker: attacker.pair, sensor: attacker.sensor.bearer, toolApi: attacker.toolApi.bearer }
  const all: Record<string, Record<string, string>> = { ...credentials, operator, wrong, none: {} }
  const names = Object.keys(all)

  return () => {
    const operation = pick(random, operations)
    // most requests have the right kind of key, so that they get behind the gate
    const right = operation.path.startsWith('/manage')
      ? 'operator'
      : operation.path.startsWith('/sensors')
        ? 'sensor'
        : operation.path.startsWith('/tool-apis')
          ? 'toolApi'
          : 'attacker'
    const name = random() < 0.7 ? right : pick(random, names)
    // a deleted attacker could not continue
    const ids = operation.method === 'DELETE' ? ['unknown'] : [...attacker.ids, 'unknown']
    const path = operation.path.replace(/(?<=\/([\w-]+)\/)\{\w+\}/g, (_, collection: string) =>
      encodeURIComponent(idFor(random, collection, ids)),
    )
    const query = operation.parameters
      .filter(() => random() < 0.5)
      .map((parameter) => `${parameter}=${encodeURIComponent(pick(random, [...HOSTILE, 'all', '10', 'csv']))}`)
    const { headers, ...init } = bodyFor(random, operation)
    const odd: Record<string, string> = {}
    if (random() < 0.1) odd.range = pick(random, ['bytes=0-', 'bytes=-1', 'bytes=9-1', 'bytes=0-1,3-4', 'x'])
    if (random() < 0.1) odd['idempotency-key'] = `k${whole(random, 50)}`
    if (random() < 0.05) odd.prefer = 'respond-async'
    return {
      what: `${operation.method} ${path.slice(0, 120)} as ${name}`,
      path: path + (query.length > 0 ? `?${query.join('&')}` : ''),
      init: { ...init, method: operation.method, headers: { ...(headers as object), ...all[name], ...odd } },
    }
  }
}
