/** Decoded pixels, whose memory is freed at once. */
import type { OutputInfo } from 'sharp'
import type { Pipeline } from './image.ts'

/**
 * Runs a pipeline and calls back with its pixels, which must not be used afterwards. With garbage collection, pixels of
 * the last run would still be in memory during the next one, and two pictures of 100 megapixels take 600 MB.
 */
export async function withPixels<T>(
  pipeline: Pipeline,
  work: (data: Buffer<ArrayBuffer>, info: OutputInfo) => Promise<T>,
): Promise<T> {
  const { data, info } = await pipeline.raw().toBuffer({ resolveWithObject: true })
  const pixels = data as Buffer<ArrayBuffer>
  try {
    return await work(pixels, info)
  } finally {
    const { buffer, byteLength } = pixels
    if (buffer.byteLength === byteLength) buffer.transfer(0)
  }
}
