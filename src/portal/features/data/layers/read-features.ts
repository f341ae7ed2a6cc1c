/** All features of a version of a layer, in pieces as they arrive: a GeoJSON text sequence (RFC 8142). */
import { request } from '../../../workers/reply.ts'
import type { LayerFeature } from './layer-store.ts'

/** Before each record; no text of JSON contains it. */
const SEPARATOR = '\u001e'

/** @throws Refusal, or the failure of a transfer that broke */
export async function* readFeatures(
  address: string,
  version: number,
  headers: Record<string, string>,
): AsyncGenerator<LayerFeature[]> {
  const response = await request(`${address}/versions/${version}/features`, {
    headers: { ...headers, accept: 'application/geo+json-seq' },
  })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    const records = (rest + decoder.decode(value, { stream: !done })).split(SEPARATOR)
    // the last record may continue in the next piece
    rest = done ? '' : (records.pop() as string)
    yield records.filter((record) => record !== '').map((record) => JSON.parse(record) as LayerFeature)
    if (done) return
  }
}
