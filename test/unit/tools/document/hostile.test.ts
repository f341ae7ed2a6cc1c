/** Hostile files: every document tool handles them or explains the error, and the next call works. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import type { AppError } from '../../../../src/errors.ts'
import { handMade, plainPdf, stream } from '../../../support/formats/pdfs.ts'
import { runTool } from '../../../support/workers/engine.ts'
import { FIXTURES } from '../../../support/workers/tools.ts'

type File = { name: string; content: Buffer }

const CATALOG = '<< /Type /Catalog /Pages 2 0 R >>'
const ONE_PAGE = '<< /Type /Pages /Count 1 /Kids [3 0 R] >>'
const page = (entries = '') => `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 256 184] ${entries} >>`
const edited = (pdf: File, pattern: RegExp, by: string): File => ({
  name: 'edited.pdf',
  content: Buffer.from(pdf.content.toString('latin1').replace(pattern, by), 'latin1'),
})
// small pages, because every one is drawn and read at 300 dots per inch
const three = plainPdf(['one', 'two', 'three'], [200, 150])
const picture = (dict: string, bytes: Buffer): File =>
  handMade([
    CATALOG,
    ONE_PAGE,
    page('/Contents 4 0 R /Resources << /XObject << /Im 5 0 R >> >>'),
    stream('q 216 0 0 144 20 20 cm /Im Do Q'),
    stream(bytes.toString('latin1'), `/Type /XObject /Subtype /Image ${dict}`),
  ])

/** Hostile files by name, and the codes that tools may return instead of success. */
const CASES: Record<string, () => File> = {
  'a table of objects at a wrong place': () => edited(three, /startxref\n\d+/, 'startxref\n7'),
  'a file without a table of objects': () => edited(three, /xref\n0[\s\S]*$/, ''),
  'a tree of pages that holds itself': () =>
    handMade([CATALOG, '<< /Type /Pages /Count 2 /Kids [3 0 R 2 0 R] >>', page()]),
  'two parts of a tree that hold each other': () =>
    handMade([CATALOG, ONE_PAGE, '<< /Type /Pages /Parent 2 0 R /Count 1 /Kids [2 0 R] >>']),
  'millions of pages that are only claimed': () => handMade([CATALOG, '<< /Type /Pages /Count 99999999 /Kids [] >>']),
  'a picture of 30,000 × 30,000': () =>
    picture(
      '/Width 30000 /Height 30000 /BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /FlateDecode',
      deflateSync(Buffer.alloc(1e6)),
    ),
  'a page of 200 inches': () => plainPdf(['large'], [14_400, 14_400]),
  'a gigabyte of operators': () =>
    handMade([
      CATALOG,
      ONE_PAGE,
      page('/Contents 4 0 R'),
      stream(deflateSync(Buffer.alloc(1e9, 'q Q '), { level: 9 }).toString('latin1'), '/Filter /FlateDecode'),
    ]),
  'a text without a font': () =>
    handMade([CATALOG, ONE_PAGE, page('/Contents 4 0 R'), stream('BT /F9 20 Tf 50 50 Td (no font at all) Tj ET')]),
  'lists within lists, 20,000 deep': () =>
    handMade([CATALOG, ONE_PAGE, page(`/X ${'['.repeat(20_000)}${']'.repeat(20_000)}`)]),
  'a form that draws itself twice': () =>
    handMade([
      CATALOG,
      ONE_PAGE,
      page('/Contents 4 0 R /Resources << /XObject << /Fm 5 0 R >> >>'),
      stream('/Fm Do'),
      stream(
        'q 0.9 0 0 0.9 0 0 cm /Fm Do /Fm Do Q',
        '/Type /XObject /Subtype /Form /BBox [0 0 100 100] /Resources << /XObject << /Fm 5 0 R >> >>',
      ),
    ]),
  'a field that is its own parent': () =>
    handMade([
      '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [4 0 R] >> >>',
      ONE_PAGE,
      page('/Annots [4 0 R]'),
      '<< /FT /Tx /T (a) /Kids [4 0 R] /Parent 4 0 R /Rect [0 0 10 10] /Subtype /Widget >>',
    ]),
  'an outline that goes round': () =>
    handMade([
      '<< /Type /Catalog /Pages 2 0 R /Outlines 4 0 R >>',
      ONE_PAGE,
      page(),
      '<< /First 5 0 R /Last 5 0 R /Count 1 >>',
      '<< /Title (a) /Parent 4 0 R /Next 5 0 R /First 5 0 R >>',
    ]),
  'streams whose bytes are no such streams': () => {
    const noise = 'x'.repeat(5_000)
    return handMade([
      CATALOG,
      ONE_PAGE,
      page('/Contents [4 0 R 5 0 R] /Resources << /XObject << /Im 6 0 R /Jx 7 0 R >> /Font << /F1 8 0 R >> >>'),
      stream('q 216 0 0 144 20 20 cm /Im Do /Jx Do Q BT /F1 12 Tf 50 50 Td (text) Tj ET'),
      stream(noise, '/Filter /FlateDecode'),
      stream(
        noise,
        '/Type /XObject /Subtype /Image /Width 600 /Height 400 /BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /FlateDecode',
      ),
      stream(
        noise,
        '/Type /XObject /Subtype /Image /Width 600 /Height 400 /BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /JPXDecode',
      ),
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 9 0 R >>',
      stream(noise, '/Filter /FlateDecode'),
    ])
  },
  'a picture of more bytes than it has pixels': () =>
    picture(
      '/Width 60 /Height 40 /BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /FlateDecode',
      deflateSync(Buffer.from(Array.from({ length: 90_000 }, (_, i) => (i * i * 7919) >> 5))),
    ),
  'a file cut in half': () => ({
    name: 'half.pdf',
    content: readFileSync(join(FIXTURES, 'form.pdf')).subarray(0, 12_000),
  }),
}
const TOOLS: Record<string, object> = {
  'rotate-pages': { operations: { rotations: { 0: 90 } } },
  'split-pdf': { ranges: '1' },
  'pdf-to-images': { dpi: '72' },
  'document-sign': { signature: 'logo.png', placements: [{ page: 0, x: 0, y: 0, w: 0.5, h: 0.5 }] },
  'compress-pdf': { quality: 'screen' },
  'pdf-watermark': { text: 'x' },
  'fill-pdf': { values: { a: 'b' } },
  'pdf-to-word': {},
  ocr: {},
}

const call = (tool: string, file: File) =>
  tool === 'merge-pdf'
    ? runTool('document.merge-pdf', { files: ['report.pdf', file] })
    : runTool(`document.${tool}`, { file, ...TOOLS[tool] })

test.each(Object.keys(CASES))(
  '%s',
  async (name) => {
    const file = (CASES[name] as () => File)()
    for (const tool of [...Object.keys(TOOLS), 'merge-pdf']) {
      const startedMs = performance.now()
      const outcome = await call(tool, file).then(
        () => 'done',
        (error: AppError) => error.code,
      )
      expect([tool, outcome]).toEqual([tool, expect.stringMatching(/^(done|INPUT_UNREADABLE|FILE_TOO_LARGE)$/)])
      expect(performance.now() - startedMs).toBeLessThan(60_000)
    }
  },
  240_000,
)

test('rejects a million objects by rule, and the next call works', async () => {
  const file = handMade([CATALOG, ONE_PAGE, page(), ...Array.from({ length: 1_000_000 }, () => '<< >>')])
  for (const tool of ['split-pdf', 'pdf-to-word'])
    expect(await call(tool, file).catch((error: AppError) => error.errors?.[0]?.rule)).toBe('objects')
  expect((await call('split-pdf', three)).data).toEqual({ partCount: 1 })
}, 120_000)
