/** Image conversion, with results read by ImageMagick. */
import { describe, expect, test } from 'bun:test'
import sharp from 'sharp'
import { difference, identify, picture, pngOfSize, rgba } from '../../../support/formats/images.ts'
import { refusal, runTool } from '../../../support/workers/engine.ts'

const FORMATS = ['png', 'jpeg', 'webp', 'bmp', 'tiff', 'gif'] as const
const NAMES = { png: 'PNG', jpeg: 'JPEG', webp: 'WEBP', bmp: 'BMP3', tiff: 'TIFF', gif: 'GIF' }
const LOSSY = { jpeg: 4, webp: 6, gif: 10 } as Record<string, number>

describe.each(FORMATS)('%s', (from) => {
  test.each(FORMATS)('to %s keeps the image', async (to) => {
    const source = picture(
      `photo.${from}`,
      '-size',
      '97x61',
      'gradient:#204060-#e0a040',
      '-swirl',
      '90',
      '-depth',
      '8',
      `${NAMES[from]}:`,
    )
    const { path, data, filename } = await runTool('image.convert-format', { file: source, target_format: to })
    expect(identify(path, '%m')).toBe(NAMES[to])
    expect(data).toEqual({ width: 97, height: 61, format: to })
    expect(filename).toEndWith(to === 'jpeg' ? '.jpg' : `.${to}`)
    const { mean, max } = difference(rgba(source.path), rgba(path))
    if (LOSSY[to] === undefined) expect(max).toBe(0)
    else expect(mean).toBeLessThan(LOSSY[to] as number)
  })
})

test.each([1, 2, 3, 4, 5, 6, 7, 8])('EXIF orientation %i is applied', async (orientation) => {
  const plain = picture(
    'plain.png',
    '-size',
    '40x24',
    'gradient:red-blue',
    '-fill',
    'white',
    '-draw',
    'rectangle 0,0 9,5',
  )
  const content = await sharp(plain.content)
    .withMetadata({ orientation })
    .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
    .toBuffer()
  const turned = await runTool('image.convert-format', { file: { name: 'a.jpg', content } })
  const { path } = picture('a.jpg', plain.path)
  await Bun.write(path, content)
  const { max } = difference(rgba(path, '-auto-orient'), rgba(turned.path))
  expect(max).toBeLessThanOrEqual(2)
  expect(turned.data).toMatchObject(orientation >= 5 ? { width: 24, height: 40 } : { width: 40, height: 24 })
})

test('keeps EXIF data, but resets the orientation', async () => {
  const exif = { IFD0: { Copyright: 'Groundwave' } }
  const source = picture('a.png', '-size', '40x24', 'gradient:red-blue', 'PNG24:')
  const content = await sharp(source.content).withExif(exif).withMetadata({ orientation: 6 }).jpeg().toBuffer()
  for (const target_format of ['jpeg', 'webp']) {
    const { path } = await runTool('image.convert-format', { file: { name: 'a.jpg', content }, target_format })
    expect(identify(path, '%[EXIF:Copyright] %[EXIF:Orientation] %w %h')).toBe('Groundwave 1 24 40')
  }
})

test.each(['jpeg', 'bmp'])('transparency becomes white in %s, with a warning', async (to) => {
  const source = picture('glass.png', '-size', '50x50', 'radial-gradient:rgba(200,0,0,1)-rgba(0,0,200,0)', 'PNG32:')
  const { path, warnings } = await runTool('image.convert-format', { file: source, target_format: to })
  expect(warnings).toEqual([expect.stringContaining('transparency')])
  expect(difference(rgba(source.path, '-background', 'white', '-flatten'), rgba(path)).mean).toBeLessThan(2)
})

test.each(['webp', 'gif', 'tiff', 'png'])('alpha is kept in %s', async (to) => {
  const source = picture(
    'cut.png',
    '-size',
    '60x40',
    'xc:none',
    '-fill',
    'green',
    '-draw',
    'rectangle 10,10 40,30',
    'PNG32:',
  )
  const { path, warnings } = await runTool('image.convert-format', { file: source, target_format: to })
  expect(warnings.filter((text) => text.includes('transparency'))).toEqual([])
  const { data } = rgba(path)
  const alphaAt = (x: number, y: number) => data[(y * 60 + x) * 4 + 3]
  expect([alphaAt(2, 2), alphaAt(25, 20), alphaAt(55, 35)]).toEqual([0, 255, 0])
})

const animation = () =>
  picture('moving.gif', '-delay', '20', '-size', '30x20', 'xc:red', 'xc:green', 'xc:blue', '-loop', '0')

test('animations are kept between GIF and WebP, frame by frame', async () => {
  const webp = await runTool('image.convert-format', { file: animation(), target_format: 'webp' })
  expect({ data: webp.data, warnings: webp.warnings }).toEqual({
    data: { width: 30, height: 20, format: 'webp' },
    warnings: [],
  })
  const { pages, delay } = await sharp(webp.path, { animated: true }).metadata()
  expect({ pages, delay }).toEqual({ pages: 3, delay: [200, 200, 200] })
  const gif = await runTool('image.convert-format', {
    file: { name: 'a.webp', content: await Bun.file(webp.path).bytes() },
    target_format: 'gif',
  })
  expect(identify(gif.path, '%n %T ').split(' ').slice(0, 2)).toEqual(['3', '20'])
  expect(identify(`${gif.path}[2]`, '%[pixel:p{5,5}]')).toMatch(/blue|srgba?\(0,0,25[45]/)
})

test.each(['png', 'jpeg', 'bmp', 'tiff'])('%s takes the first frame of an animation, with a warning', async (to) => {
  const { path, warnings } = await runTool('image.convert-format', { file: animation(), target_format: to })
  expect(warnings).toEqual([expect.stringContaining('first of 3 frames')])
  const [red = 0, green = 0, blue = 0] = rgba(path).data
  expect(red).toBeGreaterThan(250)
  expect(Math.max(green, blue)).toBeLessThan(5)
})

test('a large photo as GIF is as close to the original as 256 colours allow', async () => {
  const photo = picture(
    'large.png',
    '-size',
    '1800x1300',
    'plasma:tomato-steelblue',
    '-seed',
    '5',
    '-depth',
    '8',
    'PNG24:',
  )
  const { path, data } = await runTool('image.convert-format', { file: photo, target_format: 'gif' })
  expect(data).toEqual({ width: 1800, height: 1300, format: 'gif' })
  const theirs = picture('theirs.gif', photo.path)
  const [mine, other] = [
    difference(rgba(photo.path), rgba(path)).mean,
    difference(rgba(photo.path), rgba(theirs.path)).mean,
  ]
  expect(mine).toBeLessThan(1.2 * other)
})

test('16 bits per sample are kept if the format supports them, otherwise there is a warning', async () => {
  const source = picture(
    'deep.png',
    '-size',
    '300x4',
    'gradient:black-white',
    '-rotate',
    '90',
    '-depth',
    '16',
    'PNG48:',
  )
  const tiff = await runTool('image.convert-format', { file: source, target_format: 'tiff' })
  expect(identify(tiff.path, '%z')).toBe('16')
  expect(identify(tiff.path, '%k')).toBe(identify(source.path, '%k'))
  const jpeg = await runTool('image.convert-format', { file: source, target_format: 'jpeg' })
  expect(jpeg.warnings).toEqual([expect.stringContaining('8 bits')])
})

test('a colour profile is kept with its samples, or the colours are converted', async () => {
  // half of Display P3's red and a fifth of its green
  const p3 = await sharp({ create: { width: 8, height: 8, channels: 3, background: { r: 160, g: 110, b: 90 } } })
    .withIccProfile('p3')
    .png()
    .toBuffer()
  const kept = await runTool('image.convert-format', { file: { name: 'p3.png', content: p3 }, target_format: 'tiff' })
  expect(identify(kept.path, '%[profile:icc]')).toMatch(/p3|Display|sRGB/i)
  const source = await sharp(p3, { ignoreIcc: true }).raw().toBuffer()
  expect([...rgba(kept.path).data.subarray(0, 3)]).toEqual([...source.subarray(0, 3)])
  const { path } = await runTool('image.convert-format', {
    file: { name: 'p3.png', content: p3 },
    target_format: 'bmp',
  })
  const converted = [...rgba(path).data.subarray(0, 3)]
  const expected = p3ToSrgb([source[0] as number, source[1] as number, source[2] as number])
  for (const [i, value] of expected.entries()) expect(Math.abs((converted[i] as number) - value)).toBeLessThanOrEqual(2)
})

/**
 * From the primaries of SMPTE EG 432-1 to the primaries of IEC 61966-2-1, both with the transfer curve of the latter.
 */
function p3ToSrgb(p3: number[]): number[] {
  const [r, g, b] = p3.map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return [
    1.2249401 * r - 0.2249404 * g,
    -0.0420569 * r + 1.0420571 * g,
    -0.0196376 * r - 0.0786361 * g + 1.0982735 * b,
  ].map((linear) => Math.round(255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055)))
}

test('CMYK becomes sRGB, with a warning', async () => {
  const source = picture('print.jpg', '-size', '20x20', 'xc:#3080c0', '-colorspace', 'CMYK', '-quality', '100', 'JPEG:')
  const { path, warnings } = await runTool('image.convert-format', { file: source })
  expect(warnings).toEqual([expect.stringContaining('CMYK')])
  expect(identify(path, '%[colorspace]')).toBe('sRGB')
})

test.each(['BMP2', 'BMP3', 'BMP'])(
  'reads bitmaps with %s headers, including palettes and run-length encoding',
  async (kind) => {
    for (const options of [
      [],
      ['-type', 'Palette'],
      ['-type', 'Palette', '-compress', 'RLE'],
      ['-monochrome'],
      ['-type', 'Palette', '-colors', '12'],
      ['-flip'],
      ['-alpha', 'set', '-channel', 'A', '-evaluate', 'set', '50%', '+channel'],
    ]) {
      const source = picture('a.bmp', '-size', '33x17', 'gradient:red-blue', ...options, `${kind}:`)
      if (kind === 'BMP2') {
        expect((await refusal('image.convert-format', { file: source })).code).toBe('INPUT_UNREADABLE')
        continue
      }
      const { path } = await runTool('image.convert-format', { file: source })
      expect({ options, ...difference(rgba(source.path), rgba(path)) }).toEqual({ options, max: 0, mean: 0 })
    }
  },
)

describe('rejects', () => {
  const text = (name: string, content: string) => ({ name, content: content.padEnd(200) })
  test.each([
    ['SVG', text('a.png', '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>'), 'format'],
    ['PDF', text('a.png', '%PDF-1.7\n1 0 obj\n'), 'format'],
    ['HTML', text('a.jpg', '<!doctype html><html><body></body></html>'), 'format'],
    ['nothing', { name: 'a.png', content: '' }, 'format'],
    ['only a header', pngOfSize(50, 50), 'truncated'],
  ])('%s with the name of an image', async (_what, file, rule) => {
    expect(await refusal('image.convert-format', { file })).toMatchObject({
      code: 'INPUT_UNREADABLE',
      field: 'file',
      rule,
    })
  })

  test('an image whose header claims too many pixels, before decoding', async () => {
    const bmp = Buffer.from(picture('a.bmp', '-size', '2x2', 'xc:red', 'BMP3:').content)
    bmp.writeInt32LE(100_000, 18)
    bmp.writeInt32LE(100_000, 22)
    for (const file of [pngOfSize(100_000, 100_000), { name: 'a.bmp', content: bmp }])
      expect(await refusal('image.convert-format', { file })).toMatchObject({
        code: 'FILE_TOO_LARGE',
        field: 'file',
        rule: 'pixels',
        message: expect.stringContaining('100000 × 100000'),
      })
  })

  test('a GIF of 10,000 frames, or of too many pixels in all frames', async () => {
    const frame = await sharp({ create: { width: 10, height: 10, channels: 3, background: 'red' } })
      .gif()
      .toBuffer()
    const image = frame.subarray(frame.indexOf(Buffer.from([0x2c, 0, 0, 0, 0])), frame.length - 1)
    const head = frame.subarray(0, frame.length - 1)
    const many = Buffer.concat([head, ...Array.from({ length: 9_999 }, () => image), Buffer.from(';')])
    expect(await refusal('image.convert-format', { file: { name: 'a.gif', content: many } })).toMatchObject({
      code: 'FILE_TOO_LARGE',
      rule: 'frames',
    })
    const large = await sharp({ create: { width: 1_000, height: 1_000, channels: 3, background: 'red' } })
      .gif()
      .toBuffer()
    const start = large.indexOf(Buffer.from([0x2c, 0, 0, 0, 0]))
    const parts = [
      large.subarray(0, -1),
      ...Array.from({ length: 100 }, () => large.subarray(start, -1)),
      Buffer.from(';'),
    ]
    const file = { name: 'a.gif', content: Buffer.concat(parts) }
    expect(await refusal('image.convert-format', { file })).toMatchObject({ code: 'FILE_TOO_LARGE', rule: 'pixels' })
  })

  test.each(['png', 'jpg', 'webp', 'bmp', 'tiff', 'gif'])('a truncated %s', async (extension) => {
    const { content } = picture(`a.${extension}`, '-size', '300x200', 'plasma:red-blue', '-seed', '1')
    const cut = { name: `a.${extension}`, content: content.subarray(0, Math.floor(content.length / 2)) }
    const { code, field } = await refusal('image.convert-format', { file: cut })
    expect({ code, field }).toEqual({ code: 'INPUT_UNREADABLE', field: 'file' })
  })

  test('32-bit float measurements, which are not an image', async () => {
    expect(await refusal('image.convert-format', { file: 'dem.tif' })).toMatchObject({ rule: 'depth' })
  })

  test('an image too long for WebP', async () => {
    const background = 'red'
    const content = await sharp({ create: { width: 17_000, height: 2, channels: 3, background } })
      .png()
      .toBuffer()
    const source = { name: 'long.png', content }
    expect(await refusal('image.convert-format', { file: source, target_format: 'webp' })).toMatchObject({
      code: 'VALIDATION_FAILED',
      field: 'target_format',
      rule: 'side',
    })
  })
})
