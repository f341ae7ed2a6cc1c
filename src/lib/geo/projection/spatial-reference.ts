/**
 * Guards against stale spatial references of gdal-async. gdal-async 3.12.3 caches the JavaScript object of a reference
 * by its address, even after its layer was closed: a reference that GDAL later creates at the same address is then
 * returned as the old object, which may describe another system. An object that has been returned before is therefore
 * stale.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Layer, SpatialReference } from 'gdal-async'

/** All objects returned so far. */
const returned = new WeakSet<SpatialReference>()
const MAX_CREATED = 1_000
const MAX_COLLECTIONS = 5

/** @returns false for a stale object */
function isNew(found: SpatialReference | null): boolean {
  if (found === null) return true
  const isOld = returned.has(found)
  returned.add(found)
  return !isOld
}

const mistaken = (): Error => new Error('GDAL returned the spatial reference of another dataset')

/**
 * A new reference from `create`. If it is stale, another is created: the unused reference keeps its address occupied,
 * so that the next one gets a different address.
 */
export function newReference<T extends SpatialReference | null>(create: () => T): T {
  for (let i = 0; i < MAX_CREATED; i++) {
    const found = create()
    if (isNew(found)) return found
  }
  throw mistaken()
}

/** The reference of a layer; read it only once. A stale object disappears once it is garbage-collected. */
export async function referenceOf(layer: Layer): Promise<SpatialReference | null> {
  for (let i = 0; i < MAX_COLLECTIONS; i++) {
    const found = readNew(layer)
    if (found !== undefined) return found
    // the current stack may still refer to the old object
    await new Promise((resolve) => setImmediate(resolve))
    // the object is probably in the young generation
    collectGarbage(i === 0 ? 'minor' : 'major')
  }
  throw mistaken()
}

function readNew(layer: Layer): SpatialReference | null | undefined {
  const found = layer.srs
  return isNew(found) ? found : undefined
}

type Collection = 'minor' | 'major'
let collect: ((options: { type: Collection; execution: 'sync' }) => void) | undefined

/** Worker processes have `gc` exposed; other programs get it here. */
function collectGarbage(type: Collection): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as NonNullable<typeof collect>
  }
  collect({ type, execution: 'sync' })
}
