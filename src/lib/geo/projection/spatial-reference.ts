/**
 * Spatial references of gdal-async, each of which must be the one that was asked for. gdal-async 3.12.3 remembers the
 * object of a reference by its address, also when the reference belonged to a layer that has been closed: what GDAL creates
 * at the same address later is then returned as that object, which may be of any other system. An object that has been
 * returned before is such a mistake.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Layer, SpatialReference } from 'gdal-async'

/** All that have been returned. */
const returned = new WeakSet<SpatialReference>()
const MAX_CREATED = 1_000
const MAX_COLLECTIONS = 5

/** @returns false for a mistake */
function isNew(found: SpatialReference | null): boolean {
  if (found === null) return true
  const isOld = returned.has(found)
  returned.add(found)
  return !isOld
}

const mistaken = (): Error => new Error('GDAL returned the spatial reference of another dataset')

/**
 * The new reference that `create` returns. After a mistake it is created again: the one that nobody got stays at its
 * address, so that the next one has another.
 */
export function newReference<T extends SpatialReference | null>(create: () => T): T {
  for (let i = 0; i < MAX_CREATED; i++) {
    const found = create()
    if (isNew(found)) return found
  }
  throw mistaken()
}

/** That of a layer, which must be read only once. A mistake ends when the old object is collected. */
export async function referenceOf(layer: Layer): Promise<SpatialReference | null> {
  for (let i = 0; i < MAX_COLLECTIONS; i++) {
    const found = readNew(layer)
    if (found !== undefined) return found
    // what is on the stack now may refer to the old object
    await new Promise((resolve) => setImmediate(resolve))
    // it is probably young
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

/** Worker processes have the function; other programs get it here. */
function collectGarbage(type: Collection): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as NonNullable<typeof collect>
  }
  collect({ type, execution: 'sync' })
}
