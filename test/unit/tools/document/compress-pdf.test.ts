/** Compressed PDFs, checked by Poppler and qpdf. */
import { describe, expect, test } from 'bun:test'
import { readFileSync, statSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import * as fontkit from 'fontkit'
import { imagesOf, inkJpeg, likeness, photo, pictures, SIDE, sized } from '../../../support/formats/image-pdfs.ts'
import { freshPath, isSound, outlineOf, qpdfMade, REPORT, run, textOf } from '../../../support/formats/pdfs.ts'
import { refusal, runTool } from '../../../support/workers/engine.ts'

type File = { name: string; content: Buffer }
const compress = (file: File | string, quality?: string) =>
  runTool('document.compress-pdf', { file, ...(quality && { quality }) })

/** Encoded by OpenJPEG through GDAL. */
async function jpeg2000(): Promise<Buffer> {
  const [from, to] = [freshPath('photo.png'), freshPath('photo.jp2')]
  await photo().png().toFile(from)
  run('gdal_translate', '-q', '-of', 'JP2OpenJPEG', '-co', 'QUALITY=40', from, to)
  return readFileSync(to)
}

async function everyEncoding(): Promise<File> {
  const inks = await inkJpeg()
  const rgb = await photo().raw().toBuffer()
  const grey = await photo().toColourspace('b-w').raw().toBuffer()
  const palette = Buffer.from(Array.from({ length: 256 }, (_, i) => [i, i, 255 - i]).flat())
  // the PNG filter Up: each row is the difference to the row above
  const filtered = Buffer.alloc((SIDE.width + 1) * SIDE.height)
  for (let y = 0; y < SIDE.height; y++) {
    filtered[y * (SIDE.width + 1)] = 2
    for (let x = 0; x < SIDE.width; x++)
      filtered[y * (SIDE.width + 1) + 1 + x] =
        (grey[y * SIDE.width + x] as number) - (y > 0 ? (grey[(y - 1) * SIDE.width + x] as number) : 0)
  }
  const deep = Buffer.alloc(2 * grey.length)
  for (let i = 0; i < grey.length; i++) deep[2 * i] = grey[i] as number
  const four = Buffer.alloc((SIDE.width / 2) * SIDE.height)
  for (let i = 0; i < four.length; i++) four[i] = ((grey[2 * i] as number) & 0xf0) | ((grey[2 * i + 1] as number) >> 4)
  return pictures(
    [`${sized()} /ColorSpace /DeviceRGB /Filter /DCTDecode`, await photo().jpeg({ quality: 93 }).toBuffer()],
    [
      `${sized()} /ColorSpace /DeviceGray /Filter /DCTDecode`,
      await photo().toColourspace('b-w').jpeg({ quality: 93 }).toBuffer(),
    ],
    [`${sized()} /ColorSpace /DeviceRGB /Filter /FlateDecode`, deflateSync(rgb)],
    [
      `${sized()} /ColorSpace /DeviceGray /Decode [0 1] /Filter /FlateDecode /DecodeParms << /Predictor 15 /Columns ${SIDE.width} >>`,
      deflateSync(filtered),
    ],
    [
      `${sized()} /ColorSpace [/Indexed /DeviceRGB 255 <${palette.toString('hex')}>] /Filter /FlateDecode`,
      deflateSync(grey),
    ],
    [`${sized()} /Filter /JPXDecode`, await jpeg2000()],
    [`${sized()} /ColorSpace /DeviceCMYK /Filter /DCTDecode /Decode [1 0 1 0 1 0 1 0]`, inks],
    [`${sized(SIDE.width, SIDE.height, 16)} /ColorSpace /DeviceGray /Filter /FlateDecode`, deflateSync(deep)],
    [
      `${sized(SIDE.width, SIDE.height, 4)} /ColorSpace /DeviceGray /Filter [/ASCIIHexDecode /FlateDecode]`,
      Buffer.from(`${deflateSync(four).toString('hex')}>`),
    ],
  )
}

test.each([
  ['screen', 72],
  ['ebook', 150],
])('%s: images of every encoding are reduced to %d dots per inch and look the same', async (quality, dpi) => {
  const file = await everyEncoding()
  const before = qpdfMade((file as unknown as { path: string }).path).path
  const { data, path, filename } = await compress(file, quality)
  expect(filename).toBe('plain_compressed.pdf')
  expect(data).toMatchObject({ pageCount: 9, originalBytes: file.content.length, alreadyOptimized: false })
  expect(data.compressedBytes).toBe(statSync(path).size)
  expect(Number(data.compressedBytes)).toBeLessThan(0.25 * file.content.length)
  expect(isSound(path)).toBe(true)
  expect(imagesOf(path).map((image) => image.dpi)).toEqual(Array.from({ length: 9 }, () => dpi))
  for (let page = 1; page <= 9; page++)
    expect(likeness(before, path, page)).toBeGreaterThan(quality === 'ebook' ? 32 : 25)
})

test('every page keeps its picture, also where several are recoded at a time or share a mask', async () => {
  const rgb = `${sized()} /ColorSpace /DeviceRGB`
  const coded = (image = photo()): Promise<Buffer> => image.jpeg({ quality: 93 }).toBuffer()
  const grey = await photo().flop().toColourspace('b-w').jpeg({ quality: 93 }).toBuffer()
  // the grey picture is object 15
  const file = pictures(
    [`${rgb} /Filter /DCTDecode`, await coded()],
    [`${rgb} /Filter /DCTDecode`, await coded(photo().flip())],
    [`${rgb} /Filter /DCTDecode`, await coded(photo().flop())],
    [`${rgb} /Filter /DCTDecode /SMask 15 0 R`, await coded(photo().negate())],
    [`${rgb} /Filter /DCTDecode /SMask 15 0 R`, await coded(photo().flip().negate())],
    [`${sized()} /ColorSpace /DeviceGray /Filter /DCTDecode`, grey],
    [`${rgb} /Filter /FlateDecode`, deflateSync(await photo().flip().flop().raw().toBuffer())],
    [`${rgb} /Filter /DCTDecode`, await coded(photo().flop().negate())],
  )
  const before = (file as unknown as { path: string }).path
  const { path } = await compress(file, 'print')
  expect(isSound(path)).toBe(true)
  for (let page = 1; page <= 8; page++) expect(likeness(before, path, page)).toBeGreaterThan(35)
})

test('an image of low resolution keeps its size; vector graphics stay exact', async () => {
  const lines = Buffer.alloc(600 * 400, 255)
  for (let y = 0; y < 400; y += 7) lines.fill(0, y * 600, y * 600 + 600)
  const file = pictures([
    `${sized(600, 400)} /ColorSpace /DeviceGray /Filter /FlateDecode`,
    deflateSync(lines, { level: 0 }),
  ])
  const { path, data } = await compress(file, 'ebook')
  expect(imagesOf(path)).toMatchObject([{ width: 600, height: 400, encoding: 'image', dpi: 100 }])
  expect(likeness((file as unknown as { path: string }).path, path)).toBe(Number.POSITIVE_INFINITY)
  expect(data.alreadyOptimized).toBe(false)
})

test('a complete embedded font is subset, and every letter is kept', async () => {
  const { PDFDocument } = await import('@cantoo/pdf-lib')
  const document = await PDFDocument.create()
  document.registerFontkit(fontkit as never)
  const font = await document.embedFont(
    readFileSync('node_modules/@expo-google-fonts/ibm-plex-sans-arabic/400Regular/IBMPlexSansArabic_400Regular.ttf'),
  )
  document.addPage([300, 200]).drawText('The quick brown fox: قياس', { x: 20, y: 100, size: 18, font })
  const before = freshPath('font.pdf')
  await Bun.write(before, await document.save())
  const { path, data } = await compress({ name: 'font.pdf', content: readFileSync(before) })
  expect(Number(data.compressedBytes)).toBeLessThan(0.3 * Number(data.originalBytes))
  expect(likeness(before, path)).toBeGreaterThan(45)
  expect(textOf(path, 1)).toBe(textOf(before, 1))
})

test('duplicate images are stored once; text, links and outline are kept', async () => {
  const jpeg = await photo().jpeg({ quality: 60 }).toBuffer()
  const dict = `${sized()} /ColorSpace /DeviceRGB /Filter /DCTDecode`
  const { data } = await compress(pictures([dict, jpeg], [dict, jpeg], [dict, jpeg]), 'print')
  expect(Number(data.compressedBytes)).toBeLessThan(1.1 * jpeg.length)
  const { path } = await compress('report.pdf')
  expect(outlineOf(path)).toEqual(outlineOf(REPORT))
  for (const page of [1, 2, 3]) expect(textOf(path, page)).toBe(textOf(REPORT, page))
})

test('a file that cannot be reduced is returned unchanged', async () => {
  const { path: first } = await compress('report.pdf')
  const again = readFileSync(first)
  const { data, path } = await compress({ name: 'again.pdf', content: again })
  expect(data).toMatchObject({ alreadyOptimized: true, originalBytes: again.length, compressedBytes: again.length })
  expect(readFileSync(path).equals(again)).toBe(true)
})

test('a truncated image is kept unchanged', async () => {
  const jpeg = (await photo().jpeg({ quality: 93 }).toBuffer()).subarray(0, 60_000)
  const file = pictures([`${sized()} /ColorSpace /DeviceRGB /Filter /DCTDecode`, jpeg])
  const { path } = await compress(file, 'screen')
  expect(imagesOf(path)[0]).toMatchObject({ width: SIDE.width })
})

describe('rejects', () => {
  test('30,000 × 30,000 pixels in a small file, before decoding', async () => {
    const bomb = pictures([
      `${sized(30_000, 30_000)} /ColorSpace /DeviceGray /Filter /FlateDecode`,
      deflateSync(Buffer.alloc(9e8), { level: 9 }),
    ])
    const startedMs = performance.now()
    expect(await refusal('document.compress-pdf', { file: bomb })).toMatchObject({
      code: 'FILE_TOO_LARGE',
      field: 'file',
      rule: 'pixels',
    })
    expect(performance.now() - startedMs).toBeLessThan(20_000)
  }, 120_000)
  test('an unknown quality', async () => {
    expect(await refusal('document.compress-pdf', { file: 'report.pdf', quality: 'best' })).toMatchObject({
      field: 'quality',
      rule: 'enum',
    })
  })
})
