/**
 * Layers as files for the worker processes. A file holds all features of a version, followed by the changes since, so
 * that a reader continues where it stopped. A file that has doubled in size is rewritten without outdated records; a
 * reader at the end of the old file continues in the new one. Files belong to this process and are deleted when it
 * starts.
 */
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from './postgres/client.ts'
import { type ChangedFeature, readChanges } from './postgres/layer-features.ts'
import { createRefCountedFiles } from './ref-counted-files.ts'

export type LayerFile = {
  path: string
  /** The layer's version that it holds. */
  version: number
  /** Bytes to read; the rest may be incomplete. */
  bytes: number
  /** A reader at byte `bytes` of that file continues at byte `start` of this one. */
  previous: { path: string; bytes: number; start: number } | undefined
  /** To be called when this call's readers are done. */
  release(): void
}

export type LayerFiles = {
  /** A file with at least this version of the layer; undefined when there is no such layer. */
  open(layerId: string, version: number): Promise<LayerFile | undefined>
  /** Deletes the file of a deleted layer. */
  forget(layerId: string): void
}

type State = {
  version: number
  path: string
  bytes: number
  /** The size when the file was last written as a whole. */
  wholeBytes: number
  previous: LayerFile['previous']
  usedAt: number
}

/** A file is rewritten when it has doubled and grown by this as well. */
const SLACK_BYTES = 2 ** 20
/** How a file holds features; lib/geo/layer-records.ts has it, with the readers. */
export type LayerFormat = {
  encode(feature: ChangedFeature): Buffer
  /** The newest record of each feature that is not deleted, in the order of the layer. */
  compact(records: Buffer): Buffer
}

/** @param maxBytes for all files; the least recently used are deleted first */
export async function openLayerFiles(
  db: Database,
  dir: string,
  maxBytes: number,
  format: LayerFormat,
): Promise<LayerFiles> {
  await rm(dir, { recursive: true, force: true })
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const states = new Map<string, State>()
  /** The last task of each layer's file; tasks of one layer run one after the other. */
  const working = new Map<string, Promise<unknown>>()
  const readers = createRefCountedFiles()
  let files = 0

  function drop(layerId: string): void {
    const state = states.get(layerId)
    states.delete(layerId)
    for (const path of [state?.path, state?.previous?.path]) if (path !== undefined) readers.remove(path)
  }

  async function append(file: FileHandle, features: readonly ChangedFeature[], at: number): Promise<number> {
    const bytes = Buffer.concat(features.map((feature) => format.encode(feature)))
    for (let done = 0; done < bytes.length; )
      done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten
    return bytes.length
  }

  /** Appends the changes, or writes the whole layer into a new file. */
  async function refresh(layerId: string): Promise<void> {
    const known = states.get(layerId)
    const path = join(dir, `${layerId}.${++files}`)
    let file: FileHandle | undefined
    let at = 0
    try {
      const found = await readChanges(db, layerId, known?.version, async (features, isWhole) => {
        if (file === undefined && !isWhole && known !== undefined) {
          file = await open(known.path, 'r+')
          at = known.bytes
        }
        file ??= await open(path, 'w')
        at += await append(file, features, at)
      })
      if (found === undefined) drop(layerId)
      else if (found.isWhole) {
        drop(layerId)
        // a layer without features: nothing was appended, so no file is open
        file ??= await open(path, 'w')
        const state = { version: found.version, path, bytes: at, wholeBytes: at, previous: undefined }
        states.set(layerId, { ...state, usedAt: performance.now() })
      } else if (known !== undefined) Object.assign(known, { version: found.version, bytes: at || known.bytes })
    } finally {
      await file?.close()
    }
  }

  /** Drops outdated records without querying the database. */
  async function rewrite(layerId: string): Promise<void> {
    const state = states.get(layerId)
    if (state === undefined || state.bytes < state.wholeBytes * 2 + SLACK_BYTES) return
    const all = Buffer.from(await Bun.file(state.path).slice(0, state.bytes).arrayBuffer())
    const path = join(dir, `${layerId}.${++files}`)
    const bytes = await Bun.write(path, format.compact(all))
    if (state.previous !== undefined) readers.remove(state.previous.path)
    state.previous = { path: state.path, bytes: state.bytes, start: bytes }
    Object.assign(state, { path, bytes, wholeBytes: bytes })
  }

  function inTurn<T>(layerId: string, work: () => Promise<T>): Promise<T> {
    const turn = (working.get(layerId) ?? Promise.resolve()).then(work, work)
    working.set(layerId, turn)
    const done = (): void => {
      if (working.get(layerId) === turn) working.delete(layerId)
    }
    turn.then(done, done)
    return turn
  }

  function evictOldest(): void {
    const oldest = [...states].sort(([, a], [, b]) => a.usedAt - b.usedAt)
    let bytes = oldest.reduce((sum, [, state]) => sum + state.bytes, 0)
    for (const [layerId, state] of oldest.slice(0, -1)) {
      if (bytes <= maxBytes) return
      // a task that updates it is running, and its caller is about to read it
      if (working.has(layerId)) continue
      bytes -= state.bytes
      drop(layerId)
    }
  }

  function readFiles(state: State): LayerFile {
    const { path, version, bytes, previous } = state
    state.usedAt = performance.now()
    const release = readers.acquire(previous === undefined ? [path] : [path, previous.path])
    return { path, version, bytes, previous, release }
  }

  return {
    async open(layerId, version) {
      const known = states.get(layerId)
      if (known !== undefined && known.version >= version) return readFiles(known)
      const file = await inTurn(layerId, async () => {
        const state = states.get(layerId)
        if (state === undefined || state.version < version) await refresh(layerId)
        const fresh = states.get(layerId)
        return fresh && readFiles(fresh)
      })
      // the call does not wait; if this fails, the next call writes a new file and reports the error
      inTurn(layerId, () => rewrite(layerId)).catch(() => drop(layerId))
      evictOldest()
      return file
    },
    forget: drop,
  }
}
