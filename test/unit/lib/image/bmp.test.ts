/** BMP compared with the pixels that were drawn, and with ImageMagick. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { bmpBlocks, readBmp, readBmpHeader } from '../../../../src/lib/image/bmp.ts'
import { InputError } from '../../../../src/lib/input-error.ts'
import { anyBitmap, BITMAPS, type Bitmap } from '../../../support/formats/bmps.ts'
import { difference, magick } from '../../../support/formats/images.ts'
import { mutated, runs, sampled, succeedsOrRejects } from '../../../support/fuzz.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-bmp-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const path = join(home, 'one.bmp')

const MAX_PIXELS = 100_000

async function decode(bytes: Uint8Array) {
  writeFileSync(path, bytes)
  const header = await readBmpHeader(path)
  // as every caller does before an image is decoded
  if (header.width * header.height > MAX_PIXELS) throw new InputError('pixels', { en: 'is too large', ar: 'كبير جدًا' })
  return readBmp(path, header)
}

/** Four channels; opaque if the image had three. */
function rgbaOf({ data, channels }: { data: Uint8Array; channels: number }): Uint8Array {
  if (channels === 4) return data
  const rgba = new Uint8Array((data.length / 3) * 4).fill(255)
  for (let i = 0; i < data.length / 3; i++) rgba.set(data.subarray(3 * i, 3 * i + 3), 4 * i)
  return rgba
}

for (const [name, bitmaps] of Object.entries(BITMAPS))
  test(`${name}: shows the drawn pixels`, async () => {
    await fc.assert(
      fc.asyncProperty(bitmaps, async ({ form, bytes, width, height, rgba }) => {
        const read = await decode(bytes)
        expect([form, read.width, read.height]).toEqual([form, width, height])
        expect(rgbaOf(read)).toEqual(rgba)
      }),
      runs(300),
    )
  })

test('ImageMagick reads the same image from every form', async () => {
  // ImageMagick 6 does not read four masks after an old header, always reads four within a newer one, widens samples of
  // four bits and fewer by zeros, and takes the colours of OS/2's header of 64 bytes for triples
  const misread = /^16 bits of f00| (8000|c0000000),|^(1|4|8|run).* of 64|^(16|32) bits .* of 52/
  const known = anyBitmap.filter(({ bytes, form }) => bytes.readUInt32LE(30) !== 6 && !misread.test(form))
  const bitmaps = sampled(known, 150)
  const paths = bitmaps.map(({ bytes }, i) => {
    writeFileSync(join(home, `${i}.bmp`), bytes)
    return join(home, `${i}.bmp`)
  })
  const theirs = magick(...paths, '-depth', 8, 'rgba:-')
  let at = 0
  for (const { form, bytes, rgba } of bitmaps) {
    const ours = rgbaOf(await decode(bytes))
    const { max } = difference({ data: theirs.subarray(at, at + rgba.length) }, { data: Buffer.from(ours) })
    // ImageMagick widens samples of fewer bits by repeating them, which may round the other way
    expect({ form, isSame: max <= (form.startsWith('16 bits') ? 1 : 0) }).toEqual({ form, isSame: true })
    at += rgba.length
  }
  expect(at).toBe(theirs.length)
})

test('ImageMagick and our reader read a written file back unchanged', async () => {
  const pixels = fc
    .tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 12 }))
    .chain(([width, height]) =>
      fc
        .uint8Array({ minLength: width * height * 3, maxLength: width * height * 3 })
        .map((data) => ({ width, height, data })),
    )
  await fc.assert(
    fc.asyncProperty(pixels, async ({ width, height, data }) => {
      expect(await decode(Buffer.concat([...bmpBlocks({ width, height, data })]))).toEqual({
        width,
        height,
        data,
        channels: 3,
      })
    }),
    runs(200),
  )
  const samples = sampled(pixels, 30)
  const paths = samples.map((sample, i) => {
    writeFileSync(join(home, `written-${i}.bmp`), Buffer.concat([...bmpBlocks(sample)]))
    return join(home, `written-${i}.bmp`)
  })
  expect(magick(...paths, '-depth', 8, 'rgb:-')).toEqual(Buffer.concat(samples.map(({ data }) => data)))
})

test('a broken file is rejected or decoded to its size', async () => {
  const files = fc.sample(anyBitmap, { numRuns: 60, seed: 1 }).map(({ bytes }: Bitmap) => bytes)
  await fc.assert(
    fc.asyncProperty(mutated(...files), async (bytes) => {
      const read = await succeedsOrRejects(() => decode(bytes))
      if (read !== undefined) expect(read.data.length).toBe(read.width * read.height * read.channels)
    }),
    runs(4_000),
  )
})

test('runs that leave the image are fast', async () => {
  const [{ bytes: small }] = fc.sample(BITMAPS.runLengths, { numRuns: 1, seed: 1 }) as [Bitmap]
  const head = small.subarray(0, small.readUInt32LE(10))
  // 255 pixels of colour 0, repeated without an end
  const pixels = Buffer.alloc(16 * 2 ** 20, Buffer.of(255, 0))
  expect(await succeedsOrRejects(() => decode(Buffer.concat([head, pixels])))).toBeUndefined()
})
