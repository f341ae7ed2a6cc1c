/** The layers of a call. */
import type { CachedLayer } from '../../lib/geo/layers/cached-layer.ts'
import { withCachedLayer } from '../../tools/cached-layers.ts'
import type { WatchedLayer } from '../protocol.ts'

/** Opens all layers at once: the readings of a segment are judged in order, by rules of any layer. */
export async function withLayers<T>(
  layers: readonly WatchedLayer[],
  work: (open: ReadonlyMap<string, CachedLayer>) => T,
  open: ReadonlyMap<string, CachedLayer> = new Map(),
): Promise<T> {
  const [next, ...others] = layers
  if (next === undefined) return work(open)
  return withCachedLayer(next.id, next, (layer) => withLayers(others, work, new Map([...open, [next.id, layer]])))
}
