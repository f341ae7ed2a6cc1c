/** Filled PDF forms, read back by qpdf and Poppler. */
import { describe, expect, test } from 'bun:test'
import { changedPart, drawn, handMade, isSound, qpdfMade, run } from '../../../support/formats/pdfs.ts'
import { refusal, runTool } from '../../../support/workers/engine.ts'

const fill = (values: object, more: { file?: Parameters<typeof runTool>[1]['file']; flatten?: string } = {}) =>
  runTool('document.fill-pdf', { file: 'form.pdf', values, ...more })

type Field = { fullname: string; value: unknown; annotation: { appearancestate: string } }
const fieldsOf = (path: string): Field[] =>
  (JSON.parse(run('qpdf', '--json', '--json-key=acroform', path)) as { acroform: { fields: Field[] } }).acroform.fields
const keptIn = (path: string, name: string) => fieldsOf(path).find(({ fullname }) => fullname === name)?.value
const looksOf = (path: string, name: string) =>
  fieldsOf(path)
    .filter(({ fullname }) => fullname === name)
    .map(({ annotation }) => annotation.appearancestate)
/** Text as Poppler reads it, with ligatures split. */
const readOf = (path: string): string =>
  run('pdftotext', '-layout', path, '-')
    .normalize('NFKC')
    .replace(/[\u202A-\u202E\u2066-\u2069]/g, '')

/** A page of form fields, each given by its dictionary entries. */
const formOf = (...fields: string[]) =>
  handMade([
    `<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [${fields.map((_, i) => `${4 + i} 0 R`).join(' ')}] /DA (/Helv 0 Tf 0 0 1 rg) /NeedAppearances true >> >>`,
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] /Annots [${fields.map((_, i) => `${4 + i} 0 R`).join(' ')}] >>`,
    ...fields.map((entries) => `<< /Type /Annot /Subtype /Widget /P 3 0 R /F 4 ${entries} >>`),
  ])

const ALL = {
  name: 'Layla Haddad',
  notes:
    'First of the lines, long enough that it has to be broken at least once in its box.\nقياس المنطقة الشمالية 204',
  agreed: true,
  kind: 'buoy',
  region: 'South',
  list: ['Two', 'Three'],
}

test('every type of field takes and shows its value', async () => {
  const { data, path, filename, warnings } = await fill(ALL)
  expect({ data, filename, warnings }).toEqual({
    data: { fieldCount: 6, filledCount: 6, flattened: false },
    filename: 'form_filled.pdf',
    warnings: [],
  })
  expect(isSound(path)).toBe(true)
  expect(keptIn(path, 'name')).toBe('u:Layla Haddad')
  expect(keptIn(path, 'notes')).toBe(`u:${ALL.notes}`)
  expect([looksOf(path, 'agreed'), looksOf(path, 'kind')]).toEqual([['/yes'], ['/Off', '/buoy']])
  expect(keptIn(path, 'list')).toEqual(['u:Two', 'u:Three'])
  const read = readOf(path)
  for (const text of ['Layla Haddad', 'broken', 'South', 'Two']) expect(read).toContain(text)
  for (const word of ['قياس', 'المنطقة', 'الشمالية', '204']) expect(read).toContain(word)
})

test('flattening keeps the look of the pages and removes the form', async () => {
  const { path } = await fill(ALL)
  const { data, path: flat } = await fill(ALL, { flatten: 'true' })
  expect(data.flattened).toBe(true)
  expect(fieldsOf(flat)).toEqual([])
  expect(run('qpdf', '--qdf', '--object-streams=disable', flat, '-')).not.toMatch(/\/Widget|\/AcroForm/)
  expect(changedPart(drawn(path), drawn(flat)).count).toBe(0)
  expect(changedPart(drawn('test/fixtures/tools/form.pdf'), drawn(flat)).count).toBeGreaterThan(500)
  expect(readOf(flat)).toContain('Layla Haddad')
})

test('rotated fields, comb fields and nested fields', async () => {
  const form = formOf(
    '/FT /Tx /T (code) /Rect [20 250 220 280] /Ff 16777216 /MaxLen 10 /DA (/Helv 12 Tf 1 0 0 rg)',
    '/FT /Tx /T (side) /Rect [300 50 330 250] /MK << /R 90 /BC [0] >>',
    '/FT /Tx /T (right) /Rect [20 200 220 220] /Q 2 /DA (/Helv 10 Tf 0 g)',
    '/FT /Btn /T (tick) /Rect [20 150 40 170]',
  )
  const { path } = await fill({ code: '12345', side: 'upwards', right: 'edge', tick: true }, { file: form })
  const words = [
    ...run('pdftotext', '-bbox', path, '-').matchAll(
      /xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">([^<]+)</g,
    ),
  ]
  const box = (word: string) =>
    words
      .find((found) => found[5] === word)
      ?.slice(1, 5)
      .map(Number) as [number, number, number, number]
  // a cell of 20 points for each character, which is centred
  for (const [i, digit] of [...'12345'].entries()) {
    const [left, , right] = box(digit)
    expect(Math.abs((left + right) / 2 - (30 + 20 * i))).toBeLessThan(1)
  }
  const [left, top, right, bottom] = box('upwards')
  expect(right - left).toBeLessThan(bottom - top)
  expect(left).toBeGreaterThan(299)
  expect(bottom).toBeGreaterThan(240)
  expect(box('edge')[2]).toBeGreaterThan(214)
  expect(looksOf(path, 'tick')).toEqual(['/Yes'])
  const tick = changedPart(drawn(form.path), drawn(path))
  expect(tick.count).toBeGreaterThan(100)
  expect(run('qpdf', '--qdf', '--object-streams=disable', path, '-')).not.toContain('NeedAppearances')
  const page = drawn(path)
  const at = (x: number, y: number) => [...page.data.subarray(3 * (y * page.width + x), 3 * (y * page.width + x) + 3)]
  const red = Array.from({ length: 200 }, (_, x) => at(20 + x, 35)).filter(
    ([r, g]) => (r as number) > 200 && (g as number) < 120,
  )
  expect(red.length).toBeGreaterThan(3)
})

test('warns about text longer than its field; automatic font sizes shrink until it fits', async () => {
  const form = formOf(
    '/FT /Tx /T (fixed) /Rect [20 250 120 270] /DA (/Helv 12 Tf 0 g)',
    '/FT /Tx /T (open) /Rect [20 200 120 220]',
    '/FT /Tx /T (lines) /Rect [20 20 220 180] /Ff 4096',
  )
  const long = 'longer than this field can show'
  const { warnings, path } = await fill({ fixed: long, open: long, lines: `${long} `.repeat(30) }, { file: form })
  expect(warnings).toEqual(['Values longer than the visible part of their fields: fixed.'])
  const { count, bottom } = changedPart(drawn(form.path), drawn(path))
  expect(count).toBeGreaterThan(500)
  expect(bottom).toBeLessThan(281 / 300)
})

test('null and false empty a field', async () => {
  const { path: filled } = await fill(ALL)
  const file = qpdfMade(filled)
  const { path } = await fill({ name: null, agreed: false, kind: null, region: null, list: null }, { file })
  expect([keptIn(path, 'name') ?? 'u:', looksOf(path, 'agreed'), looksOf(path, 'kind')]).toEqual([
    'u:',
    ['/Off'],
    ['/Off', '/Off'],
  ])
  expect(readOf(path)).not.toMatch(/Layla|South/)
})

test('500 values of 10,000 characters', async () => {
  const fields = Array.from({ length: 500 }, (_, i) => `/FT /Tx /T (f${i}) /Rect [20 20 380 280] /Ff 4096`)
  const words = Array.from({ length: 1_500 }, (_, i) => `w${i} قياس`)
    .join(' ')
    .slice(0, 10_000)
  const values = Object.fromEntries(fields.map((_, i) => [`f${i}`, words]))
  const { data } = await fill(values, { file: formOf(...fields), flatten: 'true' })
  expect(data).toEqual({ fieldCount: 500, filledCount: 500, flattened: true })
}, 180_000)

describe('rejects', () => {
  const cells = formOf('/FT /Tx /T (code) /Rect [0 0 90 20] /MaxLen 3', '/FT /Sig /T (sign) /Rect [0 50 90 70]')
  test.each([
    ['an unknown field', { nobody: 'x' }, 'values.nobody', 'field', 'form.pdf'],
    ['an unknown option', { region: 'east' }, 'values.region', 'enum', 'form.pdf'],
    ['an unknown radio button', { kind: 'ship' }, 'values.kind', 'enum', 'form.pdf'],
    [
      'several options of a single-choice list',
      { region: ['North', 'South'] },
      'values.region',
      'maxItems',
      'form.pdf',
    ],
    ['text for a check box', { agreed: 'perhaps' }, 'values.agreed', 'enum', 'form.pdf'],
    ['a list for a text field', { name: ['a'] }, 'values.name', 'type', 'form.pdf'],
    ['a text that is too long for its field', { code: 'abcd' }, 'values.code', 'maxLength', cells],
    ['a signature', { sign: 'x' }, 'values.sign', 'type', cells],
    ['10,001 characters', { name: 'x'.repeat(10_001) }, 'values.name', undefined, 'form.pdf'],
    [
      '501 values',
      Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`f${i}`, ''])),
      'values',
      'maxProperties',
      'form.pdf',
    ],
    ['a PDF without a form', { name: 'x' }, 'file', 'form', 'report.pdf'],
  ])('%s', async (_, values, field, rule, file) => {
    const refused = await refusal('document.fill-pdf', { file, values })
    expect(refused.field).toBe(field)
    if (rule !== undefined) expect(refused.rule).toBe(rule)
  })
})

test('fields that are not filled keep their values visible where viewers would draw them', async () => {
  const box = (y: number): string => `/Rect [20 ${y} 380 ${y + 24}]`
  const file = formOf(
    `/FT /Tx /T (first) ${box(250)}`,
    // a blank appearance, as in forms whose values a program wrote
    `/FT /Tx /T (second) /V (Untouched) ${box(200)} /AP << /N 8 0 R >>`,
    `/FT /Ch /Ff 131072 /T (third) /V (Choice B) /Opt [(Choice A) (Choice B)] ${box(150)} /AP << /N 8 0 R >>`,
    `/FT /Ch /T (fourth) /V (Row 2) /Opt [(Row 1) (Row 2)] ${box(100)}`,
  )
  const text = file.content.toString('latin1')
  const blank =
    '8 0 obj\n<< /Type /XObject /Subtype /Form /BBox [0 0 360 24] /Length 0 >>\nstream\n\nendstream\nendobj\n'
  const content = Buffer.from(text.replace(/xref\n/, `${blank}xref\n`), 'latin1')
  for (const flatten of ['false', 'true']) {
    const { path } = await fill({ first: 'Typed' }, { file: { name: 'a.pdf', content }, flatten })
    const read = readOf(path)
    for (const shown of ['Typed', 'Untouched', 'Choice B', 'Row 2']) expect(read).toContain(shown)
  }
})
