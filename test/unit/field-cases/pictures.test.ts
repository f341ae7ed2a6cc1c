/** Kinds of pictures that other programs misread: losses have a warning, or the file is rejected. */
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { difference, identify, magick, picture, rgba } from '../../support/formats/images.ts'
import { outputOf } from '../../support/program.ts'
import { refusal, runTool } from '../../support/workers/engine.ts'

const FOLDER = join(import.meta.dir, '../../fixtures/field-cases')
const fieldCase = (name: string) => ({ name, content: readFileSync(join(FOLDER, name)), path: join(FOLDER, name) })
const convert = (file: { name: string; content: Uint8Array }, target_format: string) =>
  runTool('image.convert-format', { file, target_format })

/** @returns the path of the first picture of a ZIP */
async function firstPage(zip: string): Promise<string> {
  const { path } = picture('page.png', 'xc:red')
  const [first = ''] = outputOf('unzip', ['-Z1', zip]).toString().split('\n')
  await Bun.write(path, outputOf('unzip', ['-p', zip, first]))
  return path
}

/** An image tool, its input, and the name of the field. */
type Use = [
  tool: string,
  field: string,
  input: (file: { name: string; content: Uint8Array }) => Record<string, unknown>,
]
const USES: Use[] = [
  ['image.image-watermark', 'file', (file) => ({ file, text: 'X' })],
  ['image.image-watermark', 'logo', (logo) => ({ file: 'dull.jpg', wm_mode: 'image', logo })],
  ['image.merge-images', 'files.0', (file) => ({ files: [file, file] })],
  ['image.enhance-quality', 'file', (file) => ({ file })],
  ['document.images-to-pdf', 'files.0', (file) => ({ files: [file] })],
  ['document.pdf-watermark', 'logo', (logo) => ({ file: 'report.pdf', wm_mode: 'image', logo })],
  [
    'document.document-sign',
    'signature',
    (signature) => ({ file: 'report.pdf', signature, placements: [{ page: 0, x: 0, y: 0, w: 0.5, h: 0.5 }] }),
  ],
]

describe('frames', () => {
  test.each(['gif', 'webp', 'jpeg', 'bmp', 'tiff', 'png'])(
    'of a PNG to %s: only the first, with a warning',
    async (to) => {
      const { warnings, path } = await convert(fieldCase('46-animated.png'), to)
      expect(warnings).toEqual([expect.stringContaining('only the first of 2 frames')])
      expect(difference(rgba(fieldCase('46-animated.png').path), rgba(path)).mean).toBeLessThan(2)
    },
  )

  test.each(USES)('of a PNG in %s, field %s', async (tool, field, input) => {
    const { warnings } = await runTool(tool, input(fieldCase('46-animated.png')))
    expect(warnings).toContain(`${field}: only the first of 2 frames was used.`)
  })

  test('overviews and masks of a TIFF are not counted as pages', async () => {
    const page = picture('page.tif', '-size', '640x480', 'gradient:red-blue', '-depth', '8', '-compress', 'none')
    const small = picture('small.tif', '-size', '320x240', 'gradient:red-blue', '-depth', '8', '-compress', 'none')
    const both = picture('both.tif', page.path, small.path)
    // NewSubfileType of the second directory; ImageMagick writes the entry for each image
    const bytes = Buffer.from(both.content)
    const second = bytes.readUInt32LE(directoryEnd(bytes, bytes.readUInt32LE(4)))
    bytes.writeUInt32LE(1, entryOf(bytes, second, 254) + 8)
    expect((await convert({ name: 'overview.tif', content: bytes }, 'png')).warnings).toEqual([])
    expect((await convert(both, 'png')).warnings).toEqual(['Only the first of 2 pages was converted.'])
    const { data } = await runTool('document.ocr', { file: { name: 'overview.tif', content: bytes } })
    expect(data).toMatchObject({ pageCount: 1 })
  })

  test('a raw file of a camera, whose first image is a preview, is rejected', async () => {
    // ImageMagick writes the entry for files of several images
    const bytes = Buffer.from(picture('raw.tif', '-size', '160x120', 'xc:red', 'xc:blue').content)
    bytes.writeUInt32LE(1, entryOf(bytes, bytes.readUInt32LE(4), 254) + 8)
    expect(await refusal('image.convert-format', { file: { name: 'raw.dng', content: bytes } })).toMatchObject({
      code: 'INPUT_UNREADABLE',
      field: 'file',
      rule: 'raw',
    })
  })
})

function entryOf(tiff: Buffer, directory: number, tag: number): number {
  for (let at = directory + 2; at < directoryEnd(tiff, directory); at += 12)
    if (tiff.readUInt16LE(at) === tag) return at
  throw new Error(`no tag ${tag}`)
}
const directoryEnd = (tiff: Buffer, directory: number): number => directory + 2 + 12 * tiff.readUInt16LE(directory)

describe('profiles', () => {
  const mean = (path: string): number => Number(identify(path, '%[fx:255*mean]'))

  // LittleCMS: 176.5
  test.each(['webp', 'bmp', 'gif'])('a grey one is applied in %s', async (to) => {
    const { path } = await convert(fieldCase('136-grey-profile.png'), to)
    expect(mean(path)).toBeCloseTo(176.5, 0)
  })

  test('a grey one of a JPEG, and of 16 bits', async () => {
    const jpeg = await sharp(fieldCase('136-grey-profile.png').path)
      .keepIccProfile()
      .toColourspace('b-w')
      .jpeg({ quality: 100 })
      .toBuffer()
    const deep = await sharp(fieldCase('136-grey-profile.png').path)
      .keepIccProfile()
      .toColourspace('grey16')
      .png()
      .toBuffer()
    expect(await sharp(deep).metadata()).toMatchObject({ space: 'grey16', hasProfile: true })
    for (const content of [jpeg, deep])
      for (const to of ['webp', 'bmp', 'gif'])
        expect(mean((await convert({ name: 'grey', content }, to)).path)).toBeCloseTo(176.5, 0)
  })

  const deepRed = () =>
    sharp({ create: { width: 8, height: 8, channels: 3, background: '#ff2010' } })
      .toColourspace('rgb16')
      .withIccProfile('srgb')
      .png()
      .toBuffer()
  const colourOf = (path: string): number[] => [...rgba(path).data.subarray(0, 3)]
  /** A conversion from the sRGB profile to sRGB itself. */
  const isRed = ([r = 0, g = 0, b = 0]: number[]) =>
    expect(Math.max(Math.abs(r - 255), Math.abs(g - 32), Math.abs(b - 16))).toBeLessThanOrEqual(2)

  test.each(['png', 'jpeg', 'webp', 'bmp', 'tiff', 'gif'])('16-bit sRGB stays sRGB in %s', async (to) => {
    isRed(colourOf((await convert({ name: 'deep.png', content: await deepRed() }, to)).path))
  })

  test('16-bit sRGB stays sRGB in other tools', async () => {
    const content = await deepRed()
    const file = { name: 'deep.png', content }
    const { path } = await runTool('image.merge-images', { files: [file, file] })
    isRed(colourOf(path))
    const pdf = await runTool('document.images-to-pdf', { files: [file], page_mode: 'fit' })
    const png = await runTool('document.pdf-to-images', {
      file: { name: 'a.pdf', content: readFileSync(pdf.path) },
      dpi: '72',
    })
    isRed(colourOf(await firstPage(png.path)))
  })
})

describe('resolution', () => {
  /** Horizontal and vertical resolution and the unit, in the words of exiftool and libtiff. */
  const stated = (path: string) =>
    identify(path, '%x %y %U').replaceAll(/(\d+\.\d+)/g, (n) => String(Math.round(Number(n))))
  const at300 = (format: string) =>
    picture(
      `at300.${format}`,
      '-size',
      '64x48',
      'gradient:red-blue',
      '-depth',
      '8',
      '-density',
      '300',
      '-units',
      'PixelsPerInch',
    )

  test.each(['tiff', 'png', 'jpeg'])('of a TIFF of 300 dpi stays in %s', async (to) => {
    const { path } = await convert(fieldCase('137-300-dpi.tif'), to)
    expect([`300 300 PixelsPerInch`, '118 118 PixelsPerCentimeter']).toContain(stated(path))
  })

  test.each(['png', 'jpg', 'tif', 'bmp'])('of a %s of 300 dpi stays', async (from) => {
    for (const to of ['tiff', 'png', 'jpeg'])
      if (to.slice(0, 3) !== from.slice(0, 3))
        expect(['300 300 PixelsPerInch', '118 118 PixelsPerCentimeter']).toContain(
          stated((await convert(at300(from), to)).path),
        )
  })

  test.each(['png', 'jpg', 'tif', 'webp', 'gif', 'bmp'])('that a %s does not state is not made up', async (from) => {
    const plain = picture(
      `plain.${from}`,
      '-size',
      '20x10',
      'gradient:red-blue',
      '-depth',
      '8',
      '+density',
      '-units',
      'Undefined',
    )
    // ImageMagick writes 72 dots per inch into a bitmap
    if (from === 'bmp') plain.content.fill(0, 38, 46)
    for (const to of ['tiff', 'png', 'jpeg']) {
      const { path } = await convert(plain, to)
      if (plain.name.slice(-3) !== to.slice(0, 3)) expect(stated(path)).toEndWith('Undefined')
    }
  })

  test.each(['image.image-watermark', 'image.enhance-quality'])('%s keeps it, and makes none up', async (tool) => {
    const more = tool === 'image.image-watermark' ? { text: 'X' } : {}
    const kept = await runTool(tool, { file: at300('png'), ...more })
    expect(stated(kept.path)).toBe('118 118 PixelsPerCentimeter')
    const plain = picture('plain.jpg', '-size', '20x10', 'gradient:red-blue', '-units', 'Undefined')
    expect(stated((await runTool(tool, { file: plain, ...more })).path)).toEndWith('Undefined')
  })

  test('pages of a PDF get the resolution of the call', async () => {
    for (const dpi of ['72', '150']) {
      const { path } = await runTool('document.pdf-to-images', { file: 'report.pdf', dpi })
      expect(stated(await firstPage(path))).toBe(
        dpi === '72' ? '28 28 PixelsPerCentimeter' : '59 59 PixelsPerCentimeter',
      )
    }
  })

  test('different in both directions has a warning', async () => {
    const fax = picture(
      'fax.tif',
      '-size',
      '64x24',
      'xc:white',
      '-density',
      '204x98',
      '-units',
      'PixelsPerInch',
      '-compress',
      'Group4',
      '-monochrome',
    )
    const { warnings, path } = await convert(fax, 'png')
    expect(warnings).toEqual([expect.stringContaining('204 × 98')])
    expect(stated(path)).toEndWith('Undefined')
  })
})

describe('GIF', () => {
  test('half-transparent pixels have a warning', async () => {
    const { warnings } = await convert(fieldCase('138-half-transparent.png'), 'gif')
    expect(warnings).toContainEqual(expect.stringContaining('half-transparent'))
  })

  test('of 200 colours stays unchanged, from a GIF and from a PNG', async () => {
    const source = fieldCase('139-200-colours.gif')
    const png = await convert(source, 'png')
    for (const file of [source, { name: 'a.png', content: readFileSync(png.path) }]) {
      const { path, warnings } = await convert(file, 'gif')
      expect(difference(rgba(source.path), rgba(path)).max).toBe(0)
      expect(warnings).toEqual([])
    }
  })

  test('of two colours has no warning', async () => {
    const { path, warnings } = await convert(fieldCase('145-two-colours.png'), 'gif')
    expect(warnings).toEqual([])
    expect(difference(rgba(fieldCase('145-two-colours.png').path), rgba(path)).max).toBe(0)
  })

  test('of more colours has a warning', async () => {
    const photo = picture('photo.png', '-size', '100x100', 'plasma:red-blue', '-seed', '3', '-depth', '8', 'PNG24:')
    expect((await convert(photo, 'gif')).warnings).toEqual(['GIF allows at most 256 colours per frame.'])
  })
})

describe('lossless', () => {
  const photo = (format: string) =>
    picture(`photo.${format}`, '-size', '90x70', 'plasma:tomato-steelblue', '-seed', '5', '-depth', '8')

  test.each(['png', 'bmp', 'tif'])('%s to WebP keeps every pixel', async (from) => {
    const source = photo(from)
    expect(difference(rgba(source.path), rgba((await convert(source, 'webp')).path)).max).toBe(0)
  })

  test('a lossless WebP stays lossless with a watermark', async () => {
    const source = await convert(photo('png'), 'webp')
    const { path } = await runTool('image.image-watermark', {
      file: { name: 'a.webp', content: readFileSync(source.path) },
      text: 'X',
      position: 'bottom-right',
    })
    const corner = (of: string) => ({ data: magick(of, '-crop', '90x30+0+0', '-depth', '8', 'rgba:-') })
    expect(difference(corner(source.path), corner(path)).max).toBe(0)
  })

  test.each(['jpg', 'webp'])('%s to its own format is copied', async (from) => {
    const source = photo(from)
    const { path } = await convert(source, from === 'jpg' ? 'jpeg' : from)
    expect(readFileSync(path).equals(source.content)).toBe(true)
    const cut = { name: source.name, content: source.content.subarray(0, source.content.length / 2) }
    expect(
      await refusal('image.convert-format', { file: cut, target_format: from === 'jpg' ? 'jpeg' : from }),
    ).toMatchObject({
      code: 'INPUT_UNREADABLE',
    })
  })
})

test.each(USES)('16-bit samples have a warning in %s, field %s', async (tool, field, input) => {
  const { warnings } = await runTool(tool, input(fieldCase('140-16-bits.png')))
  expect(warnings).toContain(`${field}: the file's 16-bit samples were rounded to 8 bits.`)
})

test('a TIFF whose compression is not supported is rejected with its name', async () => {
  expect(await refusal('image.convert-format', { file: fieldCase('143-zstandard.tif') })).toMatchObject({
    code: 'INPUT_UNREADABLE',
    field: 'file',
    rule: 'compression',
    message: expect.stringContaining('Zstandard'),
  })
})

describe('photos', () => {
  const exifOf = async (content: Uint8Array) => {
    const { data, warnings } = await runTool('convert.extract-exif', { files: [{ name: 'a.jpg', content }] })
    return { ...(data.images as Record<string, unknown>[])[0], warnings }
  }
  // expected values: exiftool's
  test.each([
    ['23-month-0.jpg', null],
    ['25-gps-time.jpg', '2024-05-06T12:34:56Z'],
    ['26-dashes.jpg', '2023-07-21T21:06:26'],
  ])('time of %s', async (name, timestamp) => {
    expect(await exifOf(fieldCase(name).content)).toMatchObject({ timestamp, warnings: [] })
  })

  type Tags = Record<string, string>
  const photo = (IFD2: Tags, IFD3: Tags = {}, xmp?: string): Promise<Buffer> => {
    const made = sharp({ create: { width: 16, height: 16, channels: 3, background: '#345' } }).withExif({ IFD2, IFD3 })
    return (xmp === undefined ? made : made.withXmp(xmp)).jpeg().toBuffer()
  }
  test.each([
    ['2024:02:30 10:00:00', null],
    ['2023:02:29 10:00:00', null],
    ['2024:02:29 10:00:00', '2024-02-29T10:00:00'],
    ['2024:13:01 10:00:00', null],
    ['2024:01:01 24:00:00', null],
    ['2024:01:01 10:60:00', null],
    ['    :  :     :  :  ', null],
    ['2024/01/02 03:04:05', '2024-01-02T03:04:05'],
    ['2024-01-02T03:04:05.678', '2024-01-02T03:04:05'],
    ['2024:01:02 03:04:05+02:00', '2024-01-02T03:04:05+02:00'],
    ['02/01/2024 03:04:05', null],
  ])('DateTimeOriginal %p', async (DateTimeOriginal, timestamp) => {
    expect(await exifOf(await photo({ DateTimeOriginal }))).toMatchObject({ timestamp })
  })

  const AT = { GPSLatitude: '33/1 30/1 0/1', GPSLongitude: '70/1 15/1 0/1', GPSAltitude: '12/1' }
  const XMP = (fields: string) =>
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/" ${fields}/></rdf:RDF></x:xmpmeta>`

  test.each([
    ['S', 'W'],
    ['s', 'w'],
    ['South', 'West'],
  ])('hemispheres %s and %s', async (GPSLatitudeRef, GPSLongitudeRef) => {
    const tags = { ...AT, GPSLatitudeRef, GPSLongitudeRef }
    expect(await exifOf(await photo({}, tags))).toMatchObject({ latitude: -33.5, longitude: -70.25, altitude: 12 })
  })

  test('a position without hemispheres, in another datum, or not valid has a warning', async () => {
    expect(await exifOf(await photo({}, AT))).toMatchObject({
      hasGps: false,
      warnings: [expect.stringContaining('hemispheres')],
    })
    const south = { ...AT, GPSLatitudeRef: 'S', GPSLongitudeRef: 'W' }
    expect(await exifOf(await photo({}, { ...south, GPSMapDatum: 'TOKYO' }))).toMatchObject({
      hasGps: true,
      warnings: [expect.stringContaining('TOKYO')],
    })
    expect(await exifOf(await photo({}, { ...south, GPSMapDatum: 'WGS-84', GPSStatus: 'V' }))).toMatchObject({
      hasGps: true,
      warnings: [expect.stringContaining('not valid')],
    })
  })

  test('position and time of XMP', async () => {
    const xmp = XMP(
      'exif:GPSLatitude="33,30.0S" exif:GPSLongitude="70,15,0W" exif:GPSAltitude="25/2" exif:GPSAltitudeRef="1" exif:DateTimeOriginal="2023-13-04T05:06:07"',
    )
    expect(await exifOf(await photo({}, {}, xmp))).toMatchObject({
      latitude: -33.5,
      longitude: -70.25,
      altitude: -12.5,
      timestamp: null,
    })
  })
})
