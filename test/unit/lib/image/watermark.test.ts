/** Marks on images: their pixels, and the unchanged parts of the image. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeImage } from '../../../../src/lib/image/encode.ts'
import type { ImageFormat } from '../../../../src/lib/image/formats.ts'
import { loadSharp, type OpenImage, openImage } from '../../../../src/lib/image/image.ts'
import { type PlacedMark, placeMark, withMark } from '../../../../src/lib/image/watermark.ts'
import { identify, picture, rgba } from '../../../support/formats/images.ts'
import { refusal } from '../../../support/workers/engine.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-marks-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
let made = 0
const newPath = (): string => join(home, `${++made}.jpg`)

function written(bytes: Buffer): string {
  const path = newPath()
  writeFileSync(path, bytes)
  return path
}

const opened = (path: string): Promise<OpenImage> => openImage(path, { maxPixels: 1e8 })

/** @returns the path of the result */
async function marked(image: OpenImage, mark: PlacedMark, format: ImageFormat = 'jpeg'): Promise<string> {
  const path = newPath()
  const { width, height } = await writeImage(withMark(image, mark), format, path)
  expect([width, height]).toEqual([image.width, image.height])
  return path
}

/** A white mark in the top left corner. */
const corner = (image: OpenImage): Promise<PlacedMark> =>
  placeMark(image, { data: new Uint8Array(8 * 8 * 4).fill(255), width: 8, height: 8 }, 'top-left', 1)

const NOISE = ['-seed', '7', 'plasma:fractal', '-attenuate', '0.3', '+noise', 'Gaussian']

test('file names that look like options of libvips are plain names', async () => {
  const [source, target] = ['a[shrink=8].jpg', 'b[Q=1,keep=all].jpg'].map((name) => join(home, name)) as [
    string,
    string,
  ]
  writeFileSync(source, picture('a.jpg', '-size', '70x50', ...NOISE).content)
  const image = await opened(source)
  const mark = await corner(image)
  await writeImage(withMark(image, mark), 'jpeg', target)
  expect(readFileSync(target).equals(readFileSync(await marked(image, mark)))).toBeTrue()
})

test('EXIF data is left out', async () => {
  const sharp = await loadSharp()
  const { content } = picture('a.jpg', '-size', '70x50', ...NOISE)
  const exif = { IFD0: { Copyright: 'Someone', Orientation: '1' } }
  const path = written(await sharp(content).withExif(exif).jpeg().toBuffer())
  expect((await sharp(path).metadata()).exif).toBeDefined()
  const image = await opened(path)
  const result = await marked(image, await corner(image))
  expect((await sharp(result).metadata()).exif).toBeUndefined()
})

test('the tool rejects a truncated JPEG', async () => {
  const { name, content } = picture('a.jpg', '-size', '400x300', ...NOISE)
  const file = { name, content: content.subarray(0, content.length / 2) }
  expect(await refusal('image.image-watermark', { file, text: 'A' })).toMatchObject({
    code: 'INPUT_UNREADABLE',
    field: 'file',
    rule: 'truncated',
  })
})

test.each([
  ['JPEG', 'jpeg', [], 'JPEG:'],
  ['a progressive JPEG', 'jpeg', ['-interlace', 'JPEG'], 'JPEG:'],
  ['JPEG as PNG', 'png', [], 'JPEG:'],
  ['a grey JPEG', 'jpeg', ['-colorspace', 'Gray'], 'JPEG:'],
  ['a JPEG in CMYK', 'jpeg', ['-colorspace', 'CMYK'], 'JPEG:'],
  ['PNG', 'png', [], 'PNG24:'],
  ['PNG with transparency', 'png', ['-alpha', 'set', '-channel', 'A', '-evaluate', 'set', '50%'], 'PNG32:'],
  ['WebP', 'webp', [], 'WEBP:'],
] as const)('a mark on %s', async (_, format, options, form) => {
  const { content } = picture('a', '-size', '60x40', 'xc:#3060a0', ...options, form)
  await expectMarked(await opened(written(content)), format)
})

/** EXIF data with an orientation alone; sharp would store a profile with it. */
const ORIENTATION = Buffer.from(
  'ffe10022457869660000' + '4d4d002a00000008' + '0001' + '011200030000000100060000' + '00000000',
  'hex',
)

test('a mark on an image with a profile, and on one that is turned', async () => {
  const sharp = await loadSharp()
  const { content } = picture('a.jpg', '-size', '60x40', 'xc:#3060a0')
  const profiled = await opened(written(await sharp(content).withIccProfile('p3').jpeg().toBuffer()))
  expect(profiled.hasProfile).toBeTrue()
  await expectMarked(profiled, 'jpeg')
  const turned = await opened(written(Buffer.concat([content.subarray(0, 2), ORIENTATION, content.subarray(2)])))
  expect([turned.width, turned.height, turned.hasProfile]).toEqual([40, 60, false])
  await expectMarked(turned, 'jpeg')
})

async function expectMarked(image: OpenImage, format: ImageFormat): Promise<void> {
  const path = await marked(image, await corner(image), format)
  expect(identify(path, '%m').toLowerCase()).toBe(format)
  const { data, width, height } = rgba(path)
  expect([width, height]).toEqual([image.width, image.height])
  const at = (x: number, y: number): number[] => [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 3)]
  expect(Math.min(...at(5, 5))).toBeGreaterThan(240)
  expect(Math.min(...at(30, 30))).toBeLessThan(120)
}

test('pixels follow the formula of blending, and pixels of other blocks do not change', async () => {
  const colour = [120, 60, 200]
  const { path } = picture('flat.jpg', '-size', '320x96', `xc:rgb(${colour})`, '-quality', '95', '-sampling-factor', 1)
  const image = await opened(path)
  const [width, height, left, top, white] = [256, 40, 33, 24, [250, 240, 20]]
  const data = Buffer.from(Array.from({ length: width * height }, (_, i) => [...white, i % width] as number[]).flat())
  const result = rgba(await marked(image, { data, width, height, left, top }))
  const plain = rgba(await marked(image, { data: Buffer.alloc(4), width: 1, height: 1, left, top }))
  let worst = 0
  for (let y = 0; y < image.height; y++)
    for (let x = 0; x < image.width; x++)
      for (let band = 0; band < 3; band++) {
        const at = (y * image.width + x) * 4 + band
        const isInside = x >= left && x < left + width && y >= top && y < top + height
        const alpha = isInside ? (x - left) / 255 : 0
        const base = colour[band] as number
        const expected = base + ((white[band] as number) - base) * alpha
        worst = Math.max(worst, Math.abs((result.data[at] as number) - expected))
        // blocks of 8 × 8 pixels that the mark touches
        const [blockX, blockY] = [x - (x % 8), y - (y % 8)]
        const isTouched = blockX + 8 > left && blockX < left + width && blockY + 8 > top && blockY < top + height
        if (!isTouched && result.data[at] !== plain.data[at]) throw new Error(`${x}, ${y} changed`)
      }
  // the error of JPEG at the edge of the mark
  expect(worst).toBeLessThan(16)
})
