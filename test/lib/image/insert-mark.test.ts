/** Marks in JPEG: inserting them gives the same files as composing the whole image, and other images are composed. */
import { afterAll, describe, expect, spyOn, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ImageFormat } from '../../../src/lib/image/formats.ts'
import { decoding, loadSharp, type OpenImage, openImage } from '../../../src/lib/image/image.ts'
import { writeMarked } from '../../../src/lib/image/insert-mark.ts'
import { loadLibvips } from '../../../src/lib/image/libvips.ts'
import { type PlacedMark, POSITIONS, placeMark, textMark } from '../../../src/lib/image/watermark.ts'
import { refusal } from '../../support/engine.ts'
import { identify, picture, rgba } from '../../support/images.ts'
import { type Random, seeded, whole } from '../../support/random.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-insert-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
let made = 0
const newPath = (): string => join(home, `${++made}.jpg`)

function written(bytes: Buffer): string {
  const path = newPath()
  writeFileSync(path, bytes)
  return path
}

const opened = (path: string): Promise<OpenImage> => openImage(path, { maxPixels: 1e8 })
const composing = async () => undefined
type Load = typeof loadLibvips

/** The bytes of the result. */
async function marked(image: OpenImage, mark: PlacedMark, load: Load, format: ImageFormat = 'jpeg'): Promise<Buffer> {
  const path = newPath()
  const { width, height } = await writeMarked(image, mark, format, path, load)
  expect([width, height]).toEqual([image.width, image.height])
  return readFileSync(path)
}

/** Expects the same file both ways. */
async function expectSame(image: OpenImage, mark: PlacedMark): Promise<void> {
  expect(image.plain).toBeTrue()
  const [inserted, composed] = [await marked(image, mark, loadLibvips), await marked(image, mark, composing)]
  expect(inserted.equals(composed)).toBeTrue()
}

function randomMark(random: Random, width: number, height: number) {
  return { data: Uint8Array.from({ length: width * height * 4 }, () => whole(random, 256)), width, height }
}

const NOISE = ['-seed', '7', 'plasma:fractal', '-attenuate', '0.3', '+noise', 'Gaussian']
const SOURCES: Record<string, string[]> = {
  'with 4:2:0': ['-sampling-factor', '2x2'],
  'with 4:4:4': ['-sampling-factor', '1x1'],
  'with other subsampling': ['-sampling-factor', '4x1,1x1,1x1'],
  progressive: ['-interlace', 'JPEG'],
  'with its own tables, a comment and a density': ['-comment', 'A', '-density', '300', '-units', 'PixelsPerInch'],
  'with a density per centimetre': ['-density', '47', '-units', 'PixelsPerCentimeter'],
}

test('the library is used on this system', async () => {
  expect(await loadLibvips()).toBeDefined()
})

describe.each(Object.keys(SOURCES))('a JPEG %s is the same both ways', (source) => {
  test.each([
    [211, 157],
    [640, 1031],
    [9, 5],
  ])('of %i × %i pixels', async (width, height) => {
    const { content } = picture('a.jpg', '-size', `${width}x${height}`, ...NOISE, ...(SOURCES[source] as string[]))
    const image = await opened(written(content))
    const random = seeded(width)
    const sizes = [
      [1, 1],
      [Math.ceil(width / 3), Math.ceil(height / 4)],
      [width, height],
      [width, 1],
      [1, height],
    ] as const
    const places = width > 300 ? POSITIONS.slice(0, 2) : POSITIONS
    for (const [i, [markWidth, markHeight]] of sizes.entries())
      for (const position of places) {
        const mark = randomMark(random, markWidth, markHeight)
        await expectSame(image, await placeMark(image, mark, position, i === 2 ? 1 : 0.4))
      }
    for (const position of ['diagonal', 'bottom-right'] as const) {
      const text = await textMark('Groundwave · قراءة', position, image)
      await expectSame(image, await placeMark(image, text, position, 0.4))
    }
  })
})

test('names with what some functions of libvips take for options are only names', async () => {
  const [source, target] = ['a[shrink=8].jpg', 'b[Q=1,keep=all].jpg'].map((name) => join(home, name)) as [
    string,
    string,
  ]
  writeFileSync(source, picture('a.jpg', '-size', '70x50', ...NOISE).content)
  const image = await opened(source)
  const mark = await placeMark(image, randomMark(seeded(1), 20, 10), 'center', 0.5)
  await writeMarked(image, mark, 'jpeg', target)
  expect(readFileSync(target).equals(await marked(image, mark, composing))).toBeTrue()
})

test('EXIF data that states an upright image is left out both ways', async () => {
  const sharp = await loadSharp()
  const { content } = picture('a.jpg', '-size', '70x50', ...NOISE)
  const exif = { IFD0: { Copyright: 'Someone', Orientation: '1' } }
  const image = await opened(written(await sharp(content).withExif(exif).jpeg().toBuffer()))
  expect(image.exif).toBeDefined()
  const mark = await placeMark(image, randomMark(seeded(1), 20, 10), 'center', 0.5)
  await expectSame(image, mark)
  const result = await opened(written(await marked(image, mark, loadLibvips)))
  expect(result.exif).toBeUndefined()
})

/** The bytes of a result, or what went wrong. */
async function outcome(image: OpenImage, mark: PlacedMark, load: Load): Promise<string> {
  try {
    return (await decoding([image], () => marked(image, mark, load))).toString('base64')
  } catch (error) {
    return String(error)
  }
}

test('damaged files fail, or are shown, the same way', async () => {
  const random = seeded(5)
  const kinds = [[], ['-interlace', 'JPEG'], ['-sampling-factor', '1x1']]
  let [failed, shown] = [0, 0]
  for (let i = 0; i < 60; i++) {
    const size = `${20 + whole(random, 400)}x${20 + whole(random, 300)}`
    const { content } = picture('a.jpg', '-size', size, ...NOISE, ...(kinds[i % 3] as string[]))
    const start = content.indexOf(Buffer.from([0xff, 0xda])) + 16
    const end = i % 2 === 0 ? start + whole(random, content.length - start) : content.length
    const bytes = content.subarray(0, end)
    if (i % 2 === 1) for (let n = 0; n < 4; n++) bytes[start + whole(random, end - start)] = whole(random, 256)
    const image = await opened(written(bytes))
    const mark = randomMark(random, 1 + whole(random, image.width), 1 + whole(random, image.height))
    const placed = await placeMark(image, mark, POSITIONS[i % POSITIONS.length] as 'center', 0.5)
    const [inserted, composed] = [await outcome(image, placed, loadLibvips), await outcome(image, placed, composing)]
    expect(inserted).toBe(composed)
    if (composed.startsWith('InputError')) failed++
    else shown++
  }
  expect(Math.min(failed, shown)).toBeGreaterThan(10)
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
  ['grey', 'jpeg', ['-colorspace', 'Gray'], 'JPEG:'],
  ['in CMYK', 'jpeg', ['-colorspace', 'CMYK'], 'JPEG:'],
  ['PNG', 'png', [], 'PNG24:'],
  ['PNG with transparency', 'png', ['-alpha', 'set', '-channel', 'A', '-evaluate', 'set', '50%'], 'PNG32:'],
  ['WebP', 'webp', [], 'WEBP:'],
] as const)('an image that is %s is composed by sharp', async (_, format, options, form) => {
  const { content } = picture('a', '-size', '60x40', 'xc:#3060a0', ...options, form)
  await expectComposed(await opened(written(content)), format)
})

/** EXIF data with an orientation alone; sharp would store a profile with it. */
const ORIENTATION = Buffer.from(
  'ffe10022457869660000' + '4d4d002a00000008' + '0001' + '011200030000000100060000' + '00000000',
  'hex',
)

test('so is one with a profile, and one that is turned', async () => {
  const sharp = await loadSharp()
  const { content } = picture('a.jpg', '-size', '60x40', 'xc:#3060a0')
  const profiled = await opened(written(await sharp(content).withIccProfile('p3').jpeg().toBuffer()))
  expect(profiled.hasProfile).toBeTrue()
  await expectComposed(profiled, 'jpeg')
  const turned = await opened(written(Buffer.concat([content.subarray(0, 2), ORIENTATION, content.subarray(2)])))
  expect([turned.width, turned.height, turned.hasProfile]).toEqual([40, 60, false])
  await expectComposed(turned, 'jpeg')
})

test('so is a JPEG whose result has another format', async () => {
  const { content } = picture('a.jpg', '-size', '60x40', 'xc:#3060a0')
  await expectComposed(await opened(written(content)), 'png')
})

/** Expects a white mark in the top left corner, without the library. */
async function expectComposed(image: OpenImage, format: ImageFormat): Promise<void> {
  const load = spyOn({ load: loadLibvips }, 'load')
  const mark = await placeMark(image, { data: new Uint8Array(8 * 8 * 4).fill(255), width: 8, height: 8 }, 'top-left', 1)
  const path = written(await marked(image, mark, load as unknown as Load, format))
  expect(load).not.toHaveBeenCalled()
  expect(identify(path, '%m').toLowerCase()).toBe(format)
  const { data, width, height } = rgba(path)
  expect([width, height]).toEqual([image.width, image.height])
  const at = (x: number, y: number): number[] => [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 3)]
  expect(Math.min(...at(5, 5))).toBeGreaterThan(240)
  expect(Math.min(...at(30, 30))).toBeLessThan(120)
}

test('pixels follow the formula of blending, and those of other blocks do not change', async () => {
  const colour = [120, 60, 200]
  const { path } = picture('flat.jpg', '-size', '320x96', `xc:rgb(${colour})`, '-quality', '95', '-sampling-factor', 1)
  const image = await opened(path)
  const [width, height, left, top, white] = [256, 40, 33, 24, [250, 240, 20]]
  const data = Buffer.from(Array.from({ length: width * height }, (_, i) => [...white, i % width] as number[]).flat())
  const result = rgba(written(await marked(image, { data, width, height, left, top }, loadLibvips)))
  const plain = rgba(
    written(await marked(image, { data: Buffer.alloc(4), width: 1, height: 1, left, top }, loadLibvips)),
  )
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
