/** Receives a body of any size in pieces: each is a file on disk, and is handed over before the next one begins. */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { type AppError, fieldFailure } from '../../errors.ts'
import { nextTurn } from '../../event-loop-yield.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { requireCaller } from '../request-context.ts'
import { ChunkFile } from './chunk-file.ts'
import { beginUpload } from './uploads-under-way.ts'

export type PieceLimits = {
  /** Limit for the whole body. */
  maxBytes: number
  pieceBytes: number
  timeoutMs: number
}

/** How a body ended: complete, timed out, or cut off by a disconnect. */
export type BodyEnd = 'complete' | 'late' | 'cut off'

/**
 * The bytes of a truncated body are handed over too.
 * @param take gets files that it may move
 * @param onChunk sees every byte in its order
 * @throws AppError BODY_TOO_LARGE for a body without a declared length that exceeds the limit
 */
export async function receivePieces(
  request: Request,
  dir: string,
  { maxBytes, pieceBytes, timeoutMs }: PieceLimits,
  take: (path: string, bytes: number) => Promise<void>,
  onChunk: (chunk: Uint8Array) => void = () => undefined,
): Promise<BodyEnd> {
  requireCaller(request)
  const reader = request.body?.getReader()
  if (reader === undefined) return 'complete'
  const underWay = beginUpload(request)
  const late = Promise.withResolvers<'late'>()
  const timer = setTimeout(() => late.resolve('late'), timeoutMs)
  let total = 0
  let ended: BodyEnd | undefined

  async function nextChunk(): Promise<Uint8Array | undefined> {
    await nextTurn()
    const read = await Promise.race([reader?.read().catch(() => 'cut off' as const), late.promise])
    if (read === 'late' || read === 'cut off') ended = read
    else if (read === undefined || read.done) ended = isWhole(request, total) ? 'complete' : 'cut off'
    else return read.value
    return undefined
  }

  try {
    for (let count = 1; ended === undefined; count++) {
      const path = join(dir, `piece-${count}`)
      const out = new ChunkFile(await open(path, 'wx'))
      let bytes = 0
      try {
        while (bytes < pieceBytes) {
          const chunk = await nextChunk()
          if (chunk === undefined) break
          underWay.received(chunk.length)
          bytes += chunk.length
          total += chunk.length
          if (total > maxBytes) throw tooLong(maxBytes)
          onChunk(chunk)
          await out.add(chunk)
        }
        await out.flush()
      } finally {
        await out.close()
      }
      if (bytes > 0) await take(path, bytes)
    }
    return ended
  } finally {
    clearTimeout(timer)
    underWay.end()
    // rejects with the error that ended the body, if there was one
    await reader.cancel().catch(() => undefined)
  }
}

/** A disconnect can look like the end of the body. */
function isWhole({ headers }: Request, bytes: number): boolean {
  const declared = headers.get('content-length')
  return declared === null || Number(declared) === bytes
}

function tooLong(maxBytes: number): AppError {
  return fieldFailure('BODY_TOO_LARGE', 'body', 'maxBytes', fieldText('bytesLeft', { most: maxBytes }))
}
