/** Calls tools over HTTP as clients do, with forms or JSON, and downloads the results. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TSchema } from '@sinclair/typebox'
import { isFileField } from '../../../src/tools/check.ts'
import { loadRegistry } from '../../../src/tools/registry.ts'
import type { Tool } from '../../../src/tools/tool.ts'
import type { Envelope, Instance, Organization } from '../server/instance.ts'

export const FIXTURES = join(import.meta.dir, '../../fixtures/tools')
export const GIS = '/enterprise/v1/gis'

/** A file to send: its name and content. A fixture is given by its name alone, a stored file by its key. */
export type FilePart = { name: string; content: string | Uint8Array }

const isFilePart = (value: unknown): value is FilePart =>
  typeof value === 'object' && value !== null && 'content' in value && 'name' in value

const { tools } = await loadRegistry()
/** Names of file fields in any tool. No name is a file field in one tool and another field in a second tool. */
const FILE_FIELDS = new Set(
  tools.flatMap(({ input }) =>
    Object.keys(input.properties).filter((name) => isFileField(input.properties[name] as TSchema)),
  ),
)

export function formOf(input: Record<string, unknown>): FormData {
  const form = new FormData()
  const append = (field: string, value: unknown): void => {
    if (isFilePart(value)) form.append(field, new File([value.content as Uint8Array<ArrayBuffer>], value.name))
    else if (FILE_FIELDS.has(field) && typeof value === 'string' && !/^(fil|lay)_/.test(value))
      form.append(field, new File([readFileSync(join(FIXTURES, value))], value))
    else form.append(field, typeof value === 'string' ? value : JSON.stringify(value))
  }
  for (const [field, value] of Object.entries(input))
    if (Array.isArray(value) && FILE_FIELDS.has(field)) for (const one of value) append(field, one)
    else append(field, value)
  return form
}

export const keysOf = ({ publicKey, secretKey }: Organization): Record<string, string> => ({
  'x-api-key': publicKey,
  'x-api-secret': secretKey,
})

export function callTool(
  instance: Pick<Instance, 'url'>,
  organization: Organization,
  route: string,
  input: Record<string, unknown>,
  form: boolean,
  headers: Record<string, string> = {},
): Promise<Response> {
  const json = { 'content-type': 'application/json' }
  return fetch(`${instance.url()}${GIS}${route}`, {
    method: 'POST',
    headers: { ...keysOf(organization), ...(form ? {} : json), ...headers },
    body: form ? formOf(input) : JSON.stringify(input),
  })
}

export const STATIONS = { file: 'stations.geojson', target_format: 'geojson' }
export const POINTS = {
  points: [
    { lon: 0, lat: 0 },
    { lon: 1, lat: 1 },
  ],
}

/** Calls with the keys of an organization, by default of the one given here. */
export function gisOf(instance: () => Pick<Instance, 'url'>, organization: () => Organization) {
  async function call(
    route: string,
    input: Record<string, unknown>,
    form: boolean,
    who = organization(),
    headers: Record<string, string> = {},
  ) {
    const response = await callTool(instance(), who, route, input, form, headers)
    return { response, envelope: (await response.json()) as Envelope }
  }
  const get = (path: string, who = organization(), headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${instance().url()}${GIS}${path}`, { headers: { ...keysOf(who), ...headers } })
  const read = async <T = Record<string, unknown>>(path: string, who = organization()): Promise<Envelope<T>> =>
    (await (await get(path, who)).json()) as Envelope<T>
  return { call, get, read }
}

/** Bytes of a stored file. */
export async function fetchFile(
  instance: Pick<Instance, 'url'>,
  organization: Organization,
  key: string,
): Promise<Buffer> {
  const response = await fetch(`${instance.url()}${GIS}/files/${key}`, { headers: keysOf(organization) })
  if (!response.ok) throw new Error(`${key}: ${response.status}`)
  return Buffer.from(await response.arrayBuffer())
}

export async function saveFile(
  instance: Pick<Instance, 'url'>,
  organization: Organization,
  key: string,
  path: string,
): Promise<string> {
  writeFileSync(path, await fetchFile(instance, organization, key))
  return path
}

export function fieldsOf(tool: Tool): { name: string; required: boolean }[] {
  const required = new Set(tool.input.required ?? [])
  return Object.entries(tool.input.properties).map(([name, schema]) => ({
    name,
    required: required.has(name) && schema.default === undefined,
  }))
}
