/** Reads the chunks before the pixels of a PNG (PNG 3, 11.3): resolution, animation, and the colour space. */
import { open } from 'node:fs/promises'
import { type Warning, warning } from '../../warnings/warning.ts'
import { PNG_SIGNATURE_BYTES, perInch, type Resolution } from './resolution.ts'

export type PngHead = {
  resolution: Resolution | undefined
  /** 1 for a still image. */
  frames: number
  hasProfile: boolean
  /** Colour information that libvips ignores by assuming sRGB. */
  unused: Warning[]
}

const METRE = 1
/** The wanted chunks come first, so only this many are read. */
const MAX_CHUNKS = 1_000
const CHUNK_BYTES = 8 + 32
/** Values of sRGB in gAMA and cHRM, and its code points in cICP (ITU-T H.273). */
const GAMMA = 45_455
const CHROMATICITIES = [31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000]
const SRGB_CODES = Buffer.from([1, 13, 0, 1])
/** Tolerances of libpng: 5 % for gamma, and 0.01 for chromaticities. */
const TOLERANCE = { gamma: 0.05, chromaticity: 1_000 }

export async function readPngHead(path: string): Promise<PngHead> {
  const file = await open(path)
  const chunk = Buffer.alloc(CHUNK_BYTES)
  const head: PngHead = { resolution: undefined, frames: 1, hasProfile: false, unused: [] }
  const whole = (at: number): number => chunk.readUInt32BE(8 + at)
  let [gamma, chromaticities] = [GAMMA, CHROMATICITIES]
  let isSrgb = false
  try {
    for (let at = PNG_SIGNATURE_BYTES, count = 0; count < MAX_CHUNKS; count++) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, at)
      const type = chunk.toString('latin1', 4, 8)
      if (bytesRead < chunk.length || type === 'IDAT') break
      if (type === 'pHYs' && chunk[16] === METRE) head.resolution = perInch(whole(0), whole(4))
      if (type === 'acTL') head.frames = Math.max(1, whole(0))
      if (type === 'iCCP') head.hasProfile = true
      if (type === 'sRGB') isSrgb = true
      if (type === 'gAMA') gamma = whole(0)
      if (type === 'cHRM') chromaticities = CHROMATICITIES.map((_, i) => whole(4 * i))
      if (type === 'cICP' && !chunk.subarray(8, 12).equals(SRGB_CODES))
        head.unused.push(warning('colourSpaceNotApplied'))
      at += 12 + chunk.readUInt32BE(0)
    }
  } finally {
    await file.close()
  }
  if (isSrgb || head.hasProfile) return head
  if (Math.abs(gamma / GAMMA - 1) > TOLERANCE.gamma)
    head.unused.push(warning('gammaNotApplied', { gamma: gamma / 1e5 }))
  if (chromaticities.some((value, i) => Math.abs(value - (CHROMATICITIES[i] as number)) > TOLERANCE.chromaticity))
    head.unused.push(warning('chromaticitiesNotApplied'))
  return head
}
