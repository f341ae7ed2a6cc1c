/** compress-pdf on images with chains of filters, in four inks, and of two colours; read back by Poppler. */
import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import { ENCODERS } from '../../../support/formats/filters.ts'
import { imagesOf, inkJpeg, likeness, photo, pictures, sized } from '../../../support/formats/image-pdfs.ts'
import { drawn, freshPath, handMade, isSound, run, stream } from '../../../support/formats/pdfs.ts'
import { seeded, whole } from '../../../support/random.ts'
import { runTool } from '../../../support/workers/engine.ts'

type File = ReturnType<typeof pictures>
const compress = (file: File, quality: string) => runTool('document.compress-pdf', { file, quality })
const encoded = (bytes: Buffer, filters: readonly string[]): Buffer =>
  filters.toReversed().reduce((inner, name) => (ENCODERS[name] as (bytes: Buffer) => Buffer)(inner), bytes)

let recompressing: ReturnType<typeof compress> | undefined
/** The plain JPEG, recompressed once for all cases. */
function recompressed(jpeg: Buffer): ReturnType<typeof compress> {
  recompressing ??= compress(pictures([`${sized()} /ColorSpace /DeviceRGB /Filter /DCTDecode`, jpeg]), 'ebook')
  return recompressing
}

test.each([
  [['ASCII85Decode'], 'DCTDecode', ''],
  [['A85'], 'DCT', '/DecodeParms [null null]'],
  [['ASCIIHexDecode'], 'DCTDecode', ''],
  [['RunLengthDecode'], 'DCTDecode', ''],
  [['LZWDecode'], 'DCTDecode', '/DecodeParms [<< /EarlyChange 1 >> null]'],
  [['ASCII85Decode', 'LZWDecode', 'FlateDecode'], 'DCTDecode', ''],
])('a JPEG encoded again with %j is recompressed like a plain one', async (around, own, parms) => {
  const jpeg = await photo().jpeg({ quality: 93 }).toBuffer()
  const dict = `${sized()} /ColorSpace /DeviceRGB ${parms}`
  const file = pictures([
    `${dict} /Filter [${[...around, own].map((name) => `/${name}`).join(' ')}]`,
    encoded(jpeg, around),
  ])
  const { path } = await compress(file, 'ebook')
  const alone = await recompressed(jpeg)
  expect(isSound(path)).toBe(true)
  expect(imagesOf(path)).toEqual(imagesOf(alone.path))
  expect(Math.abs(readFileSync(path).length - readFileSync(alone.path).length)).toBeLessThan(100)
  expect(likeness(file.path, path)).toBeGreaterThan(35)
})

test('an encoded image that cannot be made smaller loses the filters around it', async () => {
  // so poor that a lower quality would not help
  const jpeg = await photo().jpeg({ quality: 20 }).toBuffer()
  const file = pictures([
    `${sized()} /ColorSpace /DeviceRGB /Filter [/ASCII85Decode /DCTDecode]`,
    encoded(jpeg, ['ASCII85Decode']),
  ])
  const { path, data } = await compress(file, 'print')
  expect(Number(data.compressedBytes)).toBeLessThan(jpeg.length + 2_000)
  expect(likeness(file.path, path)).toBe(Number.POSITIVE_INFINITY)
})

test.each([[['RunLengthDecode']], [['ASCII85Decode', 'LZWDecode']], [['ASCIIHexDecode', 'RunLengthDecode']]])(
  'samples encoded with %j',
  async (filters) => {
    const samples = await photo().raw().toBuffer()
    const file = pictures([
      `${sized()} /ColorSpace /DeviceRGB /Filter [${filters.map((name) => `/${name}`).join(' ')}]`,
      encoded(samples, filters),
    ])
    const { path, data } = await compress(file, 'ebook')
    expect(imagesOf(path)).toMatchObject([{ encoding: 'jpeg', dpi: 150 }])
    expect(Number(data.compressedBytes)).toBeLessThan(0.03 * file.content.length)
    expect(likeness(file.path, path)).toBeGreaterThan(35)
  },
)

const smallPhoto = () => photo().resize({ width: 900, height: 600 })
const INK_SIZE = sized(900, 600)

/** The photo as samples of four inks, and libvips' profile of them. */
async function inksOf(): Promise<{ samples: Buffer; profile: Buffer }> {
  const { default: sharp } = await import('sharp')
  const inks = await smallPhoto().toColourspace('cmyk').withIccProfile('cmyk').jpeg({ quality: 95 }).toBuffer()
  const samples = await sharp(inks).pipelineColourspace('cmyk').toColourspace('cmyk').raw().toBuffer()
  return { samples, profile: (await sharp(inks).metadata()).icc as Buffer }
}

async function inkFiles(): Promise<Record<string, File>> {
  const jpeg = await inkJpeg(smallPhoto())
  const { samples, profile } = await inksOf()
  const inverted = '/Decode [1 0 1 0 1 0 1 0]'
  const dct = `${INK_SIZE} /ColorSpace /DeviceCMYK /Filter /DCTDecode`
  // 64 inks, from none to full black and cyan
  const palette = Buffer.from(Array.from({ length: 64 }, (_, i) => [4 * i, 0, 0, 2 * i]).flat())
  const indexes = Buffer.from((await smallPhoto().toColourspace('b-w').raw().toBuffer()).map((grey) => grey >> 2))
  const flate = (dict: string, bytes: Buffer) =>
    pictures([`${INK_SIZE} ${dict} /Filter /FlateDecode`, deflateSync(bytes)])
  const withProfile = handMade([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 512 368] /Contents 4 0 R /Resources << /XObject << /Im 5 0 R >> >> >>',
    stream('q 432 0 0 288 40 40 cm /Im Do Q'),
    stream(
      deflateSync(samples).toString('latin1'),
      `/Type /XObject /Subtype /Image ${INK_SIZE} /ColorSpace [/ICCBased 6 0 R] /Filter /FlateDecode`,
    ),
    stream(deflateSync(profile).toString('latin1'), '/N 4 /Filter /FlateDecode'),
  ])
  return {
    "Adobe's inverted JPEG": pictures([`${dct} ${inverted}`, jpeg]),
    'a JPEG with its inks as they are stored': pictures([dct, jpeg]),
    samples: flate('/ColorSpace /DeviceCMYK', samples),
    'inverted samples': flate(`/ColorSpace /DeviceCMYK ${inverted}`, Buffer.from(samples.map((ink) => 255 - ink))),
    'a palette': flate(`/ColorSpace [/Indexed /DeviceCMYK 63 <${palette.toString('hex')}>]`, indexes),
    'samples with a profile': withProfile,
  }
}

test('images in four inks become RGB, and stay in four inks for printing', async () => {
  for (const [name, file] of Object.entries(await inkFiles())) {
    const screen = await compress(file, 'screen')
    expect([name, imagesOf(screen.path)]).toMatchObject([name, [{ colour: 'rgb', encoding: 'jpeg', dpi: 72 }]])
    expect(Number(screen.data.compressedBytes)).toBeLessThan(0.12 * file.content.length)
    // Poppler's own conversion of inks has no profile, so colours differ a little
    expect(likeness(file.path, screen.path)).toBeGreaterThan(26)
    const print = await compress(file, 'print')
    expect([name, imagesOf(print.path)]).toMatchObject([name, [{ width: 900, dpi: 150 }]])
    expect(['cmyk', 'icc', 'index']).toContain(imagesOf(print.path)[0]?.colour as string)
    expect(likeness(file.path, print.path)).toBeGreaterThan(38)
  }
}, 60_000)

/** A page of text as a scanner stores it: rows of bits, 0 is black. */
function scan(dpi: number): { width: number; height: number; bits: Buffer } {
  const text = Array.from({ length: 12 }, (_, i) => `Line ${i + 1}: readings of twelve stations`)
  const page = handMade([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [4 0 R] >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 432 288] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> >>',
    stream(`BT /F1 12 Tf 18 TL 20 260 Td ${text.map((line) => `(${line}) Tj T*`).join(' ')} ET`),
  ])
  const { width, height, data } = drawn(page.path, 1, dpi)
  const random = seeded(7)
  const rowBytes = Math.ceil(width / 8)
  const bits = Buffer.alloc(rowBytes * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      // the sensor's noise, so that no two letters are equal
      if ((data[3 * (y * width + x)] as number) + 60 * (random() - 0.5) >= 128)
        (bits[y * rowBytes + (x >> 3)] as number) |= 0x80 >> (x & 7)
  return { width, height, bits }
}

/** Encoded by libtiff through ImageMagick, as one strip. */
function groupFour({ width, height, bits }: ReturnType<typeof scan>): Buffer {
  const [raw, to] = [freshPath('bits.gray'), freshPath('bits.tif')]
  writeFileSync(raw, bits)
  const size = ['-size', `${width}x${height}`, '-depth', 1, `gray:${raw}`]
  run('/usr/bin/convert', ...size, '-define', `tiff:rows-per-strip=${height}`, '-compress', 'Group4', to)
  const tiff = readFileSync(to)
  const directory = tiff.readUInt32LE(4)
  const tag = (wanted: number): number => {
    for (let i = 0; i < tiff.readUInt16LE(directory); i++)
      if (tiff.readUInt16LE(directory + 2 + 12 * i) === wanted) return tiff.readUInt32LE(directory + 10 + 12 * i)
    throw new Error(`no tag ${wanted}`)
  }
  return tiff.subarray(tag(273), tag(273) + tag(279))
}

/** The bits that Poppler extracts from a file, as a portable bitmap. */
function extracted(path: string): Buffer {
  const root = freshPath('extracted')
  run('pdfimages', path, root)
  return readFileSync(`${root}-000.pbm`)
}

test('scans of two colours become JBIG2 without a changed pixel, from any encoding', async () => {
  const page = scan(300)
  const dict = `${sized(page.width, page.height, 1)} /ColorSpace /DeviceGray`
  const fax = groupFour(page)
  const parms = `/DecodeParms << /K -1 /Columns ${page.width} /BlackIs1 true >>`
  const files: Record<string, File> = {
    flate: pictures([`${dict} /Filter /FlateDecode`, deflateSync(page.bits)]),
    fax: pictures([`${dict} /Filter /CCITTFaxDecode ${parms}`, fax]),
    'fax in ASCII85': pictures([
      `${dict} /Filter [/ASCII85Decode /CCITTFaxDecode] ${parms.replace('<<', '[null <<')}]`,
      encoded(fax, ['ASCII85Decode']),
    ]),
    inverted: pictures([`${dict} /Decode [1 0] /Filter /FlateDecode`, deflateSync(page.bits.map((bits) => ~bits))]),
    'a palette': pictures([
      `${sized(page.width, page.height, 1)} /ColorSpace [/Indexed /DeviceRGB 1 <102080ffffff>] /Filter /FlateDecode`,
      deflateSync(page.bits),
    ]),
    'a stencil': pictures([
      `${sized(page.width, page.height, 1)} /ImageMask true /Filter /FlateDecode`,
      deflateSync(page.bits),
    ]),
  }
  const paths: Record<string, string> = {}
  for (const [name, file] of Object.entries(files)) {
    const { path } = await compress(file, 'screen')
    paths[name] = path
    expect([name, imagesOf(path)]).toMatchObject([name, [{ width: page.width, encoding: 'jbig2' }]])
    expect([name, extracted(path).equals(extracted(file.path))]).toEqual([name, true])
    expect([name, likeness(file.path, path)]).toEqual([name, Number.POSITIVE_INFINITY])
  }
  expect(readFileSync(paths.flate as string).length).toBeLessThan(fax.length)
})

test('scans of more than 450 dots per inch are reduced to 300, and stay crisp', async () => {
  const page = scan(600)
  const dict = `${sized(page.width, page.height, 1)} /ColorSpace /DeviceGray /Filter /FlateDecode`
  const file = pictures([dict, deflateSync(page.bits)])
  const { path } = await compress(file, 'ebook')
  expect(imagesOf(path)).toMatchObject([{ width: 1_800, height: 1_200, encoding: 'jbig2', dpi: 300 }])
  expect(readFileSync(path).length).toBeLessThan(groupFour(scan(300)).length)
  expect(likeness(file.path, path)).toBeGreaterThan(24)
  const print = await compress(file, 'print')
  expect(imagesOf(print.path)).toMatchObject([{ width: page.width, encoding: 'jbig2' }])
  expect(likeness(file.path, print.path)).toBe(Number.POSITIVE_INFINITY)
})

test('lines of one pixel stay when the resolution is halved; dithered photos keep their tones', async () => {
  const lines = Buffer.alloc((3_600 / 8) * 2_400, 255)
  for (let y = 100; y < 2_400; y += 100) lines.fill(0, y * 450, (y + 1) * 450)
  // specks at the edge, without which the image is too small to be compressed again
  const random = seeded(3)
  for (let y = 0; y < 2_400; y++) lines[y * 450 + 440 + whole(random, 10)] = whole(random, 256)
  const [png, raw] = [freshPath('grey.png'), freshPath('dithered.gray')]
  await photo().resize({ width: 3_600, height: 2_400 }).toColourspace('b-w').png().toFile(png)
  run('/usr/bin/convert', png, '-monochrome', '-depth', 1, `gray:${raw}`)
  const dict = `${sized(3_600, 2_400, 1)} /ColorSpace /DeviceGray /Filter /FlateDecode`
  const file = pictures([dict, deflateSync(lines)], [dict, deflateSync(readFileSync(raw))])
  const { path } = await compress(file, 'ebook')
  expect(imagesOf(path)).toMatchObject([{ dpi: 300 }, { dpi: 300 }])
  const bitmap = extracted(path)
  const rows = bitmap.subarray(bitmap.length - (1_800 / 8) * 1_200)
  let dark = 0
  for (let y = 0; y < 1_200; y++) if (rows[y * 225 + 100] === 0xff) dark++
  expect(dark).toBe(23)
  const mean = (from: string): number => drawn(from, 2, 72).data.reduce((sum, value) => sum + value, 0)
  expect(Math.abs(mean(path) / mean(file.path) - 1)).toBeLessThan(0.01)
  expect(likeness(file.path, path, 2)).toBeGreaterThan(22)
})

test('a mask of a higher resolution than its image is reduced to the same resolution', async () => {
  const rgb = await photo().resize({ width: 450, height: 300 }).raw().toBuffer()
  const soft = await photo().toColourspace('b-w').raw().toBuffer()
  const file = handMade([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 512 368] /Contents 4 0 R /Resources << /XObject << /Im 5 0 R >> >> >>',
    stream('q 432 0 0 288 40 40 cm /Im Do Q'),
    stream(
      deflateSync(rgb).toString('latin1'),
      `/Type /XObject /Subtype /Image ${sized(450, 300)} /ColorSpace /DeviceRGB /SMask 6 0 R /Filter /FlateDecode`,
    ),
    stream(
      deflateSync(soft).toString('latin1'),
      `/Type /XObject /Subtype /Image ${sized()} /ColorSpace /DeviceGray /Filter /FlateDecode`,
    ),
  ])
  const { path } = await compress(file, 'ebook')
  expect(imagesOf(path)).toMatchObject([{ width: 450 }, { width: 900, height: 600 }])
  expect(likeness(file.path, path)).toBeGreaterThan(35)
})

test('one bit for each of three colours is not mistaken for two colours', async () => {
  const random = seeded(5)
  const samples = Buffer.from(Array.from({ length: 45 * 120 }, () => whole(random, 256)))
  const file = pictures([`${sized(120, 120, 1)} /ColorSpace /DeviceRGB /Filter /FlateDecode`, deflateSync(samples)])
  const { path } = await compress(file, 'print')
  expect(likeness(file.path, path)).toBeGreaterThan(40)
})
