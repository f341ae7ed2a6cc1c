/** Layers, files and Tool APIs over HTTP: created by an operator, called by their users. */
import type { Envelope, Instance } from './instance.ts'

export type Layer = { id: string; version: number; featureCount: number; fields: string[]; dimensions: number[] }
export type ToolApi = { id: string; key: string; path: string; keys: { id: string }[] }
export type OwnerFile = {
  id: string
  version: number
  scanStatus: string
  scanReason: string | null
  kind: string | null
  versions: { id: string; version: number; scanStatus: string }[]
}
export type Answer<T = Record<string, unknown>> = Envelope<T> & { status: number; headers: Headers; text: string }
export type Verdict = {
  passed: boolean
  counts: { inside: number; partial: number; outside: number; passed: number }
  results: {
    index: number
    relation: string
    percentInside: number
    pass: boolean
    matchCount: number
    reference: Record<string, unknown>
  }[]
}

export const feature = (geometry: unknown, properties: object | null = {}, id?: string | number) => ({
  type: 'Feature',
  ...(id !== undefined && { id }),
  properties,
  geometry,
})
export const collection = (...features: object[]) => ({ type: 'FeatureCollection', features })

export function toolApisOf(instance: () => Pick<Instance, 'url' | 'operatorToken' | 'manage'>) {
  const layer = (owner: string, ...features: object[]): Promise<Layer> =>
    instance().manage('POST', `/owners/${owner}/layers`, { name: 'Layer', geojson: collection(...features) })
  const save = (owner: string, tool: string, more: object = {}): Promise<ToolApi> =>
    instance().manage('POST', `/owners/${owner}/tool-apis`, { tool, name: 'Saved', ...more })

  async function run<T = Record<string, unknown>>(
    api: { id: string; key: string },
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const response = await fetch(`${instance().url()}/tool-apis/${api.id}/run`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api.key}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    })
    const text = await response.text()
    return { ...(JSON.parse(text) as Envelope<T>), status: response.status, headers: response.headers, text }
  }
  /** A request of the operator that may be rejected. */
  async function call<T = Record<string, unknown>>(method: string, path: string, body?: unknown) {
    const response = await fetch(`${instance().url()}/manage/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${instance().operatorToken()}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return { status: response.status, ...((await response.json()) as Envelope<T>) }
  }
  async function upload(path: string, name: string, content: string | Uint8Array): Promise<Envelope<OwnerFile>> {
    const form = new FormData()
    form.append('file', new File([content as Uint8Array<ArrayBuffer>], name))
    const response = await fetch(`${instance().url()}/manage/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${instance().operatorToken()}` },
      body: form,
    })
    return (await response.json()) as Envelope<OwnerFile>
  }
  return { layer, save, run, call, upload }
}
