/** What the chunks before the pixels of a PNG say: its resolution, and whether it is animated (PNG 3, 11.3.6). */
import { open } from 'node:fs/promises'
import { PNG_SIGNATURE_BYTES, perInch, type Resolution } from './resolution.ts'

export type PngHead = {
  resolution: Resolution | undefined
  /** 1 for a still image. */
  frames: number
}

const METRE = 1
/** The wanted chunks come first, so only this many are read. */
const MAX_CHUNKS = 1_000

export async function readPngHead(path: string): Promise<PngHead> {
  const file = await open(path)
  const chunk = Buffer.alloc(17)
  let resolution: Resolution | undefined
  let frames = 1
  try {
    for (let at = PNG_SIGNATURE_BYTES, count = 0; count < MAX_CHUNKS; count++) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, at)
      const type = chunk.toString('latin1', 4, 8)
      if (bytesRead < chunk.length || type === 'IDAT') break
      if (type === 'pHYs' && chunk[16] === METRE) resolution = perInch(chunk.readUInt32BE(8), chunk.readUInt32BE(12))
      if (type === 'acTL') frames = Math.max(1, chunk.readUInt32BE(8))
      at += 12 + chunk.readUInt32BE(0)
    }
  } finally {
    await file.close()
  }
  return { resolution, frames }
}
