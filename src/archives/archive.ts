/**
 * Writes a ZIP with everything that an owner has. Entries are streamed one after the other, so memory does not grow
 * with their size, and archives, entries and files beyond 4 GB are ZIP64. Each piece gets its own turn of the event
 * loop, because the same thread receives readings; zlib compresses in other threads.
 */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ZipFile } from 'yazl'
import { nextTurn } from '../event-loop-yield.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import { monthOfReadings, monthsWithReadings, zoneEventLines } from '../stores/clickhouse/queries/owned-readings.ts'
import type { FileStore } from '../stores/files/client.ts'
import { isPerson } from '../stores/postgres/accounts/owners.ts'
import type { Database } from '../stores/postgres/client.ts'
import {
  countParts,
  type OwnedObject,
  objectsOf,
  readRecords,
  recordsOf,
  sensorsOf,
} from '../stores/postgres/files/owned-records.ts'
import { entryName } from './entry-names.ts'
import { readmeOf } from './readme.ts'

export type ArchiveDeps = { db: Database; clickhouse: ClickHouse; files: FileStore }
export type Progress = { parts: number; partsDone: number }

const PIECE_BYTES = 64 * 1024
const PAGE = 500
/** Formats that are compressed already. */
const COMPRESSED = /\.(zip|gz|tgz|7z|png|jpe?g|webp|avif|gif|pdf|docx|xlsx|kmz|parquet|mp4)$/i

type Push = (piece: Uint8Array | string) => Promise<void>

/** @throws when `signal` aborts or a store fails; `path` then holds an incomplete archive */
export async function writeArchive(
  { db, clickhouse, files }: ArchiveDeps,
  ownerId: string,
  path: string,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<void> {
  const { ZipFile } = await import('yazl')
  const zip = new ZipFile()
  const written = pipeline(zip.outputStream, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal })
  // this error is reported below; an entry may fail first
  written.catch(() => undefined)
  const add = (name: string, produce: (push: Push) => Promise<void>, compress = true): Promise<void> =>
    Promise.race([addEntry(zip, name, produce, { compress, signal }), written])

  const owner = { id: ownerId, isPerson: isPerson(ownerId) }
  const records = recordsOf(owner.isPerson)
  const { objects, sensors } = await countParts(db, ownerId)
  const progress = { parts: records.length + objects + sensors, partsDone: 0 }
  const done = (): void => {
    progress.partsDone = Math.min(progress.parts, progress.partsDone + 1)
    onProgress(progress)
  }
  onProgress(progress)

  try {
    await add('README.txt', (push) => push(readmeOf(owner, records, new Date())))
    for (const record of records) {
      await add(`records/${record.table}.ndjson`, (push) =>
        readRecords(db, record, ownerId, async (rows) => {
          for (const row of rows) await push(`${row}\n`)
        }),
      )
      done()
    }
    const missing: OwnedObject[] = []
    for (let after = ''; ; ) {
      const page = await objectsOf(db, ownerId, after, PAGE)
      for (const object of page) {
        if (await files.open(object.key).exists()) {
          const name = `${object.folder}/${entryName(object.filename)}`
          await add(name, (push) => pushFile(files, object.key, push), !COMPRESSED.test(object.filename))
        } else missing.push(object)
        done()
      }
      const last = page.at(-1)
      if (last === undefined) break
      after = last.key
    }
    await add('files/missing.ndjson', async (push) => {
      for (const object of missing) await push(`${JSON.stringify(object)}\n`)
    })
    let enterprise: number | undefined
    for (let after = ''; ; ) {
      const page = await sensorsOf(db, ownerId, after, PAGE)
      for (const sensor of page) {
        enterprise = sensor.enterprise
        for (const month of await monthsWithReadings(clickhouse, sensor.number))
          await add(`readings/${sensor.id}/${month}.csv`, (push) =>
            pushAll(monthOfReadings(clickhouse, sensor, month), push),
          )
        done()
      }
      const last = page.at(-1)
      if (last === undefined) break
      after = last.id
    }
    if (enterprise !== undefined) {
      const number = enterprise
      await add('readings/zone-events.ndjson', (push) => pushAll(zoneEventLines(clickhouse, number), push))
    }
    zip.end()
    await written
  } catch (error) {
    ;(zip.outputStream as PassThrough).destroy(error as Error)
    await written.catch(() => undefined)
    throw error
  }
}

/** Resolves when the entry has been written. */
async function addEntry(
  zip: ZipFile,
  name: string,
  produce: (push: Push) => Promise<void>,
  { compress, signal }: { compress: boolean; signal: AbortSignal },
): Promise<void> {
  const content = new PassThrough({ highWaterMark: PIECE_BYTES })
  const ended = Promise.withResolvers<void>()
  content.once('end', ended.resolve)
  content.once('error', ended.reject)
  // it rejects before anything awaits it
  ended.promise.catch(() => undefined)
  const closed = once(content, 'close').then(() => {
    throw new Error(`the entry ${name} was closed early`)
  })
  closed.catch(() => undefined)
  zip.addReadStream(content, name, { compressionLevel: compress ? 6 : 0, mode: 0o100600 })
  let waiting = ''
  const write = async (piece: Uint8Array | string): Promise<void> => {
    signal.throwIfAborted()
    await nextTurn()
    if (!content.write(piece)) await Promise.race([once(content, 'drain'), closed])
  }
  try {
    await produce(async (piece) => {
      if (typeof piece === 'string') {
        // short lines are written together
        waiting += piece
        if (waiting.length < PIECE_BYTES) return
        const text = waiting
        waiting = ''
        await write(text)
        return
      }
      for (let at = 0; at < piece.length; at += PIECE_BYTES) await write(piece.subarray(at, at + PIECE_BYTES))
    })
    if (waiting !== '') await write(waiting)
    content.end()
    await ended.promise
  } catch (error) {
    content.destroy(error as Error)
    throw error
  }
}

async function pushAll(pieces: AsyncIterable<Uint8Array>, push: Push): Promise<void> {
  for await (const piece of pieces) await push(piece)
}

const pushFile = (files: FileStore, key: string, push: Push): Promise<void> =>
  pushAll(files.open(key).stream() as unknown as AsyncIterable<Uint8Array>, push)
