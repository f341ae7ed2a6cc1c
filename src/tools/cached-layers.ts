/** Map layers that a worker process caches between runs. Each is brought up to date when it is used. */

import { loadGeos } from '../lib/geo/geometry/geos.ts'
import { CachedLayer } from '../lib/geo/layers/cached-layer.ts'
import { type Cached, withCached } from './process-cache.ts'

/** The file of a layer, as the server provides it. */
export type LayerFile = {
  path: string
  /** The layer is in the first bytes; more may be appended at any time. */
  bytes: number
}

/** A cached layer, with its file and the number of bytes read. */
type CachedRead = { layer: CachedLayer; path: string; at: number }

/** @param key unchanged while records are only appended to the layer */
export async function withCachedLayer<T>(
  key: string,
  file: LayerFile,
  work: (layer: CachedLayer) => Promise<T>,
): Promise<T> {
  return withCached(
    key,
    async () => readWhole(file),
    async (cached) => {
      await refresh(cached, file)
      return work(cached.layer)
    },
  )
}

async function readWhole({ path, bytes }: LayerFile): Promise<Cached<CachedRead>> {
  const value = { layer: new CachedLayer(await loadGeos(), path, 0, bytes), path, at: bytes }
  return { value, bytes: () => value.layer.size, free: () => value.layer.set.free() }
}

async function refresh(read: CachedRead, { path, bytes }: LayerFile): Promise<void> {
  if (read.path !== path) {
    // the layer was written to a new file
    read.layer.set.free()
    read.layer = new CachedLayer(await loadGeos(), path, 0, bytes)
    read.path = path
    read.at = bytes
  }
  read.layer.update(path, read.at, bytes)
  read.at = Math.max(read.at, bytes)
}
