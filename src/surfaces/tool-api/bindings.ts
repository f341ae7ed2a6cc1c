/** Resolves the bound second input of a Tool API at the moment of a call. */
import { findLayer, hasPolygons, type Layer } from '../../stores/postgres/layers.ts'
import { findCleanVersion } from '../../stores/postgres/owner-files.ts'
import type { ToolApiRecord } from '../../stores/postgres/tool-apis.ts'
import type { BoundItem, InputFile, SecondInput } from '../../tools/tool.ts'
import type { ToolApiDeps } from './deps.ts'

export type Bound = {
  input: InputFile
  /** Cache key for worker processes. */
  key: string | undefined
  release(): void
}

export type Bindings = {
  /** An item that was deleted, given away or is unusable resolves to a missing input instead of an error. */
  resolve(api: ToolApiRecord, second: SecondInput): Promise<Bound>
}

const MAX_KNOWN = 10_000
const MISSING: Bound = {
  input: { path: '', filename: '', bytes: 0, bound: 'missing' },
  key: undefined,
  release: () => undefined,
}

type CleanVersion = Awaited<ReturnType<typeof findCleanVersion>>

/** Caches items until they change, so that a repeated call queries no store. */
export function createBindings({ db, changes, layerFiles, fileCopies }: ToolApiDeps): Bindings {
  let layers = new Map<string, Layer | undefined>()
  let files = new Map<string, CleanVersion>()

  changes.subscribe((change) => {
    if (change.kind === 'layer') {
      layers = new Map()
      if (change.deleted) layerFiles.forget(change.id)
    }
    if (change.kind === 'file') {
      files = new Map()
      for (const key of change.storageKeys ?? []) fileCopies.forget(key)
    }
    // items are deleted with their owner
    if (['enterprise', 'person', 'missed'].includes(change.kind)) {
      layers = new Map()
      files = new Map()
    }
  })

  /** A lookup that started before a change writes to the old map, which is no longer read. */
  async function look<T>(known: Map<string, T>, key: string, find: () => Promise<T>): Promise<T> {
    if (known.has(key)) return known.get(key) as T
    const found = await find()
    if (known.size < MAX_KNOWN) known.set(key, found)
    return found
  }

  async function ofLayer(api: ToolApiRecord, id: string, second: SecondInput): Promise<Bound> {
    const layer = await look(layers, id, () => findLayer(db, id))
    if (layer === undefined || layer.ownerId !== api.ownerId || second.kind === 'raster') return MISSING
    if (second.kind === 'polygons' && !hasPolygons(layer)) return MISSING
    const file = await layerFiles.open(id, layer.version)
    if (file === undefined) return MISSING
    const { path, bytes, previous, release } = file
    const bound: BoundItem = {
      key: id,
      pick: api.referenceFields ?? undefined,
      layer: { fields: layer.fields, bytes, ...(previous && { previous }) },
    }
    return { input: { path, filename: id, bytes, bound }, key: id, release }
  }

  async function ofFile(api: ToolApiRecord, id: string, version: number | undefined): Promise<Bound> {
    const found = await look(files, `${id} ${version ?? ''}`, () => findCleanVersion(db, id, version))
    if (found === undefined || found.ownerId !== api.ownerId) return MISSING
    const { id: key, filename, bytes } = found.version
    const { path, release } = await fileCopies.open(key, bytes)
    const bound: BoundItem = { key, pick: api.referenceFields ?? undefined }
    return { input: { path, filename, bytes, bound }, key, release }
  }

  return {
    async resolve(api, second) {
      const { binding } = api
      if (binding === null) return MISSING
      if (binding.kind === 'layer') return ofLayer(api, binding.id, second)
      return ofFile(api, binding.id, binding.kind === 'file-version' ? binding.version : undefined)
    },
  }
}
