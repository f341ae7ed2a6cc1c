/**
 * Fonts whose codes become glyphs through a character map in the file (ISO 32000-1, 9.7.5.3). The reference is the same
 * line with the numbers of the glyphs as codes, which needs no map, drawn by Poppler.
 */
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fontkit from 'fontkit'
import sharp from 'sharp'
import { drawn, freshPath, handMade, run, stream } from '../../../support/formats/pdfs.ts'
import { ROOT } from '../../../support/processes.ts'
import { runTool } from '../../../support/workers/engine.ts'

const TEXT = 'Level 42 of Well'
const PROGRAM = readFileSync(join(ROOT, 'node_modules/pdfjs-dist/standard_fonts/LiberationSans-Regular.ttf'))
const font = fontkit.create(PROGRAM) as fontkit.Font
const SIGNS = [...new Set(TEXT)]
const glyphOf = (sign: string): number => font.glyphForCodePoint(sign.codePointAt(0) as number).id
const hex = (value: number, bytes = 2): string => value.toString(16).padStart(2 * bytes, '0')

const program = (kind: number, body: string): string =>
  `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> def /CMapName /Own def /CMapType ${kind} def ${body} endcmap CMapName currentdict /CMap defineresource pop end end`
const space = (bytes: number): string =>
  `1 begincodespacerange <${'00'.repeat(bytes)}> <${'ff'.repeat(bytes)}> endcodespacerange`
const singles = (codeOf: (sign: string) => string): string =>
  `${SIGNS.length} begincidchar ${SIGNS.map((sign) => `<${codeOf(sign)}> ${glyphOf(sign)}`).join('\n')} endcidchar`

type Given = { codeOf(sign: string): string; map?: string; dict?: string; other?: string }
const inAscii = (sign: string): string => hex(sign.charCodeAt(0))
const counted = (bytes: number, first: number) => (sign: string) => hex(first + SIGNS.indexOf(sign), bytes)
const ASCII = `1 begincidrange <0020> <007e> ${glyphOf(' ')} endcidrange`
/** One letter has another code than in the referenced map. */
const withOther = (codeOf: (sign: string) => string) => (sign: string) => (sign === 'W' ? 'f001' : codeOf(sign))
const OTHER = `1 begincidchar <f001> ${glyphOf('W')} endcidchar`
const mixed = (sign: string): string => {
  const index = SIGNS.indexOf(sign)
  return index % 2 === 0 ? hex(0x40 + index, 1) : hex(0x8140 + index)
}

const CASES: Record<string, Given> = {
  'two bytes': { codeOf: counted(2, 0x100), map: `${space(2)} ${singles(counted(2, 0x100))}` },
  'a range': { codeOf: inAscii, map: `${space(2)} ${ASCII}` },
  'one byte': { codeOf: counted(1, 0x40), map: `${space(1)} ${singles(counted(1, 0x40))}` },
  'one and two bytes': {
    codeOf: mixed,
    map: `2 begincodespacerange <00> <7f> <8140> <fefe> endcodespacerange ${singles(mixed)}`,
  },
  'three bytes': {
    codeOf: counted(3, 0x810000),
    map: `1 begincodespacerange <810000> <8100ff> endcodespacerange ${singles(counted(3, 0x810000))}`,
  },
  'no ranges of codes': { codeOf: inAscii, map: ASCII },
  'a published map, changed': {
    codeOf: withOther((sign) => hex(glyphOf(sign))),
    map: `/Identity-H usecmap ${OTHER}`,
    dict: '/UseCMap /Identity-H',
  },
  'a map of the file, changed': {
    codeOf: withOther(inAscii),
    map: `/Base usecmap ${OTHER}`,
    dict: '/UseCMap 10 0 R',
    other: `${space(2)} ${ASCII}`,
  },
}

function pdfOf({ codeOf, map, dict, other }: Given): ReturnType<typeof handMade> {
  const pairs = SIGNS.map((sign) => `<${codeOf(sign)}> <${hex(sign.charCodeAt(0))}>`)
  const bytes = codeOf('W').length / 2
  return handMade([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 60] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    stream(`BT /F1 24 Tf 20 20 Td <${[...TEXT].map(codeOf).join('')}> Tj ET`),
    `<< /Type /Font /Subtype /Type0 /BaseFont /Own /Encoding ${map === undefined ? '/Identity-H' : '8 0 R'} /DescendantFonts [6 0 R] /ToUnicode 9 0 R >>`,
    '<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Own /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 600 /FontDescriptor 7 0 R /CIDToGIDMap /Identity >>',
    '<< /Type /FontDescriptor /FontName /Own /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 /FontFile2 11 0 R >>',
    stream(program(1, map ?? ''), `/Type /CMap /CMapName /Own ${dict ?? ''}`),
    stream(program(2, `${space(bytes)} ${SIGNS.length} beginbfchar ${pairs.join('\n')} endbfchar`)),
    stream(program(1, other ?? ''), '/Type /CMap /CMapName /Base'),
    stream(PROGRAM.toString('latin1'), `/Length1 ${PROGRAM.length}`),
  ])
}

const reference = drawn(pdfOf({ codeOf: (sign) => hex(glyphOf(sign)) }).path)

describe.each(Object.keys(CASES))('%s', (name) => {
  const file = pdfOf(CASES[name] as Given)

  test('pdf-to-images draws the glyphs', async () => {
    const { path, warnings } = await runTool('document.pdf-to-images', { file, dpi: '72' })
    const folder = freshPath('pages')
    run('unzip', '-q', path, '-d', folder)
    const ours = await sharp(`${folder}/${run('unzip', '-Z1', path).trim()}`)
      .greyscale()
      .raw()
      .toBuffer()
    let [both, either] = [0, 0]
    for (const [i, value] of ours.entries()) {
      const [one, other] = [255 - value, 255 - (reference.data[3 * i] as number)]
      both += Math.min(one, other)
      either += Math.max(one, other)
    }
    expect(both / either).toBeGreaterThan(0.8)
    expect(warnings).toEqual([])
  })

  test('pdf-to-word reads the text', async () => {
    const { path } = await runTool('document.pdf-to-word', { file })
    const texts = [...run('unzip', '-p', path, 'word/document.xml').matchAll(/<w:t(?: [^>]*)?>([^<]*)/g)]
    expect(texts.map(([, text]) => text).join('')).toBe(TEXT)
  })
})

test('a map that uses itself', async () => {
  const given = { codeOf: inAscii, map: `/Own usecmap ${space(2)} ${ASCII}`, dict: '/UseCMap 8 0 R' }
  expect((await runTool('document.pdf-to-images', { file: pdfOf(given), dpi: '72' })).data).toEqual({ pageCount: 1 })
})
