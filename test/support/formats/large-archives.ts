/** People with files that are generated while an archive of them is written. */
import { crc32 } from 'node:zlib'
import type { FileStore } from '../../../src/stores/files/client.ts'
import type { Postgres } from '../../../src/stores/postgres/client.ts'
import type { Instance } from '../server/instance.ts'

export const MIB = 2 ** 20

let people = 0
/** Key of a file of the newest person. */
export const keyOf = (i: number): string => `fil_${people.toString(16)}${i.toString(16).padStart(31, '0')}`

export async function personWith(
  instance: Instance,
  postgres: Postgres,
  files: { filename: string; bytes: number }[],
): Promise<string> {
  const email = `archive${++people}@example.org`
  const { id } = await instance.manage<{ id: string }>('POST', '/people', { email, plan: 'pro' })
  const rows = files.map(
    ({ filename, bytes }, i) => `('${keyOf(i)}', '${id}', 'upload', '${filename}', 'x/y', ${bytes})`,
  )
  if (rows.length > 0)
    await postgres.script(
      `INSERT INTO stored_files (id, person_id, role, filename, media_type, bytes) VALUES ${rows.join()}`,
    )
  return id
}

/** A store whose files are generated while they are read. */
export const storeOf = (streamOf: (key: string) => ReadableStream<Uint8Array>): FileStore =>
  ({
    open: (key: string) => ({ exists: () => Promise.resolve(true), stream: () => streamOf(key) }),
  }) as unknown as FileStore

const PIECE = 8 * MIB
/** The same letter, repeated. */
export function letters(bytes: number, letter: string): ReadableStream<Uint8Array> {
  const piece = new Uint8Array(PIECE).fill(letter.charCodeAt(0))
  let left = bytes
  return new ReadableStream({
    pull(controller) {
      if (left === 0) return controller.close()
      const next = Math.min(left, PIECE)
      left -= next
      controller.enqueue(next === PIECE ? piece : piece.subarray(0, next))
    },
  })
}
export function crcOf(bytes: number, letter: string): number {
  const piece = new Uint8Array(PIECE).fill(letter.charCodeAt(0))
  let crc = 0
  for (let left = bytes; left > 0; left -= PIECE) crc = crc32(left >= PIECE ? piece : piece.subarray(0, left), crc)
  return crc
}
