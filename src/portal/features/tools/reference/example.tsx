/**
 * An example call of an operation: the minimal input that it accepts, with the person's own ids. A secret can be pasted
 * to complete the examples; it stays in the memory of this tab.
 */
import { signal } from '@preact/signals'
import { api, dataOf } from '../../../api/client.ts'
import { queryValue, setQuery } from '../../../shell/router.ts'
import { enterpriseId, may, ownerId } from '../../../shell/session.ts'
import type { TextKey } from '../../../text/catalogue.ts'
import { isolated, t } from '../../../text/text.ts'
import { SelectField, TextField } from '../../../ui/field.tsx'
import { bearer, type Call, type FormPart, pairHeaders, readingsOf, type SnippetChannel } from '../../../ui/snippets.ts'
import { bodyOf, type OpenApi, type Operation, resolved, type Schema } from './document.ts'

type Key = { lastFour: string; revokedAt: string | null; publicKey?: string }
type Thing = { id: string; name: string; keys: Key[]; channels?: (SnippetChannel & { active: boolean })[] }
/**
 * Records to choose from; `newest` has ids that nobody remembers, such as the id of the newest run, by their word in
 * paths.
 */
export type Choices = Record<keyof typeof CHOSEN, Thing[]> & { newest: Record<string, string | undefined> }

const CHOSEN = {
  sensor: { label: 'sensor.page', inPath: /\/(sensors|tracks)\// },
  application: { label: 'applications.one', inPath: /\/applications\// },
  toolApi: { label: 'toolApis.page', inPath: /\/tool-apis\// },
} satisfies Record<string, { label: TextKey; inPath: RegExp }>
const KINDS = Object.keys(CHOSEN) as (keyof typeof CHOSEN)[]
type Kind = keyof typeof CHOSEN | 'operator'
const SCHEMES: Record<string, Kind> = {
  sensorKey: 'sensor',
  toolApiKey: 'toolApi',
  keyPair: 'application',
  operatorToken: 'operator',
}
/** The kind of key that a call takes; undefined for a call with a session only, or without authentication. */
export const kindOf = ({ security = [] }: Operation): Kind | undefined =>
  security.flatMap((one) => Object.keys(one)).flatMap((scheme) => SCHEMES[scheme] ?? [])[0]

export async function loadChoices(signal: AbortSignal): Promise<Choices> {
  const [id, owner] = [enterpriseId.peek(), ownerId.peek()]
  const { administer, keep } = may.peek()
  const none = { items: [] }
  const ofEnterprise = { params: { path: { id: id ?? '' }, query: { limit: 200 } }, signal }
  const ofOwner = { params: { path: { ownerId: owner ?? '' }, query: { limit: 200 } }, signal }
  const first = { query: { limit: 1 } }
  const newest = { params: { path: { ownerId: owner ?? '' }, ...first }, signal }
  const [sensors, applications, toolApis, runs, jobs, layers, files] = await Promise.all([
    id === undefined ? none : dataOf(api.GET('/manage/v1/enterprises/{id}/sensors', ofEnterprise)),
    id === undefined || !administer ? none : dataOf(api.GET('/manage/v1/enterprises/{id}/applications', ofEnterprise)),
    owner === undefined || !keep ? none : dataOf(api.GET('/manage/v1/owners/{ownerId}/tool-apis', ofOwner)),
    owner === undefined ? none : dataOf(api.GET('/enterprise/v1/gis/runs', { params: first, signal })),
    owner === undefined ? none : dataOf(api.GET('/enterprise/v1/gis/jobs', { params: first, signal })),
    owner === undefined ? none : dataOf(api.GET('/manage/v1/owners/{ownerId}/layers', newest)),
    owner === undefined ? none : dataOf(api.GET('/manage/v1/owners/{ownerId}/files', newest)),
  ])
  const [run, artifact] = [runs.items[0], runs.items[0]?.artifacts[0]]
  return {
    sensor: sensors.items,
    application: applications.items,
    toolApi: toolApis.items,
    newest: {
      runs: run?.runId ?? undefined,
      artifacts: artifact?.artifactId,
      stored: artifact?.key,
      jobs: jobs.items[0]?.jobID,
      layers: layers.items[0]?.id,
      files: files.items[0]?.id,
    },
  }
}

const pasted = signal<Partial<Record<Kind, string>>>({})

const currentKey = (thing: Thing | undefined): Key | undefined =>
  thing?.keys.findLast(({ revokedAt }) => revokedAt === null)
const chosen = (choices: Choices | undefined, kind: keyof typeof CHOSEN): Thing | undefined =>
  choices?.[kind].find(({ id }) => id === queryValue(kind)) ?? choices?.[kind][0]

/** @param choices undefined when they could not be loaded: placeholders are shown instead of ids then */
function ownThings(choices: Choices | undefined) {
  const [sensor, toolApi] = [chosen(choices, 'sensor'), chosen(choices, 'toolApi')]
  const application = chosen(choices, 'application')
  /** A placeholder shows which key to insert where none was pasted. */
  const secretOf = (kind: Kind, word: string, thing?: Thing): string => {
    const key = currentKey(thing)
    return pasted.value[kind]?.trim() || `YOUR_${word}${key === undefined ? '' : `_ENDING_IN_${key.lastFour}`}`
  }
  return {
    ids: {
      sensors: sensor?.id,
      tracks: sensor?.id,
      applications: application?.id,
      'tool-apis': toolApi?.id,
      enterprises: enterpriseId.value,
      owners: ownerId.value,
      ...choices?.newest,
      processes: 'vector.buffer',
      tiers: 'business',
      versions: '1',
      crs: '3857',
    },
    channels: sensor?.channels?.filter(({ active }) => active) ?? [],
    publicKey: currentKey(application)?.publicKey ?? 'YOUR_PUBLIC_KEY',
    secrets: {
      sensor: secretOf('sensor', 'SENSOR_KEY', sensor),
      toolApi: secretOf('toolApi', 'TOOL_API_KEY', toolApi),
      application: secretOf('application', 'SECRET_KEY', application),
      operator: secretOf('operator', 'OPERATOR_TOKEN'),
    },
  }
}

const TRIANGLE = [
  [31.2, 30],
  [31.3, 30],
  [31.2, 30.1],
]
/** Values for fields where the minimum of the schema is refused, or where the schema does not describe the text. */
const BY_NAME: Record<string, unknown> = {
  source_crs: 'EPSG:4326',
  target_crs: 'EPSG:3857',
  code: 4326,
  polygon: TRIANGLE,
  coordinates: TRIANGLE,
  email: 'name@example.org',
  name: 'Example',
  ranges: '1',
}
/** Optional fields of which a tool requires one. */
const ONE_OF: Record<string, string> = { 'pdf-watermark': 'text', 'image-watermark': 'text' }

function exampleValue(schema: Schema, document: OpenApi, name = ''): unknown {
  const own = resolved(schema, document)
  const examples = own.examples ?? own.contentSchema?.examples
  const given = BY_NAME[name] ?? examples?.[0] ?? own.const ?? own.default ?? own.enum?.[0]
  if (given !== undefined) return given
  const choices = own.anyOf ?? own.oneOf
  if (choices !== undefined)
    return exampleValue(choices.find((one) => one.type !== 'null') ?? choices[0] ?? {}, document, name)
  switch (Array.isArray(own.type) ? own.type[0] : own.type) {
    case 'object':
      return Object.fromEntries(
        (own.required ?? []).map((field) => [field, exampleValue(own.properties?.[field] ?? {}, document, field)]),
      )
    case 'array':
      return Array.from({ length: own.minItems ?? 0 }, () => exampleValue(own.items ?? {}, document, name))
    case 'integer':
    case 'number':
      return own.minimum ?? 1
    case 'boolean':
      return true
    default:
      if (own.format !== 'date-time') return name.toUpperCase()
      return new Date(Date.now() - (name === 'from' ? 86_400_000 : 0)).toISOString()
  }
}

/** The word before a path parameter names the kind of its id. */
const filledPath = (path: string, ids: Choices['newest']): string =>
  path.replace(/([\w-]+)\/\{(\w+)\}/g, (_, before: string, name: string) => {
    // a file of a run has a key, and a file of an owner has an id
    const id = ids[name === 'key' ? 'stored' : before] ?? name.toUpperCase()
    return `${before}/${encodeURIComponent(id)}`
  })

export function exampleOf(operation: Operation, choices: Choices | undefined): Call {
  const { method, path, document, parameters = [] } = operation
  const { ids, channels, publicKey, secrets } = ownThings(choices)
  const kind = kindOf(operation)
  const secretKey = secrets[kind ?? 'operator']
  const keys = kind === 'application' ? pairHeaders({ publicKey, secretKey }) : bearer(secretKey)
  const valuesIn = (place: string): Record<string, string> =>
    Object.fromEntries(
      parameters.flatMap(({ name, required, schema = {}, in: where }): [string, string][] => {
        if (where !== place || required !== true) return []
        const channel = name === 'channel' ? channels[0]?.name : undefined
        return [[name, channel ?? String(exampleValue(schema, document, name))]]
      }),
    )
  const query = new URLSearchParams(valuesIn('query')).toString()
  const call: Call = {
    method,
    url: location.origin + filledPath(path, ids) + (query && `?${query}`),
    headers: { ...(kind !== undefined && keys), ...valuesIn('header') },
  }
  const body = bodyOf(operation)
  if (body === undefined) return call
  if (body.type === 'application/json') {
    const json = path.endsWith('/readings') ? readingsOf(channels) : exampleValue(body.schema, document)
    return { ...call, headers: { ...call.headers, 'Content-Type': 'application/json' }, json }
  }
  const { properties = {}, required = [] } = resolved(body.schema, document)
  const also = ONE_OF[path.slice(path.lastIndexOf('/') + 1)]
  const fields = Object.entries(properties).filter(([name]) => required.includes(name) || name === also)
  return { ...call, form: fields.flatMap(([name, schema]) => formParts(name, schema, document)) }
}

function formParts(field: string, schema: Schema, document: OpenApi): FormPart[] {
  const count = Math.max(1, resolved(schema, document).minItems ?? 1)
  const taken = fileIn(schema, document)
  // such as input.geojson; PNG stands for any picture
  const file = `input.${(taken?.contentMediaType ?? 'any/bin').split('/')[1]?.replace(/\W/g, '') || 'png'}`
  if (taken !== undefined) return Array.from({ length: count }, () => ({ field, file }))
  const value = exampleValue(schema, document, field)
  return [{ field, text: typeof value === 'string' ? value : JSON.stringify(value) }]
}

/** A field may take a file, several files, or the key of a stored file instead. */
function fileIn(schema: Schema, document: OpenApi): Schema | undefined {
  const own = resolved(schema, document)
  if (own.contentEncoding === 'binary' || own.format === 'binary') return own
  const parts = own.items === undefined ? (own.anyOf ?? own.oneOf ?? []) : [own.items]
  return parts.map((part) => fileIn(part, document)).find((one) => one !== undefined)
}

/** The choices that an operation needs, by the key that it takes and its path. */
export function OwnThingsForm({ choices, operation }: { choices: Choices; operation: Operation }) {
  const secret = kindOf(operation)
  return (
    <div class="reference-own">
      {KINDS.map(
        (kind) =>
          (kind === secret || CHOSEN[kind].inPath.test(operation.path)) && (
            <SelectField
              key={kind}
              label={t(CHOSEN[kind].label)}
              help={choices[kind].length === 0 ? t('reference.none') : undefined}
              value={chosen(choices, kind)?.id ?? ''}
              options={choices[kind].map((thing) => {
                const key = currentKey(thing)
                return {
                  value: thing.id,
                  label: `${isolated(thing.name)}${key === undefined ? '' : ` (${isolated(`…${key.lastFour}`)})`}`,
                }
              })}
              onChange={(id) => setQuery({ [kind]: id })}
            />
          ),
      )}
      {secret !== undefined && (
        <TextField
          label={t(`reference.secrets.${secret}`)}
          help={t('reference.secretHelp')}
          type="password"
          autocomplete="off"
          dir="ltr"
          value={pasted.value[secret] ?? ''}
          onInput={(value) => {
            pasted.value = { ...pasted.value, [secret]: value }
          }}
        />
      )}
    </div>
  )
}
