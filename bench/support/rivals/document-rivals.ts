/** The programs that document and export tools are compared with. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import sharp from 'sharp'
import { handMade, plainPdf, stream } from '../../../test/support/formats/pdfs.ts'
import { FIXTURES } from '../../../test/support/workers/tools.ts'
import { writeToolData } from '../tool-data.ts'
import type { MediaContest } from './media-contest.ts'

const require = createRequire(import.meta.url)
const FONTS = join(import.meta.dir, '../../node_modules/@expo-google-fonts')
const SENTENCE =
  'The station at Hill 204 sent 1,482 batches between 06:15 and 18:40 on 12 March 2024. The mean temperature was 18.7 degrees, the highest 31.2 and the lowest 4.9. A reading that was accepted is on disk before the answer leaves. '
/** The text of a scanned page. */
const SCANNED = SENTENCE.repeat(20).slice(0, 3_600)
const has = (program: string): boolean => spawnSync(program, ['--version']).error === undefined

const pagesOfLines = (count: number): string[] => Array.from({ length: count }, (_, i) => `page ${i + 1}`)

/** Pages of 40 lines of text. */
function textPages(dir: string, count: number): string {
  const path = join(dir, `text_${count}.pdf`)
  const line = (i: number) => `(${SENTENCE.slice((7 * i) % 100, ((7 * i) % 100) + 90)}) Tj T*`
  const content = stream(`BT /F1 10 Tf 50 790 Td 18 TL ${Array.from({ length: 40 }, (_, i) => line(i)).join('\n')} ET`)
  const kids = Array.from({ length: count }, (_, i) => `${5 + i} 0 R`).join(' ')
  const page =
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 3 0 R >> >> >>'
  const head = ['<< /Type /Catalog /Pages 2 0 R >>', `<< /Type /Pages /Count ${count} /Kids [${kids}] >>`]
  const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'
  writeFileSync(path, handMade([...head, font, content, ...Array.from({ length: count }, () => page)]).content)
  return path
}

/** One page per photograph at 300 dpi, all different. */
async function photoPages(dir: string, count: number): Promise<string> {
  const path = join(dir, `photos_${count}.pdf`)
  const [width, height] = [1_800, 1_200]
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 10 }
  const grain = await sharp({ create: { width, height, channels: 3, background: '#808080', noise } })
    .png()
    .toBuffer()
  const base = await sharp(join(FIXTURES, 'dull.jpg'))
    .resize({ width, height, fit: 'fill' })
    .composite([{ input: grain, blend: 'soft-light' }])
    .png()
    .toBuffer()
  const kids = Array.from({ length: count }, (_, i) => `${4 + 2 * i} 0 R`).join(' ')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${count} /Kids [${kids}] >>`,
    stream('q 432 0 0 288 40 40 cm /Im Do Q'),
  ]
  for (let i = 0; i < count; i++) {
    const jpeg = await sharp(base)
      .modulate({ brightness: 0.9 + (0.2 * i) / count, hue: i })
      .jpeg({ quality: 90 })
      .toBuffer()
    const about = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /DCTDecode`
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 512 368] /Contents 3 0 R /Resources << /XObject << /Im ${5 + 2 * i} 0 R >> >> >>`,
    )
    objects.push(stream(jpeg.toString('latin1'), about))
  }
  writeFileSync(path, handMade(objects).content)
  return path
}

/** A form with the given number of fields, and values for all of them. */
function form(dir: string, count: number): { path: string; values: string } {
  const path = join(dir, `form_${count}.pdf`)
  const refs = Array.from({ length: count }, (_, i) => `${4 + i} 0 R`).join(' ')
  const field = (i: number) =>
    `<< /Type /Annot /Subtype /Widget /FT /Tx /T (field${i}) /F 4 /P 3 0 R /Rect [${20 + 90 * (i % 6)} ${800 - 40 * Math.floor(i / 6)} ${100 + 90 * (i % 6)} ${820 - 40 * Math.floor(i / 6)}] >>`
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [${refs}] /DA (/Helv 0 Tf 0 g) >> >>`,
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Annots [${refs}] >>`,
    ...Array.from({ length: count }, (_, i) => field(i)),
  ]
  writeFileSync(path, handMade(objects).content)
  const values = Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`field${i}`, i % 2 === 0 ? `Value ${i}` : `قيمة ${i}`]),
  )
  return { path, values: JSON.stringify(values) }
}

/** A scanned A4 page at 300 dpi, full of text. */
async function scan(dir: string): Promise<string> {
  const path = join(dir, 'scan.png')
  const fontfile = join(FONTS, 'ibm-plex-sans/400Regular/IBMPlexSans_400Regular.ttf')
  const set = await sharp({ text: { text: SCANNED, font: 'IBM Plex Sans 11', fontfile, dpi: 300, width: 2_080 } })
    .extractChannel(0)
    .negate()
    .png()
    .toBuffer()
  const sheet = sharp({ create: { width: 2_480, height: 3_508, channels: 3, background: '#ffffff' } })
  await sheet
    .composite([{ input: set, left: 200, top: 200 }])
    .png()
    .toFile(path)
  return path
}

/** Groundwave's recognition model, unpacked for the tesseract program. */
function modelFolder(dir: string): string {
  const folder = join(dir, 'models')
  mkdirSync(folder, { recursive: true })
  const packed = require.resolve('@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz')
  writeFileSync(join(folder, 'eng.traineddata'), gunzipSync(readFileSync(packed)))
  return folder
}

export async function documentContests(dir: string): Promise<MediaContest[]> {
  const out = join(dir, 'rival.pdf')
  const [long, short, half] = [1_000, 100, 500].map((count) => {
    const path = join(dir, `pages_${count}.pdf`)
    writeFileSync(path, plainPdf(pagesOfLines(count)).content)
    return path
  }) as [string, string, string]
  // different ones, because qpdf opens a file that is named several times only once
  const parts = Array.from({ length: 20 }, (_, part) => {
    const path = join(dir, `part_${part}.pdf`)
    writeFileSync(path, plainPdf(pagesOfLines(50).map((line) => `part ${part}, ${line}`)).content)
    return path
  })
  const photo = join(FIXTURES, 'dull.jpg')
  const logo = join(FIXTURES, 'logo.png')
  const operations = JSON.stringify({ rotations: { 0: 90 }, delete: [1] })
  const places = JSON.stringify([{ page: 0, x: 0.6, y: 0.8, w: 0.3, h: 0.1 }])
  const text = textPages(dir, 100)
  const photos = await photoPages(dir, 100)
  const { path: fields, values } = form(dir, 100)
  const page = await scan(dir)
  const scans = join(dir, 'scans.pdf')
  writeFileSync(scans, await scanned(page, 10))
  const stamp = join(dir, 'stamp.pdf')
  writeFileSync(stamp, plainPdf(['Draft']).content)
  const read = (...options: string[]): string[] => [
    'env',
    'OMP_THREAD_LIMIT=1',
    'tesseract',
    page,
    join(dir, 'rival'),
    ...options,
  ]
  const debian = '/usr/share/tesseract-ocr/5/tessdata'
  const contests: MediaContest[] = [
    {
      tool: 'document.rotate-pages',
      route: '/rotate-pages',
      fields: { operations },
      files: { file: long },
      on: '1,000 pages',
      beside: 'qpdf',
      commands: [['qpdf', long, '--pages', '.', '1,3-z', '--', '--rotate=+90:1', out]],
    },
    {
      tool: 'document.split-pdf',
      route: '/split-pdf',
      fields: { ranges: '1-500' },
      files: { file: long },
      on: 'half of 1,000 pages',
      beside: 'qpdf',
      commands: [['qpdf', long, '--pages', '.', '1-500', '--', out]],
    },
    {
      tool: 'document.merge-pdf',
      route: '/merge-pdf',
      fields: {},
      files: { files: [half, half] },
      on: 'twice 500 pages',
      beside: 'qpdf',
      commands: [['qpdf', half, '--pages', half, '1-z', half, '1-z', '--', out]],
    },
    {
      tool: 'document.merge-pdf',
      route: '/merge-pdf',
      fields: {},
      files: { files: parts },
      on: '20 files of 50 pages',
      beside: 'qpdf',
      commands: [['qpdf', String(parts[0]), '--pages', ...parts.flatMap((path) => [path, '1-z']), '--', out]],
    },
    {
      tool: 'document.pdf-watermark',
      route: '/pdf-watermark',
      fields: { text: 'Draft' },
      files: { file: short },
      on: '100 pages, text',
      beside: 'qpdf --overlay',
      commands: [['qpdf', short, '--overlay', stamp, '--repeat=1', '--', out]],
    },
    {
      tool: 'document.pdf-watermark',
      route: '/pdf-watermark',
      fields: { wm_mode: 'image' },
      files: { file: short, logo },
      on: '100 pages, logo',
      beside: '–',
      commands: undefined,
    },
    {
      tool: 'document.pdf-to-images',
      route: '/pdf-to-images',
      fields: { dpi: '150' },
      files: { file: short },
      on: '100 pages, 150 dpi',
      beside: 'pdftoppm -png',
      commands: [['pdftoppm', '-png', '-r', '150', short, join(dir, 'rival-page')]],
    },
    {
      tool: 'document.images-to-pdf',
      route: '/images-to-pdf',
      fields: {},
      on: '20 photos',
      files: { files: Array.from({ length: 20 }, () => photo) },
      beside: '–',
      commands: undefined,
    },
    {
      tool: 'document.document-sign',
      route: '/document-sign',
      fields: { placements: places },
      files: { file: short, signature: logo },
      on: '100 pages',
      beside: '–',
      commands: undefined,
    },
    {
      tool: 'document.fill-pdf',
      route: '/fill-pdf',
      fields: { values, flatten: 'true' },
      files: { file: fields },
      on: '100 fields, half of them Arabic',
      beside: '–',
      commands: undefined,
    },
    {
      tool: 'document.pdf-to-word',
      route: '/pdf-to-word',
      fields: {},
      files: { file: text },
      on: '100 pages of 40 lines',
      beside: 'pdftotext -layout',
      commands: [['pdftotext', '-layout', text, join(dir, 'rival.txt')]],
    },
  ]
  for (const quality of ['screen', 'ebook', 'print']) {
    const settings = quality === 'print' ? 'printer' : quality
    const command = [
      'gs',
      '-q',
      '-dBATCH',
      '-dNOPAUSE',
      '-sDEVICE=pdfwrite',
      `-dPDFSETTINGS=/${settings}`,
      `-sOutputFile=${out}`,
      photos,
    ]
    contests.push({
      tool: 'document.compress-pdf',
      route: '/compress-pdf',
      fields: { quality },
      files: { file: photos },
      on: `100 photos of 2 MP, ${quality}`,
      ...(has('gs')
        ? { beside: `gs /${settings}`, commands: [command], output: out }
        : { beside: '–', commands: undefined }),
    })
  }
  const ocr = { tool: 'document.ocr', route: '/ocr', fields: { lang: 'eng' }, reads: SCANNED }
  const onePage = { ...ocr, files: { file: page }, on: 'an A4 page at 300 dpi' }
  if (!has('tesseract')) return [...contests, { ...onePage, beside: '–', commands: undefined }]
  return [
    ...contests,
    {
      ...onePage,
      beside: 'tesseract, one thread, same model',
      commands: [read('--tessdata-dir', modelFolder(dir), '--oem', '1')],
    },
    ...(existsSync(debian)
      ? [{ ...onePage, beside: 'tesseract, one thread, fast model', commands: [read('--tessdata-dir', debian)] }]
      : []),
    {
      ...ocr,
      files: { file: scans },
      on: '10 such pages in a PDF',
      beside: 'tesseract, one thread, same model, page by page',
      commands: Array.from({ length: 10 }, () => read('--tessdata-dir', modelFolder(dir), '--oem', '1')),
    },
  ]
}

/** Pages that contain one image each and no text. */
async function scanned(png: string, count: number): Promise<Buffer> {
  const jpeg = (await sharp(png).toColourspace('b-w').jpeg({ quality: 90 }).toBuffer()).toString('latin1')
  const kids = Array.from({ length: count }, (_, i) => `${5 + i} 0 R`).join(' ')
  const page =
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 3 0 R /Resources << /XObject << /Im 4 0 R >> >> >>'
  const about =
    '/Type /XObject /Subtype /Image /Width 2480 /Height 3508 /BitsPerComponent 8 /ColorSpace /DeviceGray /Filter /DCTDecode'
  const head = ['<< /Type /Catalog /Pages 2 0 R >>', `<< /Type /Pages /Count ${count} /Kids [${kids}] >>`]
  return handMade([
    ...head,
    stream('q 595 0 0 842 0 0 cm /Im Do Q'),
    stream(jpeg, about),
    ...Array.from({ length: count }, () => page),
  ]).content
}

export async function exportContests(dir: string): Promise<MediaContest[]> {
  const { parcels } = writeToolData(dir, 100_000)
  const out = join(dir, 'rival-export')
  const write = (format: string, driver: string, ...options: string[]): MediaContest => ({
    tool: 'export.workspace-export',
    route: '/workspace-export',
    fields: { target_format: format },
    files: { file: parcels },
    on: `100,000 features to ${format}`,
    beside: 'ogr2ogr',
    commands: [
      ['rm', '-rf', out],
      ['ogr2ogr', '-f', driver, ...options, out, parcels],
    ],
  })
  const capture = join(dir, 'capture.png')
  await sharp(join(FIXTURES, 'dull.jpg')).resize({ width: 3_000, height: 2_000, fit: 'fill' }).png().toFile(capture)
  const legend = Array.from({ length: 12 }, (_, i) => ({ label: `Class ${i}`, color: '#336699' }))
  const maps = [{ extent: [390_000, 5_810_000, 402_000, 5_818_000], crs: 'EPSG:25833' }]
  const spec = JSON.stringify({ title: 'Stations of the northern basin', legend, maps })
  return [
    write('shp', 'ESRI Shapefile'),
    write('csv', 'CSV', '-lco', 'GEOMETRY=AS_WKT'),
    write('kml', 'KML'),
    {
      tool: 'export.map-export',
      route: '/map-export',
      fields: { spec },
      files: { image: capture },
      on: 'a capture of 6 MP',
      beside: '–',
      commands: undefined,
    },
  ]
}
