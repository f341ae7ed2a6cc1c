/**
 * Parts of an image file besides the pixels that tools use, and its colour information: used, or named in a warning.
 */
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import { difference, picture, rgba } from '../../support/formats/images.ts'
import { outputOf } from '../../support/program.ts'
import { segment, TYPE, withSegments, xmpSegment } from '../../support/twins/exif-blocks.ts'
import { refusal, runTool } from '../../support/workers/engine.ts'

type Sent = { name: string; content: Uint8Array }
const colour = (name: string, ...more: string[]): Buffer =>
  picture(`${name}.jpg`, '-size', '40x24', `xc:${name}`, ...more).content

/** A JPEG with further pictures after it, and the index that names them (CIPA DC-007). */
function multiPicture(first: Buffer, others: readonly (readonly [type: number, jpeg: Buffer])[]): Buffer {
  const [INDEX_BYTES, START] = [8 + 2 + 3 * 12 + 4, 10]
  const index = Buffer.alloc(INDEX_BYTES + 16 * (others.length + 1))
  const total = first.length + 8 + index.length
  index.write('II*\0\x08\0\0\0\x03\0', 'latin1')
  const entries = [
    [0xb000, TYPE.UNDEFINED, 4, Buffer.from('0100').readUInt32LE(0)],
    [0xb001, TYPE.LONG, 1, others.length + 1],
    [0xb002, TYPE.UNDEFINED, 16 * (others.length + 1), INDEX_BYTES],
  ] as const
  for (const [i, [tag, type, count, value]] of entries.entries()) {
    index.writeUInt16LE(tag, 10 + 12 * i)
    index.writeUInt16LE(type, 12 + 12 * i)
    index.writeUInt32LE(count, 14 + 12 * i)
    index.writeUInt32LE(value, 18 + 12 * i)
  }
  index.writeUInt32LE(0x030000, INDEX_BYTES)
  index.writeUInt32LE(total, INDEX_BYTES + 4)
  let at = total
  for (const [i, [type, jpeg]] of others.entries()) {
    const entry = INDEX_BYTES + 16 * (i + 1)
    index.writeUInt32LE(type, entry)
    index.writeUInt32LE(jpeg.length, entry + 4)
    index.writeUInt32LE(at - START, entry + 8)
    at += jpeg.length
  }
  const head = withSegments(first, segment(0xe2, 'MPF\0', index))
  return Buffer.concat([head, ...others.map(([, jpeg]) => jpeg)])
}

const [STEREO, THUMBNAIL, UNDEFINED] = [0x020002, 0x010002, 0]
const convert = (content: Uint8Array, target_format: string, name = 'a') =>
  runTool('image.convert-format', { file: { name, content }, target_format })

/** The tools that use one picture of a file, with the field that a warning names. */
const USES: [tool: string, field: string, input: (file: Sent) => Record<string, unknown>][] = [
  ['image.image-watermark', 'file', (file) => ({ file, text: 'X' })],
  ['image.image-watermark', 'logo', (logo) => ({ file: 'dull.jpg', wm_mode: 'image', logo })],
  ['image.merge-images', 'files.0', (file) => ({ files: [file, file] })],
  ['image.enhance-quality', 'file', (file) => ({ file })],
  ['document.images-to-pdf', 'files.0', (file) => ({ files: [file] })],
  ['document.pdf-watermark', 'logo', (logo) => ({ file: 'report.pdf', wm_mode: 'image', logo })],
]

describe('several pictures in a JPEG', () => {
  const stereo = multiPicture(colour('red'), [[STEREO, colour('blue')]])

  test('are counted as exiftool does', async () => {
    const { path } = picture('stereo.mpo', 'xc:red', 'JPEG:')
    await Bun.write(path, stereo)
    expect(outputOf('exiftool', ['-s3', '-NumberOfImages', path]).toString().trim()).toBe('2')
  })

  test.each(['png', 'webp', 'gif', 'bmp', 'tiff'])('to %s: a warning', async (to) => {
    expect((await convert(stereo, to)).warnings).toEqual(['Only the first of 2 pictures was converted.'])
  })

  test('all of them stay where the file is copied', async () => {
    const { path, warnings } = await convert(stereo, 'jpeg')
    expect({ warnings, same: readFileSync(path).equals(stereo) }).toEqual({ warnings: [], same: true })
  })

  test.each(USES)('%s, field %s: a warning', async (tool, field, input) => {
    const { warnings } = await runTool(tool, input({ name: 'a.jpg', content: stereo }))
    expect(warnings).toContain(`${field}: only the first of 2 pictures was used.`)
  })

  test('OCR and the reader of metadata: a warning', async () => {
    const file = { name: 'a.jpg', content: stereo }
    expect((await runTool('document.ocr', { file })).warnings).toContain('Only the first of its 2 pictures was read.')
    expect((await runTool('convert.extract-exif', { files: [file] })).warnings).toEqual([
      'files.0: only the first of 2 pictures was read.',
    ])
  })

  test('large thumbnails, and an index whose pictures are missing, cause no warning', async () => {
    const preview = multiPicture(colour('red'), [[THUMBNAIL, colour('red', '-resize', '50%')]])
    const cut = stereo.subarray(0, stereo.indexOf(Buffer.from('ffd8ffe0', 'hex'), 4))
    for (const content of [preview, cut]) expect((await convert(content, 'png')).warnings).toEqual([])
  })

  test('pictures of a HEIC', async () => {
    const heic = await sharp({ create: { width: 16, height: 16, channels: 3, background: '#345' } })
      .withExif({ IFD0: { Make: 'Apple' } })
      .avif()
      .toBuffer()
    heic.write('heic', 8, 'latin1')
    const warnings = async (content: Buffer) =>
      (await runTool('convert.extract-exif', { files: [{ name: 'a.heic', content }] })).warnings
    expect(await warnings(heic)).toEqual([])
    // a second entry after the others
    const entry = Buffer.from(heic.subarray(heic.indexOf('infe') - 4, heic.indexOf('infe') + 17))
    entry.write('Exif', 16, 'latin1')
    expect(await warnings(Buffer.concat([heic, entry]))).toEqual([
      expect.stringContaining('only the first of 2 pictures'),
    ])
  })
})

describe('segments and appended pictures of a JPEG', () => {
  const gainMap = withSegments(
    colour('gray'),
    xmpSegment(
      '<x:xmpmeta><rdf:Description xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:Version="1.0"/></x:xmpmeta>',
    ),
  )
  const motion = withSegments(
    colour('red'),
    xmpSegment('<x:xmpmeta><rdf:Description GCamera:MotionPhoto="1"/></x:xmpmeta>'),
  )

  test('a gain map is not counted as a picture, and causes a warning', async () => {
    const content = multiPicture(colour('red'), [[UNDEFINED, gainMap]])
    expect((await convert(content, 'png')).warnings).toEqual(['Its gain map for HDR screens was left out.'])
    expect((await convert(content, 'jpeg')).warnings).toEqual([])
    const { warnings } = await runTool('document.images-to-pdf', { files: [{ name: 'a.jpg', content }] })
    expect(warnings).toEqual(['files.0: its gain map for HDR screens was left out.'])
  })

  test('a video has a warning', async () => {
    expect((await convert(motion, 'webp')).warnings).toEqual(['Its video was left out.'])
  })
})

describe('colours', () => {
  const BAD = Buffer.concat([Buffer.alloc(36), Buffer.from('acsp'), Buffer.alloc(88, 7)])
  BAD.writeUInt32BE(BAD.length)
  const WARNING = 'its colour profile cannot be used, and was ignored: colours may be others.'
  const ofJpeg = (kind: string): Buffer =>
    withSegments(colour('tomato', '-colorspace', kind), segment(0xe2, 'ICC_PROFILE\0\x01\x01', BAD))

  test.each(['sRGB', 'Gray', 'CMYK'])('a profile of a %s JPEG that LittleCMS rejects has a warning', async (kind) => {
    const content = ofJpeg(kind)
    for (const to of ['png', 'bmp'])
      expect((await convert(content, to)).warnings).toContain(WARNING.replace('its', 'Its'))
    for (const [tool, field, input] of USES)
      expect((await runTool(tool, input({ name: 'a.jpg', content }))).warnings).toContain(`${field}: ${WARNING}`)
    // for each file of a list
    const files = Array.from({ length: 4 }, () => ({ name: 'a.jpg', content }))
    expect(
      (await runTool('image.merge-images', { files })).warnings.filter((text) => text.endsWith(WARNING)),
    ).toHaveLength(4)
  })

  test('a profile for another kind of samples has a warning, and a fitting one has none', async () => {
    const { data } = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#a52' } })
      .withIccProfile('p3')
      .jpeg()
      .toBuffer({ resolveWithObject: true })
    expect((await convert(data, 'bmp')).warnings).toEqual([])
    const profile = (await sharp(data).metadata()).icc as Buffer
    const grey = withSegments(colour('gray', '-colorspace', 'Gray'), segment(0xe2, 'ICC_PROFILE\0\x01\x01', profile))
    expect((await convert(grey, 'bmp')).warnings).toEqual([WARNING.replace('its', 'Its')])
  })

  /** A grey PNG with a chunk after its header. */
  function png(type: string, numbers: readonly number[], bytesEach = 4): Buffer {
    const plain = picture('plain.png', '-size', '8x8', 'xc:gray(50%)', '-strip', 'PNG24:').content
    const chunk = Buffer.alloc(12 + bytesEach * numbers.length)
    chunk.writeUInt32BE(bytesEach * numbers.length)
    chunk.write(type, 4, 'latin1')
    for (const [i, number] of numbers.entries()) chunk.writeUIntBE(number, 8 + bytesEach * i, bytesEach)
    chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4)
    // without chunks that ImageMagick writes
    const pixels = plain.indexOf('IDAT') - 4
    return Buffer.concat([plain.subarray(0, 33), chunk, plain.subarray(pixels)])
  }
  const WIDE = [31_270, 32_900, 64_000, 33_000, 21_000, 71_000, 15_000, 6_000]
  const SRGB = [31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000]

  test.each([
    ['gAMA', [45_455], 4, undefined],
    ['gAMA', [100_000], 4, 'gamma of 1'],
    ['cHRM', SRGB, 4, undefined],
    ['cHRM', WIDE, 4, 'chromaticities'],
    ['cICP', [1, 13, 0, 1], 1, undefined],
    ['cICP', [9, 16, 0, 1], 1, 'cICP'],
  ] as const)('%s %p of a PNG', async (type, numbers, bytesEach, warning) => {
    const content = png(type, numbers, bytesEach)
    const expected = warning === undefined ? [] : [expect.stringContaining(warning)]
    expect((await convert(content, 'webp')).warnings).toEqual(expected)
    const file = { name: 'a.png', content }
    expect((await runTool('image.merge-images', { files: [file, file] })).warnings).toHaveLength(2 * expected.length)
  })

  test('a profile in a bitmap has a warning', async () => {
    const { content } = picture('v5.bmp', '-size', '8x8', 'xc:tomato', '-type', 'TrueColorAlpha', 'BMP:')
    expect(content.readUInt32LE(14)).toBeGreaterThanOrEqual(108)
    content.write('DEBM', 70, 'latin1')
    expect((await convert(content, 'png')).warnings).toEqual([WARNING.replace('its', 'Its')])
  })
})

test('a TIFF in tiles with separate planes, which libvips cannot decode, is not called damaged', async () => {
  const tiles = ['-size', '40x40', 'gradient:red-blue', '-interlace', 'Plane', '-define', 'tiff:tile-geometry=16x16']
  expect(await refusal('image.convert-format', { file: picture('planes.tif', ...tiles) })).toMatchObject({
    code: 'INPUT_UNREADABLE',
    field: 'file',
    rule: 'unreadable',
  })
})

test.each([1, 2, 4, 8, 16])('a TIFF of %i bits, in which 0 is white, is not inverted', async (bits) => {
  const grey = ['-size', '6x40', 'gradient:black-white', '-type', bits === 1 ? 'Bilevel' : 'Grayscale', '-depth', bits]
  const source = picture('grey.tif', ...grey, '-define', 'quantum:polarity=min-is-white')
  for (const to of ['png', 'jpeg', 'bmp']) {
    const { path } = await convert(source.content, to)
    expect(difference(rgba(source.path), rgba(path)).max).toBeLessThanOrEqual(to === 'jpeg' ? 16 : 1)
  }
  const merged = await runTool('image.merge-images', { files: [source, source], layout: 'horizontal' })
  expect(difference(rgba(source.path), rgba(merged.path, '-crop', '6x40+0+0')).max).toBeLessThanOrEqual(1)
})
