/** An example call of an operation: the least that it accepts, with the person's own ids. */
import { bodyOf, type OpenApi, type Operation, resolved, type Schema } from './document.ts'

/** What the person chose, and the secrets that were pasted. Where there is none, a word stands in its place. */
export type OwnThings = {
  address: string
  enterpriseId: string | undefined
  ownerId: string | undefined
  sensor: { id: string; channels: readonly { name: string; measurement: string }[] } | undefined
  application: { id: string } | undefined
  toolApi: { id: string } | undefined
  /** The newest of what has no choice, by the word before its id in a path. */
  newest: Record<string, string | undefined>
  keys: { sensor: string; public: string; secret: string; toolApi: string; operator: string }
}

export type ExampleCall = {
  method: string
  url: string
  headers: [name: string, value: string][]
  json?: unknown
  form?: [name: string, value: string, isFile: boolean][]
}

const VALUES: Record<string, number | boolean> = { number: 21.5, whole: 3, boolean: true }

/** The id of a path's parameter: the word before it says what it names. */
function idFor(path: string, name: string, own: OwnThings): string {
  const before =
    path
      .slice(0, path.indexOf(`{${name}}`))
      .split('/')
      .at(-2) ?? ''
  const known: Record<string, string | undefined> = {
    sensors: own.sensor?.id,
    tracks: own.sensor?.id,
    enterprises: own.enterpriseId,
    owners: own.ownerId,
    applications: own.application?.id,
    'tool-apis': own.toolApi?.id,
    processes: 'vector.buffer',
    tiers: 'business',
    versions: '1',
    crs: '3857',
  }
  // files of runs are found by their keys, those of an owner by their ids
  const kind = name === 'key' ? 'stored' : before
  return known[before] ?? own.newest[kind] ?? name.toUpperCase()
}

const TRIANGLE = [
  [31.2, 30],
  [31.3, 30],
  [31.2, 30.1],
]
/** Where the least that a schema accepts is refused, or the schema does not tell what a text holds. */
const BY_NAME: Record<string, unknown> = {
  ...{ source_crs: 'EPSG:4326', target_crs: 'EPSG:3857', code: 4326 },
  ...{ polygon: TRIANGLE, coordinates: TRIANGLE },
  ...{ operations: { rotations: { 0: 90 } }, ranges: '1', stats: ['mean', 'max'], values: { name: 'Layla Haddad' } },
  placements: [{ page: 0, x: 0.6, y: 0.85, w: 0.3, h: 0.1 }],
  spec: { page: 'a4', maps: [{ extent: [31, 29.9, 31.5, 30.2], crs: 'EPSG:4326' }] },
}
/** Optional fields of which a tool needs one. */
const ONE_OF: Record<string, string> = { 'pdf-watermark': 'text', 'image-watermark': 'text' }
const DAY_MS = 86_400_000

export function exampleValue(schema: Schema | undefined, document: OpenApi, name = ''): unknown {
  const own = resolved(schema, document)
  if (BY_NAME[name] !== undefined) return BY_NAME[name]
  const given = own.example ?? own.examples?.[0] ?? own.const ?? own.default ?? own.enum?.[0]
  if (given !== undefined) return given
  const choices = own.anyOf ?? own.oneOf
  if (choices !== undefined)
    return exampleValue(choices.find((one) => one.type !== 'null') ?? choices[0], document, name)
  switch (Array.isArray(own.type) ? own.type[0] : own.type) {
    case 'object': {
      const { properties = {}, required = [] } = own
      return Object.fromEntries(required.map((field) => [field, exampleValue(properties[field], document, field)]))
    }
    case 'array':
      return own.minItems === undefined || own.minItems === 0
        ? []
        : Array.from({ length: own.minItems }, () => exampleValue(own.items, document, name))
    case 'integer':
    case 'number':
      return own.minimum ?? 1
    case 'boolean':
      return true
    default:
      return textFor(own, name)
  }
}

function textFor({ format }: Schema, name: string): string {
  if (format === 'date-time') return new Date(Date.now() - (name === 'from' ? DAY_MS : 0)).toISOString()
  if (name === 'email') return 'name@example.org'
  return name === 'name' ? 'Example' : name.toUpperCase()
}

/** One reading of now, with the channels of the sensor. */
function readingsBody(own: OwnThings): unknown {
  const channels = own.sensor?.channels ?? []
  const values = Object.fromEntries(channels.map(({ name, measurement }) => [name, VALUES[measurement] ?? 21.5]))
  return { readings: [{ at: new Date().toISOString(), values }] }
}

function headersOf({ security = [] }: Operation, { keys }: OwnThings): [string, string][] {
  const schemes = new Set(security.flatMap((one) => Object.keys(one)))
  const bearer = (key: string): [string, string] => ['Authorization', `Bearer ${key}`]
  if (schemes.has('sensorKey')) return [bearer(keys.sensor)]
  if (schemes.has('toolApiKey')) return [bearer(keys.toolApi)]
  if (schemes.has('keyPair'))
    return [
      ['X-Api-Key', keys.public],
      ['X-Api-Secret', keys.secret],
    ]
  if (schemes.has('operatorToken')) return [bearer(keys.operator)]
  return []
}

function queryOf({ parameters = [], document }: Operation, own: OwnThings): string {
  const query = new URLSearchParams()
  for (const { name, required, schema, ...parameter } of parameters) {
    if (parameter.in !== 'query' || required !== true) continue
    const channel = name === 'channel' ? own.sensor?.channels[0]?.name : undefined
    query.set(name, channel ?? String(exampleValue(schema, document, name)))
  }
  const text = query.toString()
  return text && `?${text}`
}

export function exampleOf(operation: Operation, own: OwnThings): ExampleCall {
  const { method, path, document, parameters = [] } = operation
  const stated = parameters.filter((one) => one.in === 'header' && one.required === true)
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(idFor(path, name, own)))
  const call: ExampleCall = {
    method,
    url: own.address + filled + queryOf(operation, own),
    headers: [
      ...headersOf(operation, own),
      ...stated.map(({ name, schema }): [string, string] => [name, String(exampleValue(schema, document, name))]),
    ],
  }
  const body = bodyOf(operation)
  if (body === undefined) return call
  if (body.kind === 'json') {
    const json = path.endsWith('/readings') ? readingsBody(own) : exampleValue(body.schema, document)
    return { ...call, headers: [...call.headers, ['Content-Type', 'application/json']], json }
  }
  const { properties = {}, required = [] } = resolved(body.schema, document)
  const also = ONE_OF[path.slice(path.lastIndexOf('/') + 1)]
  const fields = Object.keys(properties).filter((name) => required.includes(name) || name === also)
  return { ...call, form: fields.flatMap((name) => formFields(name, properties[name] ?? {}, document)) }
}

type FormField = [name: string, value: string, isFile: boolean]

function formFields(name: string, schema: Schema, document: OpenApi): FormField[] {
  const file = fileIn(schema, document)
  if (file !== undefined) {
    const count = Math.max(1, resolved(schema, document).minItems ?? 1)
    return Array.from({ length: count }, () => [name, fileNameFor(file.contentMediaType ?? ''), true])
  }
  const value = exampleValue(schema, document, name)
  return [[name, typeof value === 'string' ? value : JSON.stringify(value), false]]
}

/** A field may take a file, several files, or the key of a stored file instead. */
function fileIn(schema: Schema | undefined, document: OpenApi): Schema | undefined {
  const own = resolved(schema, document)
  if (own.contentEncoding === 'binary' || own.format === 'binary') return own
  if (own.type === 'array') return fileIn(own.items, document)
  for (const choice of own.anyOf ?? own.oneOf ?? []) {
    const file = fileIn(choice, document)
    if (file !== undefined) return file
  }
  return undefined
}

const ENDS: [part: string, end: string][] = [
  ['geo+json', 'geojson'],
  ['json', 'json'],
  ['pdf', 'pdf'],
  ['tiff', 'tif'],
  ['png', 'png'],
  ['jpeg', 'jpg'],
  ['csv', 'csv'],
  // any picture
  ['image/', 'png'],
]
const fileNameFor = (mediaType: string): string =>
  `input.${ENDS.find(([part]) => mediaType.includes(part))?.[1] ?? 'bin'}`
