/** compress-pdf on Type 1 and Type 3 fonts: only shown glyphs stay, and Poppler and PDFium draw them as before. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { cffOfType1 } from '../../../src/lib/pdf/type1/convert.ts'
import { outlineOf } from '../../../src/lib/pdf/type1/outline.ts'
import { readType1 } from '../../../src/lib/pdf/type1/program.ts'
import { runTool } from '../../support/engine.ts'
import { mutated, runs } from '../../support/fuzz.ts'
import { pagePixels } from '../../support/image-pdfs.ts'
import { handMade, isSound, run, stream, textOf } from '../../support/pdfs.ts'
import { outputOf } from '../../support/program.ts'
import { FLEX_SUBROUTINES, type Type1Options, type1Font } from '../../support/type1-font.ts'

type File = ReturnType<typeof handMade>

const widths = `/FirstChar 0 /LastChar 255 /Widths [${Array(256).fill(600).join(' ')}]`
const page = (text: string, font: string, ...more: string[]): File =>
  handMade([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 120] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    stream(`BT /F1 48 Tf 20 40 Td ${text} Tj ET`),
    font,
    ...more,
  ])
const type1Page = (text: string, program: Buffer, encoding: string): File =>
  page(
    text,
    `<< /Type /Font /Subtype /Type1 /BaseFont /AAAAAA+Test /FontDescriptor 6 0 R ${widths} ${encoding} >>`,
    '<< /Type /FontDescriptor /FontName /AAAAAA+Test /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 /FontFile 7 0 R >>',
    stream(
      deflateSync(program).toString('latin1'),
      `/Filter /FlateDecode /Length1 ${program.indexOf('eexec') + 6} /Length2 ${program.length} /Length3 0`,
    ),
  )

/** A triangle, a frame with a hole, a bowl of curves, and an accent. */
const SHAPES = {
  A: '40 600 hsbw 0 20 hstem 500 700 rmoveto -250 -700 rlineto 500 hlineto closepath endchar',
  B: '60 620 hsbw 0 vmoveto 480 hlineto 700 vlineto -480 hlineto closepath 100 100 rmoveto 500 vlineto 280 hlineto -500 vlineto closepath endchar',
  C: '50 600 hsbw 350 hmoveto 160 140 160 190 hvcurveto 190 -140 160 -160 vhcurveto -40 -10 -30 -20 -30 -60 rrcurveto closepath endchar',
  acute: '120 300 hsbw 600 vmoveto 60 120 rlineto 70 hlineto -40 -120 rlineto closepath endchar',
}
const FONTS: Record<string, [options: Type1Options, text: string, encoding?: string]> = {
  'lines and curves': [{ glyphs: SHAPES }, '(ABCAB)'],
  'curves that go on in the same way': [
    {
      glyphs: {
        A: '0 600 hsbw 100 hmoveto 90 20 80 110 hvcurveto 100 70 60 90 vhcurveto 100 0 50 80 60 0 rrcurveto 90 0 50 80 60 0 rrcurveto 0 40 30 50 0 60 rrcurveto 0 40 30 50 0 60 rrcurveto 10 20 rlineto -30 9 rlineto -400 hlineto -100 vlineto closepath endchar',
      },
    },
    '(A)',
  ],
  'accented letters': [
    { glyphs: { ...SHAPES, Aacute: '40 640 hsbw 120 250 120 65 194 seac' } },
    '(A\\301)',
    '/Encoding /WinAnsiEncoding',
  ],
  subroutines: [
    {
      glyphs: { A: '40 600 hsbw 500 vmoveto 5 callsubr closepath 4 callsubr closepath endchar', C: SHAPES.C },
      subroutines: [
        ...FLEX_SUBROUTINES,
        '100 100 rmoveto 200 hlineto 5 callsubr return',
        '300 vlineto 50 hlineto return',
      ],
    },
    '(ACA)',
  ],
  'flex and hints that change': [
    {
      glyphs: {
        A: '40 600 hsbw 4 1 3 callothersubr pop callsubr 100 vmoveto 1 callsubr 200 -12 rmoveto 2 callsubr -100 0 rmoveto 2 callsubr 30 0 rmoveto 2 callsubr 70 12 rmoveto 2 callsubr 60 0 rmoveto 2 callsubr 100 -12 rmoveto 2 callsubr 140 0 rmoveto 2 callsubr 50 540 100 0 callsubr 300 vlineto -400 hlineto closepath endchar',
      },
      subroutines: [...FLEX_SUBROUTINES, '0 20 hstem 50 30 vstem return'],
    },
    '(AA)',
  ],
  'divided numbers, three stems and a side bearing above': [
    {
      glyphs: {
        A: '30 50 610 0 sbw 0 20 100 20 200 20 hstem3 dotsection 1001 3 div 4 div 100 rmoveto 1603 4 div 0 rlineto 1000 3 div vlineto -2000 7 div hlineto closepath endchar',
      },
    },
    '(AA)',
  ],
  'no random bytes, and hexadecimal': [{ glyphs: SHAPES, lenIV: 0, isHexadecimal: true }, '(CAB)'],
  'charstrings that are not encrypted': [{ glyphs: SHAPES, lenIV: -1 }, '(CAB)'],
  'segments of a PFB file': [{ glyphs: SHAPES, isPfb: true }, '(CAB)'],
  'a slanted font with 2,048 units': [{ glyphs: SHAPES, matrix: '0.00048828125 0 0.0001 0.00048828125 0 0' }, '(CAB)'],
  'its own encoding, with a second code that is not shown': [
    {
      glyphs: { triangle: SHAPES.A, frame: SHAPES.B },
      encoding:
        '256 array\n0 1 255 {1 index exch /.notdef put} for\ndup 1 /triangle put\ndup 8#376 /frame put\ndup 65 /triangle put\nreadonly def',
    },
    '(\\001\\376)',
  ],
  'names in the document': [
    { glyphs: { g1: SHAPES.A, g2: SHAPES.C } },
    '(\\001\\002)',
    '/Encoding << /Differences [1 /g2 /g1] >>',
  ],
}

const picture = (path: string): Buffer => outputOf('pdftoppm', ['-r', '150', path])
test.each(Object.keys(FONTS))('Type 1: %s', async (name) => {
  const [options, text, encoding = ''] = FONTS[name] as (typeof FONTS)[string]
  const file = type1Page(text, type1Font(options), encoding)
  const { path } = await runTool('document.compress-pdf', { file })
  expect(isSound(path)).toBe(true)
  expect(run('pdffonts', path)).toMatch(/Type 1C/)
  expect(readFileSync(path).length).toBeLessThan(0.4 * file.content.length)
  expect(picture(path).equals(picture(file.path))).toBe(true)
  expect(picture(path).filter((value) => value < 128).length).toBeGreaterThan(1_000)
  expect(textOf(path, 1)).toBe(textOf(file.path, 1))
  const [before, after] = [await pagePixels(file.path), await pagePixels(path)]
  expect(before.filter((value, i) => Math.abs(value - (after[i] as number)) > 100).length).toBe(0)
})

test('a Type 1 font stays as it is when it cannot be converted completely', async () => {
  for (const options of [
    { glyphs: { A: '0 600 hsbw 9 callsubr endchar' } },
    { glyphs: { A: '0 600 hsbw 50 50 rlineto 300 hlineto closepath endchar' } },
    { glyphs: { A: '0 600 hsbw 1 2 14 callothersubr pop 50 hlineto endchar' } },
    { glyphs: SHAPES, encoding: '[/A /B /C] def' },
    { glyphs: SHAPES, encoding: '256 array\ndup 1 /A put\ndup 65 /A put\nreadonly def' },
  ]) {
    const { path } = await runTool('document.compress-pdf', { file: type1Page('(A\\001)', type1Font(options), '') })
    expect(isSound(path)).toBe(true)
    expect(run('pdffonts', path)).not.toMatch(/Type 1C/)
  }
})

test('damaged Type 1 programs are converted or left', async () => {
  const programs = Object.values(FONTS).map(([options]) => type1Font({ ...options, unused: 2 }))
  await fc.assert(
    fc.asyncProperty(mutated(...programs), async (bytes) => {
      const program = readType1(bytes)
      for (const name of program?.charstrings.keys() ?? []) outlineOf(program as NonNullable<typeof program>, name)
      await cffOfType1(bytes, [])
    }),
    runs(300),
  )
})

const procedure = (shape: string): string => stream(`600 0 0 0 600 700 d1\n${shape} f`)
const type3 = (entries: string): string =>
  `<< /Type /Font /Subtype /Type3 /FontBBox [0 0 600 700] /FontMatrix [0.001 0 0 0.001 0 0] /Resources << >> ${widths} ${entries} >>`

test('Type 3: the procedures of other glyphs are dropped', async () => {
  const noise = (seed: number): string =>
    Array.from({ length: 400 }, (_, i) => `${(i * seed) % 600} ${(i * seed * 7) % 700} l`).join(' ')
  const file = page(
    '(ab a)',
    type3(
      '/Encoding << /Differences [97 /one /two /three /four] >> /CharProcs << /one 6 0 R /two 7 0 R /three 8 0 R /four 9 0 R /space 10 0 R >>',
    ),
    procedure('50 50 m 300 50 l 300 600 l'),
    procedure('50 50 500 300 re'),
    ...[11, 13].map((seed) => procedure(`0 0 m ${noise(seed)}`)),
    procedure('100 0 50 50 re'),
  )
  const { path } = await runTool('document.compress-pdf', { file })
  expect(isSound(path)).toBe(true)
  const [objects] = JSON.parse(run('qpdf', '--json', '--json-key=qpdf', path)).qpdf.slice(1)
  const font = Object.values(objects as Record<string, { value?: Record<string, unknown> }>).find(
    ({ value }) => value?.['/Subtype'] === '/Type3',
  )
  expect(Object.keys(font?.value?.['/CharProcs'] as object).sort()).toEqual(['/one', '/space', '/two'])
  expect(readFileSync(path).length).toBeLessThan(0.5 * file.content.length)
  expect(picture(path).equals(picture(file.path))).toBe(true)
  expect(textOf(path, 1)).toBe(textOf(file.path, 1))
})
