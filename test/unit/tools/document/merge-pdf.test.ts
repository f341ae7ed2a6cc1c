/** Merge PDF, read back by qpdf and Poppler. */
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import {
  handMade,
  isSound,
  outlineOf,
  pagesOf,
  plainPdf,
  qpdfMade,
  REPORT,
  run,
  stream,
  textOf,
} from '../../../support/formats/pdfs.ts'
import { refusal, runTool } from '../../../support/workers/engine.ts'

const merge = (...files: unknown[]) => runTool('document.merge-pdf', { files })

/** Two pages. A link on the first and an outline entry with a child use a named destination on the second. */
const named = (content: string, dests: string, more = '') => {
  // in the old dictionary the names are PDF names, in the name tree they are strings
  const there = dests === TREE ? '(there)' : '/there'
  return handMade([
    `<< /Type /Catalog /Pages 2 0 R /Outlines 8 0 R ${dests} ${more} >>`,
    '<< /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 5 0 R /Resources << /Font << /F1 7 0 R >> >> /Annots [<< /Type /Annot /Subtype /Link /Rect [10 10 90 90] /A << /S /GoTo /D ${there} >> >>] >>`,
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 6 0 R /Resources << /Font << /F1 7 0 R >> >> >>',
    stream(`BT /F1 18 Tf 60 200 Td (${content} one) Tj ET`),
    stream(`BT /F1 18 Tf 60 200 Td (${content} two) Tj ET`),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    '<< /Type /Outlines /First 9 0 R /Last 9 0 R /Count 1 >>',
    `<< /Title (${content} chapter) /Parent 8 0 R /Dest ${there} /First 10 0 R /Last 10 0 R /Count -1 >>`,
    `<< /Title (${content} section) /Parent 9 0 R /A << /S /GoTo /D [4 0 R /XYZ 0 250 null] >> >>`,
    '<< /Limits [(there) (there)] /Names [(there) << /D [4 0 R /FitH 120] >>] >>',
  ])
}
const TREE = '/Names << /Dests << /Kids [11 0 R] >> >>'

type Described = { qpdf: [object, Record<string, { value?: Record<string, unknown> }>]; pages: { object: string }[] }

/** Pages, from 0, that the explicit destinations of a page's links go to. */
function linksOf(path: string, page: number): (number | string)[] {
  const { qpdf, pages } = JSON.parse(run('qpdf', '--json', '--json-key=qpdf', '--json-key=pages', path)) as Described
  const objects = qpdf[1]
  const at = (value: unknown): unknown =>
    typeof value === 'string' && /^\d+ 0 R$/.test(value) ? objects[`obj:${value}`]?.value : value
  const annotations = at((at(pages[page]?.object) as Record<string, unknown>)['/Annots']) as unknown[]
  return annotations.map((entry) => {
    const link = at(entry) as Record<string, unknown>
    const action = at(link['/A']) as Record<string, unknown> | undefined
    const target = at(link['/Dest'] ?? action?.['/D']) as unknown[] | string
    return typeof target === 'string' ? target : pages.findIndex(({ object }) => object === target[0])
  })
}

test('pages are in the order of the files', async () => {
  const [short, wide] = [plainPdf(['first']), plainPdf(['second', 'third'], [842, 595])]
  const { data, path, filename } = await merge(short, wide, short)
  expect({ data, filename }).toEqual({ data: { fileCount: 3, pageCount: 4 }, filename: 'plain_merged.pdf' })
  expect([1, 2, 3, 4].map((page) => textOf(path, page))).toEqual(['first', 'second', 'third', 'first'])
  expect(pagesOf(path).map(({ width }) => width)).toEqual([595, 842, 842, 595])
  expect(isSound(path)).toBe(true)
})

test('keeps the outlines of all files, with nested entries', async () => {
  const { path } = await merge('report.pdf', named('Alpha', TREE), named('Beta', '/Dests << /there [4 0 R /Fit] >>'))
  expect(outlineOf(path)).toEqual([
    ...outlineOf(REPORT),
    { title: 'Alpha chapter', page: 5 },
    { title: 'Beta chapter', page: 7 },
  ])
  const { outlines } = JSON.parse(run('qpdf', '--json', '--json-key=outlines', path)) as {
    outlines: { open: boolean; kids: { title: string; destpageposfrom1: number; dest: unknown[] }[] }[]
  }
  expect(outlines[3]).toMatchObject({ open: false, kids: [{ title: 'Alpha section', destpageposfrom1: 5 }] })
  expect(outlines[3]?.kids[0]?.dest.slice(1)).toEqual(['/XYZ', 0, 250, null])
  expect(isSound(path)).toBe(true)
})

test('links point to the pages of their own file, even if several files use the same names', async () => {
  const { path } = await merge(named('Alpha', TREE), named('Beta', TREE), named('Gamma', TREE))
  // the first file keeps its names
  expect(linksOf(path, 0)).toEqual(['u:there'])
  expect([linksOf(path, 2), linksOf(path, 4)]).toEqual([[3], [5]])
})

test('keeps the forms of all files, with unique field names', async () => {
  const form = handMade([
    '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [4 0 R] /DA (/Helv 12 Tf 0 g) >> >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Annots [4 0 R] >>',
    '<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Hill) /Rect [10 10 200 40] /P 3 0 R /F 4 >>',
  ])
  const { path } = await merge(form, form)
  const { acroform } = JSON.parse(run('qpdf', '--json', '--json-key=acroform', path)) as {
    acroform: { fields: { fullname: string; value: string; pageposfrom1: number }[] }
  }
  expect(acroform.fields.map(({ value, pageposfrom1 }) => [value, pageposfrom1])).toEqual([
    ['u:Hill', 1],
    ['u:Hill', 2],
  ])
  expect(new Set(acroform.fields.map(({ fullname }) => fullname)).size).toBe(2)
})

test('removes scripts and attachments, with a warning', async () => {
  const scripts = named('Alpha', TREE, '/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>')
  const carrying = qpdfMade(
    '--add-attachment',
    REPORT,
    '--key=secret',
    '--',
    '--object-streams=generate',
    plainPdf(['x']).path,
  )
  const { path, warnings } = await merge(scripts, carrying)
  expect(warnings).toEqual(['JavaScript was removed from the file.', 'Embedded files were removed from the file.'])
  const objects = run('qpdf', '--qdf', '--object-streams=disable', path, '-')
  expect(objects).not.toMatch(/JavaScript|\/JS|EmbeddedFile|app\.alert/)
  expect(run('qpdf', '--list-attachments', path)).toContain('no embedded files')
  expect(textOf(path, 3)).toBe('x')
})

describe('rejects', () => {
  const one = readFileSync(REPORT)
  const locked = qpdfMade('--encrypt', 'word', 'word', '256', '--', REPORT)
  test.each([
    ['one file', [{ name: 'a.pdf', content: one }], 'files', 'items'],
    ['21 files', Array.from({ length: 21 }, () => ({ name: 'a.pdf', content: one })), 'files', 'items'],
    ['an encrypted one', ['report.pdf', locked], 'files.1', 'encrypted'],
    ['a file that is not a PDF', ['report.pdf', 'logo.png'], 'files.1', 'format'],
    ['a broken one', [{ name: 'a.pdf', content: one.subarray(0, 900) }, 'report.pdf'], 'files.0', 'unreadable'],
  ])('%s', async (_, files, field, rule) => {
    expect(await refusal('document.merge-pdf', { files })).toMatchObject({ field, rule })
  })

  test('too many pages', async () => {
    const many = plainPdf(Array.from({ length: 1_200 }, () => 'x'))
    expect(await refusal('document.merge-pdf', { files: [many, many] })).toMatchObject({
      code: 'FILE_TOO_LARGE',
      field: 'files',
      rule: 'pages',
    })
  })
})
