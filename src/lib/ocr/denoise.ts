/** Removes the noise of scanners and cameras, which Arabic models mistake for the dots of letters. */
import { loadSharp } from '../image/image.ts'
import type { GreyImage, Shades } from './grey-image.ts'

/** Only every eighth row is examined to decide whether a page is noisy. */
const SAMPLED_ROWS = 8
/** Differences between neighbours on blank paper, in shades of 256; JPEG has 0 or 1. */
const NOISY_PAPER = 6
/** Share of specks among all pixels; clean pages have fewer than 0.00002. */
const NOISY_SPECKS = 0.0002
/** The smallest blur that libvips does not skip; at 150 dpi it still keeps the dots of letters apart. */
const BLUR = { sigma: 0.85, minAmplitude: 0.05 }

/** Returns clean pages unchanged, because a blur would cost accuracy there. */
export async function denoised(image: GreyImage, { threshold, paper }: Shades): Promise<GreyImage> {
  if (!isNoisy(image, threshold)) return image
  const { width, height } = image
  const data = image.data.slice()
  for (let y = 1; y < height - 1; y++)
    for (let i = y * width + 1; i < (y + 1) * width - 1; i++) if (isSpeck(image, i, threshold)) data[i] = paper
  const sharp = await loadSharp()
  const blurred = sharp(data, { raw: { width, height, channels: 1 } }).blur(BLUR)
  return { data: await blurred.extractChannel(0).raw().toBuffer(), width, height }
}

/** A dark pixel without a dark neighbour; the smallest dots of letters have two pixels a side at 150 dpi. */
function isSpeck({ data, width }: GreyImage, i: number, threshold: number): boolean {
  if ((data[i] as number) >= threshold) return false
  for (let row = i - width; row <= i + width; row += width)
    for (let near = row - 1; near <= row + 1; near++) if (near !== i && (data[near] as number) < threshold) return false
  return true
}

function isNoisy(image: GreyImage, threshold: number): boolean {
  const { data, width, height } = image
  const differences = new Uint32Array(256)
  let [specks, paper, examined] = [0, 0, 0]
  for (let y = 1; y < height - 1; y += SAMPLED_ROWS) {
    examined += width
    for (let i = y * width + 1; i < (y + 1) * width - 1; i++) {
      const value = data[i] as number
      if (value < threshold) {
        if (isSpeck(image, i, threshold)) specks++
        continue
      }
      const next = data[i + 1] as number
      if (next < threshold) continue
      const difference = Math.abs(value - next)
      differences[difference] = (differences[difference] as number) + 1
      paper++
    }
  }
  let [median, below] = [0, differences[0] as number]
  while (below < paper / 2) below += differences[++median] as number
  return median >= NOISY_PAPER || specks > NOISY_SPECKS * examined
}
