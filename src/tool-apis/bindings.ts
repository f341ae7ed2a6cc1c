/** Resolves the bound second input of a Tool API at the moment of a call. */
import { createChangeCache } from '../stores/change-cache.ts'
import type { Changes } from '../stores/changes.ts'
import type { FileCopies } from '../stores/file-copies.ts'
import type { LayerFiles } from '../stores/layer-files.ts'
import type { Database } from '../stores/postgres/client.ts'
import { findCleanVersion } from '../stores/postgres/files/owner-files.ts'
import { findLayer, hasPolygons } from '../stores/postgres/layers/layers.ts'
import type { ToolApiRecord } from '../stores/postgres/runs/tool-apis.ts'
import type { BoundItem, InputFile, SecondInput } from '../tools/tool.ts'

export type Bound = {
  input: InputFile
  /** Cache key for worker processes. */
  key: string | undefined
  release(): void
}

export type BindingsDeps = { db: Database; changes: Changes; layerFiles: LayerFiles; fileCopies: FileCopies }

export type Bindings = {
  /** An item that was deleted, transferred or is unusable resolves to a missing input instead of an error. */
  resolve(api: ToolApiRecord, second: SecondInput): Promise<Bound>
}

const MAX_CACHED = 20_000
const MISSING: Bound = {
  input: { path: '', filename: '', bytes: 0, bound: 'missing' },
  key: undefined,
  release: () => undefined,
}

/** Caches items until they change, so that a repeated call queries no store. */
export function createBindings({ db, changes, layerFiles, fileCopies }: BindingsDeps): Bindings {
  // an owner's items are deleted with it
  const layers = createChangeCache({
    load: (id: string) => findLayer(db, id),
    maxSize: MAX_CACHED,
    invalidatedBy: {
      changes,
      kinds: ['layer', 'enterprise', 'person', 'missed'],
      concerns: (ids, layer, id) => ids.includes(id) || ids.includes(layer?.ownerId ?? ''),
    },
  })
  const files = createChangeCache({
    // "<file> <version>", or "<file> " for the newest version
    load: (key: string) => {
      const [id, version] = key.split(' ') as [string, string]
      return findCleanVersion(db, id, version === '' ? undefined : Number(version))
    },
    maxSize: MAX_CACHED,
    invalidatedBy: {
      changes,
      kinds: ['file', 'enterprise', 'person', 'missed'],
      concerns: (ids, file, key) => ids.includes(key.split(' ', 1)[0] ?? '') || ids.includes(file?.ownerId ?? ''),
    },
  })

  changes.subscribe((change) => {
    if (change.kind === 'layer' && change.deleted) layerFiles.forget(change.id)
    if (change.kind === 'file') for (const key of change.storageKeys ?? []) fileCopies.forget(key)
  })

  async function ofLayer(api: ToolApiRecord, id: string, second: SecondInput): Promise<Bound> {
    const layer = await layers.get(id)
    if (layer === undefined || layer.ownerId !== api.ownerId || second.kind === 'raster') return MISSING
    if (second.kind === 'polygons' && !hasPolygons(layer)) return MISSING
    const file = await layerFiles.open(id, layer.version)
    if (file === undefined) return MISSING
    const { path, bytes, release } = file
    const bound: BoundItem = {
      key: id,
      pick: api.referenceFields ?? undefined,
      layer: { fields: layer.fields, bytes },
    }
    return { input: { path, filename: id, bytes, bound }, key: id, release }
  }

  async function ofFile(api: ToolApiRecord, id: string, version: number | undefined): Promise<Bound> {
    const found = await files.get(`${id} ${version ?? ''}`)
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
