/** Documents of other programs, read back by qpdf, Poppler and Tesseract's own layout of the page. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ENCODERS } from '../../support/formats/filters.ts'
import { changedPart, drawn, handMade, pagesOf, run, stream } from '../../support/formats/pdfs.ts'
import { seeded, whole } from '../../support/random.ts'
import { type Given, refusal, runTool } from '../../support/workers/engine.ts'

const FOLDER = join(import.meta.dir, '../../fixtures/field-cases')
const pathOf = (name: string): string => join(FOLDER, name)
const fileOf = (name: string) => ({ name, content: readFileSync(pathOf(name)) })
const words = (path: string): string => run('pdftotext', path, '-').split(/\s+/).join(' ').trim()

const SIGNATURE = fileOf('20-signature.png')
const PLACEMENTS = [{ page: 0, x: 0.7, y: 0.1, w: 0.2, h: 0.2 }]

/** A call of each tool that writes a document from one. */
const CHANGES: Record<string, (file: Given) => Record<string, unknown>> = {
  'document.merge-pdf': (file) => ({ files: [fileOf('plain.pdf'), file] }),
  'document.split-pdf': (file) => ({ file, ranges: '1' }),
  'document.rotate-pages': (file) => ({ file, operations: { rotations: { 0: 90 } } }),
  'document.pdf-watermark': (file) => ({ file, text: 'hi' }),
  'document.compress-pdf': (file) => ({ file }),
  'document.document-sign': (file) => ({ file, signature: SIGNATURE, placements: PLACEMENTS }),
}
const READS: typeof CHANGES = {
  'document.pdf-to-images': (file) => ({ file, dpi: '72' }),
  'document.pdf-to-word': (file) => ({ file }),
  'document.ocr': (file) => ({ file }),
}

const statesIn = (path: string): string[] =>
  [...run('qpdf', '--json', '--json-key=acroform', path).matchAll(/"appearancestate": "\/?([^"]*)"/g)].map(
    ([, state = '']) => state,
  )

// ISO 32000-1, 12.7.4.2.3: export values are in the order of the buttons, and names of states are internal
test.each([
  ['1', ['0', 'Off', 'Off']],
  ['3', ['Off', 'Off', '2']],
])('the export value %p of a radio button is not the name of a state', async (rating, states) => {
  const { path } = await runTool('document.fill-pdf', { file: fileOf('01-radio-opt.pdf'), values: { rating } })
  expect(statesIn(path)).toEqual(states)
})

test('neither the name of a state nor a text that two options share is accepted as a value', async () => {
  const file = fileOf('01-radio-opt.pdf')
  expect(await refusal('document.fill-pdf', { file, values: { rating: '0' } })).toMatchObject({ rule: 'enum' })
  const choice = formOf('/FT /Ch /Ff 131072 /T (n) /Opt [[(1) (2)] [(2) (3)] [(a) (x)] [(b) (x)]]')
  const { path } = await runTool('document.fill-pdf', { file: choice, values: { n: '2' }, flatten: 'true' })
  expect(words(path)).toBe('3')
  expect(await refusal('document.fill-pdf', { file: choice, values: { n: 'x' } })).toMatchObject({ rule: 'enum' })
})

test('check boxes of one name with export values, and boxes and buttons without any appearance', async () => {
  const look = '/AP << /N << /0 5 0 R /Off 5 0 R >> >>'
  const boxes = formOf(`/FT /Btn /T (box) /Opt [(yes)] ${look}`)
  const set = await runTool('document.fill-pdf', { file: boxes, values: { box: 'yes' } })
  expect(statesIn(set.path)).toEqual(['0'])
  const { path } = await runTool('document.fill-pdf', { file: groupOf(3), values: { group: '1' } })
  expect(statesIn(path)).toEqual(['Off', '1', 'Off'])
})

test('all fields of one name get the value', async () => {
  const file = formOf('/FT /Tx /T (who)', '/FT /Tx /T (who)')
  const { path } = await runTool('document.fill-pdf', { file, values: { who: 'Layla' }, flatten: 'true' })
  expect(words(path)).toBe('Layla Layla')
})

test('a text is drawn correctly, whatever texts were drawn before', async () => {
  for (const a of ['Žé', 'Zebra, the', 'ќ', 'к', 'Äé', 'Aoe']) {
    const file = fileOf('146-147-text-field.pdf')
    const { path } = await runTool('document.fill-pdf', { file, values: { a }, flatten: 'true' })
    expect(words(path)).toBe(`Form ${a}`)
  }
})

test('characters that the fonts lack are rejected by name, and named where the file has them', async () => {
  const file = fileOf('146-147-text-field.pdf')
  const refused = await refusal('document.fill-pdf', { file, values: { a: '日本 ok 😀' }, flatten: 'true' })
  expect(refused).toMatchObject({ field: 'values.a', rule: 'glyphs' })
  expect(refused?.message).toContain('日 (U+65E5), 本 (U+672C), 😀 (U+1F600)')
  const old = formOf('/FT /Tx /T (a)', '/FT /Tx /T (b) /V <FEFF65E5>')
  const { warnings } = await runTool('document.fill-pdf', { file: old, values: { a: 'x' } })
  expect(warnings).toEqual(['Texts of other fields have characters that the fonts lack: 日 (U+65E5).'])
})

test('fields that scripts calculate, check or format are named', async () => {
  const file = fileOf('150-calculated.pdf')
  const filled = await runTool('document.fill-pdf', { file, values: { a: 5, b: 6 }, flatten: 'true' })
  expect(filled.warnings).toContain('Scripts that calculate these fields were not run, so they kept their values: sum.')
  const given = await runTool('document.fill-pdf', { file, values: { a: 5, b: 6, sum: 11 } })
  expect(given.warnings).toEqual(['JavaScript was removed from the file.'])
  const formatted = formOf('/FT /Tx /T (n) /AA << /F << /S /JavaScript /JS (AFNumber_Format\\(2\\)) >> >>')
  const { warnings } = await runTool('document.fill-pdf', { file: formatted, values: { n: 1 } })
  expect(warnings).toContain('Scripts that check or format these fields were not run: n.')
})

test.each(Object.keys(CHANGES))('%s keeps a hidden layer hidden', async (id) => {
  const input = (CHANGES[id] as (file: Given) => Record<string, unknown>)(fileOf('02-hidden-layer.pdf'))
  const { path } = await runTool(id, input)
  expect(words(path)).toContain('PUBLIC-B')
  expect(words(path)).not.toContain('SECRET-B')
})

test('each of several merged files keeps the states of its layers, even if the first file has defaults for others', async () => {
  const layered = (state: string, text: string) =>
    handMade([
      `<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [5 0 R 6 0 R] /D << ${state} /Order [5 0 R 6 0 R] >> >> >>`,
      '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Contents 4 0 R /Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> /Properties << /A 5 0 R /B 6 0 R >> >> >>',
      stream(
        `/OC /A BDC BT /F 12 Tf 10 60 Td (${text}A) Tj ET EMC /OC /B BDC BT /F 12 Tf 10 20 Td (${text}B) Tj ET EMC`,
      ),
      '<< /Type /OCG /Name (A) >>',
      '<< /Type /OCG /Name (B) >>',
    ])
  const files = [
    layered('/BaseState /OFF /ON [5 0 R]', 'one'),
    layered('/OFF [5 0 R]', 'two'),
    layered('/BaseState /OFF /ON [6 0 R]', 'three'),
  ]
  for (const order of [files, files.toReversed()])
    expect(
      words((await runTool('document.merge-pdf', { files: order })).path)
        .split(' ')
        .toSorted(),
    ).toEqual(['oneA', 'threeB', 'twoB'])
})

test('catalog entries that a merged file can have only once are named', async () => {
  const tagged = handMade([
    '<< /Type /Catalog /Pages 2 0 R /StructTreeRoot 4 0 R /MarkInfo << /Marked true >> /PageLabels << /Nums [0 << /P (A-) /S /D >>] >> >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /StructParents 0 >>',
    '<< /Type /StructTreeRoot /K [] /ParentTree << /Nums [0 []] >> >>',
  ])
  const { warnings, path } = await runTool('document.merge-pdf', { files: [fileOf('plain.pdf'), tagged] })
  expect(warnings).toEqual([
    'files.1: tags of the document structure, which screen readers use, were not kept, because a PDF can have only one set of them.',
  ])
  const objects = run('qpdf', '--qdf', '--object-streams=disable', path, '-')
  expect(objects).not.toContain('/StructParents')
  expect(objects).toContain('(A-)')
})

test('settings, language and base address of merged files are named where they differ from the first file’s', async () => {
  const file = (entries: string) =>
    handMade([
      `<< /Type /Catalog /Pages 2 0 R ${entries} >>`,
      '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] >>',
    ])
  const settings = '/ViewerPreferences << /Direction /R2L >> /Lang (ar) /URI << /Base (https://example.org/) >>'
  const [arabic, same, plain] = [file(settings), file(settings), file('')]
  expect((await runTool('document.merge-pdf', { files: [arabic, same, plain] })).warnings).toEqual([])
  const { warnings } = await runTool('document.merge-pdf', { files: [plain, arabic] })
  expect(warnings.map((sentence) => sentence.replace(', which screen readers use,', ''))).toEqual([
    'files.1: settings for viewers and printers were not kept, because a PDF can have only one set of them.',
    'files.1: the language of the text was not kept, because a PDF can have only one.',
    'files.1: the base address of relative links was not kept, because a PDF can have only one.',
  ])
})

test('fields that a merged file leaves to viewers are drawn', async () => {
  const asking = handMade([
    '<< /Type /Catalog /Pages 2 0 R /AcroForm << /NeedAppearances true /Fields [4 0 R] /DA (/Helv 12 Tf 0 g) >> >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Annots [4 0 R] >>',
    '<< /Type /Annot /Subtype /Widget /FT /Tx /T (who) /V (Layla) /F 4 /P 3 0 R /Rect [20 20 220 40] >>',
  ])
  const { path } = await runTool('document.merge-pdf', { files: [fileOf('plain.pdf'), asking] })
  expect(run('qpdf', '--qdf', '--object-streams=disable', path, '-')).toContain('/AP')
})

test.each(['FlateDecode', 'RunLengthDecode', 'LZWDecode'])(
  'fields of merged files keep their fonts: %s',
  async (filter) => {
    const form = (font: string, text: string) =>
      handMade([
        '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [4 0 R] /DR << /Font << /F 6 0 R >> >> >> >>',
        '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Annots [4 0 R] >>',
        `<< /Type /Annot /Subtype /Widget /FT /Tx /T (who) /V (${text}) /DA (/F 12 Tf) /F 4 /P 3 0 R /Rect [20 20 220 40] /AP << /N 5 0 R >> >>`,
        stream(
          (ENCODERS[filter] as (bytes: Buffer) => Buffer)(Buffer.from(`BT /F 12 Tf 2 5 Td (${text}) Tj ET`)).toString(
            'latin1',
          ),
          `/Type /XObject /Subtype /Form /BBox [0 0 200 20] /Filter /${filter} /Resources << /Font << /F 6 0 R >> >>`,
        ),
        `<< /Type /Font /Subtype /Type1 /BaseFont /${font} >>`,
      ])
    const { path } = await runTool('document.merge-pdf', {
      files: [form('Courier', 'one'), form('Times-Roman', 'two')],
    })
    expect(words(path)).toBe('one two')
  },
)

// ISO 32000-1, table 30: a unit of coordinates is this number of points; Poppler takes it for one point
const UNIT = 72
const noise = seeded(7)
const NOISE = Buffer.from(Array.from({ length: 300 * 300 }, () => whole(noise, 256))).toString('latin1')
const large = (content = 'q 0 0 1 rg 1 0.5 0.5 0.25 re f Q') =>
  handMade([
    '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R] /DA (/Helv 0 Tf 0 g) >> >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 4 3] /UserUnit ${UNIT} /Contents 4 0 R /Annots [6 0 R] /Resources << /XObject << /I 5 0 R >> >> >>`,
    stream(content),
    stream(NOISE, '/Type /XObject /Subtype /Image /Width 300 /Height 300 /BitsPerComponent 8 /ColorSpace /DeviceGray'),
    '<< /Type /Annot /Subtype /Widget /FT /Tx /T (who) /F 4 /P 3 0 R /Rect [0.5 1 3.5 1.25] >>',
  ])

test('images of a page have the size that its unit says', async () => {
  const { path } = await runTool('document.pdf-to-images', { file: large(), dpi: '72' })
  const png = Buffer.from(await Bun.$`unzip -p ${path}`.quiet().arrayBuffer())
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([4 * UNIT, 3 * UNIT])
})

test('text of a watermark has at least four points, in any unit', async () => {
  const file = large()
  const marked = await runTool('document.pdf-watermark', {
    file,
    wm_mode: 'text',
    text: 'mark',
    position: 'top-right',
    opacity: 1,
  })
  const { left, bottom } = changedPart(drawn(file.path, 1, UNIT * 72), drawn(marked.path, 1, UNIT * 72))
  // as on the same page in points
  expect(left).toBeGreaterThan(0.85)
  expect(bottom).toBeLessThan(0.15)
})

test('an image keeps the pixels that its printed size needs', async () => {
  // 300 pixels over four inches: 75 per inch
  const file = large('q 4 0 0 3 0 0 cm /I Do Q')
  const { path } = await runTool('document.compress-pdf', { file, quality: 'screen' })
  expect(run('pdfimages', '-list', path)).toMatch(/image\s+300\s+300/)
})

test('the value of a field has a size in points', async () => {
  const file = large()
  const { path, warnings } = await runTool('document.fill-pdf', { file, values: { who: 'Layla Haddad' } })
  expect(warnings).toEqual([])
  // 12 points of 216
  const { top, bottom } = changedPart(drawn(file.path, 1, UNIT * 72), drawn(path, 1, UNIT * 72))
  expect(216 * (bottom - top)).toBeGreaterThan(8)
  expect(216 * (bottom - top)).toBeLessThan(14)
})

/** The box of a signature on a page of 300 × 200 points: 60 × 40 points, filled in its height by a square. */
async function signedBox(file: ReturnType<typeof handMade>, page = 0): Promise<number[]> {
  const placements = PLACEMENTS.map((one) => ({ ...one, page }))
  const { path } = await runTool('document.document-sign', { file, signature: SIGNATURE, placements })
  const [before, after] = [drawn(file.path, page + 1), drawn(path, page + 1)]
  const { left, top, right, bottom } = changedPart(before, after)
  return [left * 300, top * 200, right * 300, bottom * 200].map(Math.round)
}
const pageWith = (content: string, entries = '', more: readonly string[] = []) =>
  handMade([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R ${entries} >>`,
    stream(content),
    ...more,
  ])

const OPEN = {
  nothing: 'q Q',
  'states and a scale': 'q 0.1 0 0 0.1 200 0 cm q',
  'more ends of states than beginnings': 'Q Q 0.1 0 0 0.1 200 0 cm',
  'a text': 'BT 0.1 0 0 0.1 0 0 Tm',
  'a clip and a path': '0 0 10 10 re W n 0 0 300 200 re',
  'a string': '0.1 0 0 0.1 200 0 cm (never closed',
  'an array': '0.1 0 0 0.1 200 0 cm [ 1 2',
  'a thousand states': 'q 0.99 0 0 0.99 0 0 cm '.repeat(1_000),
}
test("a stamp keeps its place even if the page's content does not restore graphics states", async () => {
  const places: Record<string, number[]> = {}
  for (const [name, content] of Object.entries(OPEN)) places[name] = await signedBox(pageWith(content))
  const usual = places.nothing as number[]
  expect(usual.map((side, i) => Math.abs(side - [211, 21, 269, 58][i]!) <= 2)).toEqual([true, true, true, true])
  expect(places).toEqual(Object.fromEntries(Object.keys(OPEN).map((name) => [name, usual])))
})

test('a stamp is visible behind the open content of a hidden layer', async () => {
  const hidden = handMade([
    '<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [5 0 R] /D << /OFF [5 0 R] >> >> >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Properties << /A 5 0 R >> >> >>',
    stream('/OC /A BDC q'),
    '<< /Type /OCG /Name (A) >>',
  ])
  const box = await signedBox(hidden)
  expect(box[2]! - box[0]!).toBeGreaterThan(50)
})

test('odd boxes and rotations', async () => {
  const usual = await signedBox(pageWith('q Q'))
  expect(await signedBox(pageWith('q Q', '/CropBox [400 400 500 500]'))).toEqual(usual)
  expect(await signedBox(pageWith('q Q', '/CropBox [300 200 0 0]'))).toEqual(usual)
  expect(await signedBox(pageWith('q Q', '/Rotate 360'))).toEqual(usual)
})

test('pages that share their list of contents are stamped once each', async () => {
  const shared = handMade([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 2 /Kids [3 0 R 6 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 5 0 R /Resources << >> >>',
    stream('q Q'),
    '[4 0 R]',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 5 0 R /Resources << >> >>',
  ])
  const { path } = await runTool('document.document-sign', {
    file: shared,
    signature: SIGNATURE,
    placements: PLACEMENTS,
  })
  expect(changedPart(drawn(shared.path, 2), drawn(path, 2)).count).toBe(0)
})

test('a page whose crop box is outside of its media box is drawn', async () => {
  const file = fileOf('48-cropbox-outside.pdf')
  const { path } = await runTool('document.pdf-to-images', { file, dpi: '72' })
  const png = Buffer.from(await Bun.$`unzip -p ${path}`.quiet().arrayBuffer())
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([300, 200])
  expect((await runTool('document.ocr', { file })).data.pageCount).toBe(1)
  const { path: rotated } = await runTool('document.rotate-pages', { file, operations: { rotations: { 0: 90 } } })
  expect(pagesOf(rotated)[0]?.rotation).toBe(90)
})

test('a grey JPEG is embedded unchanged', async () => {
  const given = fileOf('50-grey.jpg')
  const { path } = await runTool('document.images-to-pdf', { files: [given], page_mode: 'fit' })
  expect(run('pdfimages', '-list', path)).toMatch(/image\s+\d+\s+\d+\s+gray\s+1\s+8\s+jpeg/)
  const root = `${path}-image`
  run('pdfimages', '-j', path, root)
  expect(readFileSync(`${root}-000.jpg`).equals(given.content)).toBe(true)
})

const NOT_COVERED = 'The digital signature of the file does not cover the changes.'
test.each(Object.keys(CHANGES))('%s warns that a digital signature does not cover its changes', async (id) => {
  const call = CHANGES[id] as (file: Given) => Record<string, unknown>
  expect((await runTool(id, call(fileOf('52-signed.pdf')))).warnings).toContain(NOT_COVERED)
  expect((await runTool(id, call(fileOf('plain.pdf')))).warnings).toEqual([])
})

const UNLOCKED = 'The file was protected against changes by a password; the result is not.'
const TOOLS = { ...CHANGES, ...READS }
test.each(Object.keys(TOOLS))(
  '%s warns that it opened a protected file, and refuses one that starts after other bytes',
  async (id) => {
    const call = TOOLS[id] as (file: Given) => Record<string, unknown>
    expect((await runTool(id, call(fileOf('165-owner-password.pdf')))).warnings).toContain(UNLOCKED)
    // ISO 32000-1, annex H: the header is in the first 1,024 bytes
    const behind = (bytes: number) => ({
      name: 'a.pdf',
      content: Buffer.concat([Buffer.alloc(bytes, 'x '), fileOf('plain.pdf').content]),
    })
    expect(await refusal(id, call(behind(3_000)))).toMatchObject({ code: 'INPUT_UNREADABLE', rule: 'format' })
    expect((await runTool(id, call(behind(900)))).data).toBeDefined()
  },
)

/** A page of fields, each given by its entries. */
function formOf(...fields: string[]) {
  const refs = fields.map((_, i) => `${5 + i} 0 R`).join(' ')
  return handMade([
    `<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [${refs}] /DA (/Helv 12 Tf 0 g) >> >>`,
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Annots [${refs}] >>`,
    stream('q Q'),
    ...fields.map(
      (entries, i) =>
        `<< /Type /Annot /Subtype /Widget /P 3 0 R /F 4 /Rect [20 ${20 + 40 * i} 220 ${40 + 40 * i}] ${entries} >>`,
    ),
  ])
}

/** A group of radio buttons without appearances. */
function groupOf(count: number) {
  const kids = Array.from({ length: count }, (_, i) => `${5 + i} 0 R`).join(' ')
  return handMade([
    '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [4 0 R] >> >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Annots [${kids}] >>`,
    `<< /FT /Btn /Ff 49152 /T (group) /Kids [${kids}] >>`,
    ...Array.from(
      { length: count },
      (_, i) =>
        `<< /Type /Annot /Subtype /Widget /Parent 4 0 R /P 3 0 R /F 4 /Rect [20 ${20 + 40 * i} 40 ${40 + 40 * i}] >>`,
    ),
  ])
}
