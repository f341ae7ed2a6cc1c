/** Split PDF, each part read back by Poppler. */
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  freshPath,
  handMade,
  isSound,
  outlineOf,
  pagesOf,
  plainPdf,
  qpdfMade,
  REPORT,
  run,
  textOf,
} from '../../../support/formats/pdfs.ts'
import { refusal, runTool } from '../../../support/workers/engine.ts'
import { FIXTURES } from '../../../support/workers/tools.ts'

const document = () => plainPdf(Array.from({ length: 9 }, (_, i) => `page ${i + 1}`))
const split = (ranges: string, file: Parameters<typeof runTool>[1]['file'] = document()) =>
  runTool('document.split-pdf', { file, ranges })

/** Texts of the PDFs in a ZIP, by name. */
function partsOf(zip: string): Record<string, string[]> {
  const folder = freshPath('parts')
  run('unzip', '-q', zip, '-d', folder)
  const names = run('unzip', '-Z1', zip).trim().split('\n')
  return Object.fromEntries(
    names.map((name) => [name, pagesOf(`${folder}/${name}`).map((_, i) => textOf(`${folder}/${name}`, i + 1))]),
  )
}

test('one range gives a PDF', async () => {
  const { data, path, filename } = await split('3-5')
  expect({ data, filename }).toEqual({ data: { partCount: 1 }, filename: 'plain_3-5.pdf' })
  expect([1, 2, 3].map((page) => textOf(path, page))).toEqual(['page 3', 'page 4', 'page 5'])
  expect(pagesOf(path).length).toBe(3)
  expect(isSound(path)).toBe(true)
})

test('several ranges give a ZIP with a part for each in order, even if they overlap', async () => {
  const { data, path, filename } = await split('1-2, 8-,2,2')
  expect({ data, filename }).toEqual({ data: { partCount: 4 }, filename: 'plain_parts.zip' })
  expect(partsOf(path)).toEqual({
    'plain_1-2.pdf': ['page 1', 'page 2'],
    'plain_8-9.pdf': ['page 8', 'page 9'],
    'plain_2.pdf': ['page 2'],
    'plain_2_4.pdf': ['page 2'],
  })
})

test('keeps metadata, and the outline entries of the pages it keeps', async () => {
  const { path } = await split('2-', 'report.pdf')
  expect(run('pdfinfo', path)).toContain('Field report')
  expect(outlineOf(path).filter(({ page }) => page !== null)).toEqual([
    { title: 'Readings', page: 1 },
    { title: 'Sites', page: 2 },
  ])
})

test('keeps a form', async () => {
  const { path } = await split('1', { name: 'form.pdf', content: readFileSync(join(FIXTURES, 'form.pdf')) })
  const { acroform } = JSON.parse(run('qpdf', '--json', '--json-key=acroform', path)) as {
    acroform: { fields: { fullname: string }[] }
  }
  expect([...new Set(acroform.fields.map(({ fullname }) => fullname))]).toEqual([
    'name',
    'notes',
    'agreed',
    'kind',
    'region',
    'list',
  ])
})

test('scripts and attachments are removed when splitting, rotating, signing and watermarking', async () => {
  const scripted = handMade([
    '<< /Type /Catalog /Pages 2 0 R /OpenAction 5 0 R /Names << /JavaScript << /Names [(a) 5 0 R] >> >> >>',
    '<< /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /AA << /O 5 0 R >> >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /J#61vaScript /J#53 (app.alert\\(2\\)) >> >>] >>',
    '<< /S /JavaScript /JS (app.alert\\(1\\)) >>',
  ])
  // in an object stream, and with an attachment
  const file = qpdfMade('--object-streams=generate', '--add-attachment', REPORT, '--key=secret', '--', scripted.path)
  const place = { signature: 'logo.png', placements: [{ page: 0, x: 0, y: 0, w: 0.5, h: 0.5 }] }
  for (const [tool, input] of [
    ['split-pdf', { ranges: '1-2' }],
    ['rotate-pages', { operations: { rotations: { 0: 90 } } }],
    ['pdf-watermark', { text: 'Draft' }],
    ['compress-pdf', {}],
    ['document-sign', place],
  ] as const) {
    const { path, warnings } = await runTool(`document.${tool}`, { file, ...input })
    expect([tool, warnings]).toEqual([
      tool,
      ['JavaScript was removed from the file.', 'Embedded files were removed from the file.'],
    ])
    const objects = run('qpdf', '--qdf', '--object-streams=disable', path, '-')
    expect([tool, /JavaScript|\/JS|EmbeddedFile|app\.alert/.exec(objects)?.[0]]).toEqual([tool, undefined])
    expect(run('qpdf', '--list-attachments', path)).toContain('no embedded files')
    expect(pagesOf(path)).toHaveLength(2)
  }
})

describe('rejects', () => {
  test.each([
    ['5-2', 'order'],
    ['0', 'range'],
    ['9999', 'range'],
    ['1-10', 'range'],
    ['a-b', 'syntax'],
    ['1,,2', 'syntax'],
    ['-3', 'syntax'],
    ['1-2-3', 'syntax'],
    ['1;2', 'syntax'],
    ['--', 'syntax'],
    [Array.from({ length: 501 }, () => '1').join(','), 'parts'],
  ])('%s', async (ranges, rule) => {
    expect(await refusal('document.split-pdf', { file: document(), ranges })).toMatchObject({
      code: 'VALIDATION_FAILED',
      field: 'ranges',
      rule,
    })
  })
})
