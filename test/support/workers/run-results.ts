/** Runs of tools with results of every kind, made by a signed-in person. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PortalFleet } from '../browser/portal-fleet.ts'
import { FIXTURES, formOf, GIS } from './tools.ts'

export type MadeRun = { runId: string; key?: string; data: Record<string, unknown> }

/** Requests of the account with a fleet's cookie. */
export function signedIn(url: () => string, fleet: Pick<PortalFleet, 'cookie' | 'enterpriseId'>) {
  let token: string | undefined
  const headers = () => ({ cookie: `${fleet.cookie.name}=${fleet.cookie.value}`, 'x-enterprise': fleet.enterpriseId })
  async function csrfToken(): Promise<string> {
    if (token === undefined) {
      const session = await fetch(`${url()}/auth/session`, { headers: headers() })
      token = ((await session.json()) as { data: { csrfToken: string } }).data.csrfToken
    }
    return token
  }
  return async (method: string, path: string, body?: FormData | object, more: Record<string, string> = {}) => {
    const isForm = body instanceof FormData
    const response = await fetch(url() + path, {
      method,
      headers: {
        ...headers(),
        'x-csrf-token': await csrfToken(),
        ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
        ...more,
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    })
    return (await response.json()) as {
      statusCode: number
      code: string
      message: string
      data: Record<string, unknown>
    }
  }
}

export function runTools(url: () => string, fleet: Pick<PortalFleet, 'cookie' | 'enterpriseId'>) {
  const call = signedIn(url, fleet)
  return {
    call,
    /** @throws if the tool fails */
    async run(route: string, input: Record<string, unknown>, isJson = false): Promise<MadeRun> {
      const answer = await call('POST', GIS + route, isJson ? input : formOf(input))
      if (answer.statusCode !== 200) throw new Error(`${route}: ${answer.code} ${answer.message}`)
      const { usage, key } = answer.data as { usage: { runId: string }; key?: string }
      return { runId: usage.runId, data: answer.data, ...(key !== undefined && { key }) }
    },
  }
}

/** A run for each way of showing a result. @returns the addresses of their pages */
export async function shownRuns(
  url: () => string,
  fleet: Pick<PortalFleet, 'cookie' | 'enterpriseId'>,
): Promise<string[]> {
  const { run, call } = runTools(url, fleet)
  const made = [
    await run('/buffer', { file: 'districts.geojson', target_format: 'geojson', distance_m: '500' }),
    await run('/hillshade', { file: 'dem.tif' }),
    await run('/enhance-quality', { file: 'dull.jpg' }),
    await run('/rotate-pages', { file: 'report.pdf', operations: { rotations: { 0: 90 } } }),
    await run('/raster-inspect', { file: 'dem.tif' }),
    await run('/pdf-to-images', { file: 'report.pdf', dpi: '72' }),
  ]
  const broken = formOf({ file: { name: 'roads.geojson', content: '{"type":"Nothing"}' }, target_format: 'geojson' })
  await call('POST', `${GIS}/centroids`, broken)
  const { items } = (await call('GET', `${GIS}/runs?limit=1`)).data as { items: { runId: string }[] }
  await call('PATCH', `${GIS}/runs/${made[0]?.runId}`, { name: 'Districts with 500 m around them' })
  return [...made, ...items].map(({ runId }) => `/runs/${runId}`)
}

export const fixture = (name: string): Uint8Array => readFileSync(join(FIXTURES, name))

/** A name that a page must show as text, in its own direction. */
export const HOSTILE = '<img src=x onerror=alert(1)>‮🚧 اسم'

/** @param count small squares with two fields */
export function squares(count: number): string {
  const side = Math.ceil(Math.sqrt(count))
  const features = Array.from({ length: count }, (_, i) => {
    const [x, y] = [30 + (i % side) * 0.01, 20 + Math.floor(i / side) * 0.01]
    const ring = [
      [x, y],
      [x + 0.008, y],
      [x + 0.008, y + 0.008],
      [x, y + 0.008],
      [x, y],
    ]
    return {
      type: 'Feature',
      properties: { number: i, name: `plot ${i}` },
      geometry: { type: 'Polygon', coordinates: [ring] },
    }
  })
  return JSON.stringify({ type: 'FeatureCollection', features })
}

// code that runs in the browser, which is not type-checked with the tests
export const clipOf = (one: unknown): string =>
  (one as { computedStyleMap(): Map<string, unknown> }).computedStyleMap().get('clip-path')?.toString() ?? ''
export const widthsOf = (all: unknown): number[] => (all as { naturalWidth: number }[]).map((one) => one.naturalWidth)
type Canvas = {
  width: number
  height: number
  getContext(kind: '2d'): { getImageData(x: number, y: number, w: number, h: number): { data: Uint8ClampedArray } }
}
export const darkPixelsOf = (one: unknown): number => {
  const canvas = one as Canvas
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data
  return pixels.filter((value, i) => i % 4 === 0 && value < 128 && (pixels[i + 3] ?? 0) > 0).length
}

/** Two points and a feature without a geometry. */
export function threePoints(): string {
  return JSON.stringify({
    type: 'FeatureCollection',
    features: [
      { type: 'Feature', properties: { name: HOSTILE, depth: 12 }, geometry: { type: 'Point', coordinates: [31, 30] } },
      {
        type: 'Feature',
        properties: { name: 'B', depth: 2024 },
        geometry: { type: 'Point', coordinates: [31.4, 30.2] },
      },
      { type: 'Feature', properties: { name: 'C', depth: null }, geometry: null },
    ],
  })
}
