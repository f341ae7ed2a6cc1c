/**
 * Layers as files for worker processes. A file contains all features of a version, followed by later changes, so that a
 * reader continues where it stopped. Once a file has doubled in size, the next change rewrites it. Files belong to this
 * process and are deleted at the next start.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { emptyFolder, WORKER_READABLE } from './empty-folder.ts'
import { createKeyedMutex } from './keyed-mutex.ts'
import type { Database } from './postgres/client.ts'
import { type ChangedFeature, readChanges } from './postgres/layers/layer-features.ts'
import { createRefCountedFiles } from './ref-counted-files.ts'

export type LayerFile = {
  path: string
  /** Version of the layer. */
  version: number
  /** Length of the valid content; later bytes are ignored. */
  bytes: number
  /** Call it when the file is no longer being read. */
  release(): void
}

export type LayerFiles = {
  /** The file of a layer at this version or a later one; undefined if there is no such layer. */
  open(layerId: string, version: number): Promise<LayerFile | undefined>
  /** Deletes the file of a deleted layer. */
  forget(layerId: string): void
}

type State = {
  version: number
  path: string
  bytes: number
  /** Size of the file when it was last written as a whole. */
  wholeBytes: number
  usedAt: number
}

/** A file is rewritten when it has doubled and also grown by this. */
const SLACK_BYTES = 2 ** 20

/**
 * @param maxBytes for all files; the least recently used are deleted first
 * @param encode writes a feature in the format of a file; lib/geo/layers/layer-records.ts implements it, with the readers
 */
export async function openLayerFiles(
  db: Database,
  dir: string,
  maxBytes: number,
  encode: (feature: ChangedFeature) => Buffer,
): Promise<LayerFiles> {
  await emptyFolder(dir)
  const states = new Map<string, State>()
  const layerLocks = createKeyedMutex<string>()
  const readers = createRefCountedFiles()
  let files = 0

  function drop(layerId: string): void {
    const state = states.get(layerId)
    states.delete(layerId)
    if (state !== undefined) readers.remove(state.path)
  }

  async function create(path: string): Promise<FileHandle> {
    const file = await open(path, 'w')
    await file.chmod(WORKER_READABLE)
    return file
  }

  async function append(file: FileHandle, features: readonly ChangedFeature[], at: number): Promise<number> {
    const bytes = Buffer.concat(features.map(encode))
    for (let done = 0; done < bytes.length; )
      done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten
    return bytes.length
  }

  /** Appends the changes, or writes the whole layer to a new file. */
  async function refresh(layerId: string): Promise<void> {
    const known = states.get(layerId)
    const isGrown = known !== undefined && known.bytes >= known.wholeBytes * 2 + SLACK_BYTES
    const path = join(dir, `${layerId}.${++files}`)
    let file: FileHandle | undefined
    let at = 0
    try {
      const found = await readChanges(db, layerId, isGrown ? undefined : known?.version, async (features, isWhole) => {
        if (file === undefined && !isWhole && known !== undefined) {
          file = await open(known.path, 'r+')
          at = known.bytes
        }
        file ??= await create(path)
        at += await append(file, features, at)
      })
      if (found === undefined) drop(layerId)
      else if (found.isWhole) {
        drop(layerId)
        // a layer without features has written nothing
        file ??= await create(path)
        const state = { version: found.version, path, bytes: at, wholeBytes: at }
        states.set(layerId, { ...state, usedAt: performance.now() })
      } else if (known !== undefined) Object.assign(known, { version: found.version, bytes: at || known.bytes })
    } finally {
      await file?.close()
    }
  }

  function evictOldest(): void {
    const oldest = [...states].sort(([, a], [, b]) => a.usedAt - b.usedAt)
    let bytes = oldest.reduce((sum, [, state]) => sum + state.bytes, 0)
    for (const [layerId, state] of oldest.slice(0, -1)) {
      if (bytes <= maxBytes) return
      // a call that updates the file is about to read it
      if (layerLocks.isLocked(layerId)) continue
      bytes -= state.bytes
      drop(layerId)
    }
  }

  function readFiles(state: State): LayerFile {
    const { path, version, bytes } = state
    state.usedAt = performance.now()
    return { path, version, bytes, release: readers.acquire([path]) }
  }

  return {
    async open(layerId, version) {
      const known = states.get(layerId)
      if (known !== undefined && known.version >= version) return readFiles(known)
      const file = await layerLocks.run(layerId, async () => {
        const state = states.get(layerId)
        if (state === undefined || state.version < version) await refresh(layerId)
        const fresh = states.get(layerId)
        return fresh && readFiles(fresh)
      })
      evictOldest()
      return file
    },
    forget: drop,
  }
}
