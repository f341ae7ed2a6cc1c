/** Finds JPEG images of a PDF with damaged data. Renderers silently show the readable part. */
import { readFile } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { isDamagedJpeg } from '../../image/image.ts'
import { decodeLossless, type Filter, fullName } from '../structure/filters.ts'
import { streamsIn } from '../structure/stream-sizes.ts'

const MAX_DECODED_BYTES = 128 * 2 ** 20

/** @returns the number of damaged images; inline images are not examined */
export async function countDamagedImages(path: string, maxPixels: number): Promise<number> {
  let damaged = 0
  for (const { dictionary, data } of streamsIn(await readFile(path))) {
    const filters = filtersIn(dictionary)
    if (filters.pop()?.name !== 'DCTDecode' || !/\/Subtype\s*\/Image\b/.test(dictionary)) continue
    const bytes = filters.length === 0 ? data : await decodeLossless(data, filters, MAX_DECODED_BYTES)
    if (bytes === undefined) continue
    // yields between images, so that other work of this process can continue
    await setImmediate()
    if (await isDamagedJpeg(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), maxPixels)) damaged++
  }
  return damaged
}

/** The filters that a dictionary names itself. */
function filtersIn(dictionary: string): Filter[] {
  const [, list = ''] = /\/Filter\s*(\[[^\]]{0,400}\]|\/[^\s/<>[\](){}%]+)/.exec(dictionary) ?? []
  return [...list.matchAll(/\/([^\s/<>[\](){}%]+)/g)].map(([, name = '']) => ({
    name: fullName(name),
    parms: undefined,
  }))
}
