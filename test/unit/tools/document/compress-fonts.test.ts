/** compress-pdf on whole fonts of every kind: smaller, and every letter is drawn as before, in Poppler and PDFium. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import * as fontkit from 'fontkit'
import { likeness, pagePixels } from '../../../support/formats/image-pdfs.ts'
import { handMade, isSound, run, stream, textOf } from '../../../support/formats/pdfs.ts'
import { outputOf } from '../../../support/program.ts'
import { runTool } from '../../../support/workers/engine.ts'

type File = ReturnType<typeof handMade>

const PLEX = readFileSync('node_modules/@expo-google-fonts/ibm-plex-sans/400Regular/IBMPlexSans_400Regular.ttf')
/** CFF without an OpenType wrapper, as PDFs embed it. */
const FOXIT = readFileSync('node_modules/pdfjs-dist/standard_fonts/FoxitSerifItalic.pfb')

/** A page that shows a string in a font, given by its objects: number 5, and 6 and 7 if needed. */
const fontPage = (
  text: string,
  program: Uint8Array,
  programEntries: string,
  fileKey: string,
  ...font: string[]
): File =>
  handMade([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 100] /Contents 4 0 R /Resources << /Font << /F1 7 0 R >> >> >>',
    stream(`BT /F1 20 Tf 20 40 Td ${text} Tj ET`),
    stream(deflateSync(program).toString('latin1'), `/Filter /FlateDecode ${programEntries}`),
    `<< /Type /FontDescriptor /FontName /AAAAAA+Test /Flags 32 /FontBBox [-200 -300 1300 1100] /ItalicAngle 0 /Ascent 1000 /Descent -300 /CapHeight 700 /StemV 80 /${fileKey} 5 0 R >>`,
    ...font,
  ])
const widths = `/FirstChar 0 /LastChar 255 /Widths [${Array(256).fill(600).join(' ')}]`
const simple = (subtype: string, encoding = ''): string =>
  `<< /Type /Font /Subtype /${subtype} /BaseFont /AAAAAA+Test /FontDescriptor 6 0 R ${widths} ${encoding} >>`
const composite = (subtype: string, more = ''): string[] => [
  '<< /Type /Font /Subtype /Type0 /BaseFont /AAAAAA+Test /Encoding /Identity-H /DescendantFonts [8 0 R] >>',
  `<< /Type /Font /Subtype /${subtype} /BaseFont /AAAAAA+Test /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 600 /FontDescriptor 6 0 R ${more} >>`,
]
const plexGlyphs = (text: string): number[] =>
  (fontkit.create(PLEX) as fontkit.Font).glyphsForString(text).map(({ id }) => id)
const hex = (numbers: readonly number[]): string =>
  `<${numbers.map((number) => number.toString(16).padStart(4, '0')).join('')}>`

/** CIDs 1 to 7 are the glyphs of a word. */
const map = (): string => {
  const bytes = Buffer.alloc(16)
  for (const [i, glyph] of plexGlyphs('Station').entries()) bytes.writeUInt16BE(glyph, 2 * (i + 1))
  return stream(bytes.toString('latin1'))
}

const WIN = '/Encoding /WinAnsiEncoding'
const DIFFERENCES =
  '/Encoding << /BaseEncoding /WinAnsiEncoding /Differences [1 /S /t /adieresis /uni0074 /eacute /germandbls] >>'
const TYPE_1C = '/Subtype /Type1C'

const FILES: Record<string, () => File> = {
  'TrueType by characters': () => fontPage('(Station \\344\\337 "12")', PLEX, '', 'FontFile2', simple('TrueType', WIN)),
  'TrueType by names': () =>
    fontPage('(\\001\\002\\003\\004\\005\\006 x)', PLEX, '', 'FontFile2', simple('TrueType', DIFFERENCES)),
  'TrueType in MacRoman': () =>
    fontPage('(Station \\212\\247)', PLEX, '', 'FontFile2', simple('TrueType', '/Encoding /MacRomanEncoding')),
  'TrueType through a map of CIDs': () =>
    fontPage(
      '<0001000200030004000500060007>',
      PLEX,
      '',
      'FontFile2',
      ...composite('CIDFontType2', '/CIDToGIDMap 9 0 R'),
      map(),
    ),
  'OpenType with TrueType outlines': () =>
    fontPage(
      hex(plexGlyphs('Station')),
      PLEX,
      '/Subtype /OpenType',
      'FontFile3',
      ...composite('CIDFontType2', '/CIDToGIDMap /Identity'),
    ),
  'CFF by characters': () => fontPage('(Station \\344\\337)', FOXIT, TYPE_1C, 'FontFile3', simple('Type1', WIN)),
  'CFF by names': () => fontPage('(\\001\\002\\003 ab)', FOXIT, TYPE_1C, 'FontFile3', simple('Type1', DIFFERENCES)),
  'CFF by its own encoding': () => fontPage("(Station's \\256)", FOXIT, TYPE_1C, 'FontFile3', simple('Type1')),
  'CFF in a composite font': () =>
    fontPage(
      hex([52, 85, 66, 85, 74, 80, 79]),
      FOXIT,
      '/Subtype /CIDFontType0C',
      'FontFile3',
      ...composite('CIDFontType0'),
    ),
}

test.each(Object.keys(FILES))('%s', async (name) => {
  const file = (FILES[name] as () => File)()
  const { path, data } = await runTool('document.compress-pdf', { file })
  expect(isSound(path)).toBe(true)
  expect(Number(data.compressedBytes)).toBeLessThan(0.4 * file.content.length)
  expect(likeness(file.path, path)).toBeGreaterThan(45)
  expect(textOf(path, 1)).toBe(textOf(file.path, 1))
  const [before, after] = [await pagePixels(file.path), await pagePixels(path)]
  // hints, which are not kept, move edges by a fraction of a pixel
  expect(before.filter((value, i) => Math.abs(value - (after[i] as number)) > 100).length).toBe(0)
  expect(before.filter((value) => value < 128).length).toBeGreaterThan(1_000)
})

test('a font stays whole when its glyphs have names that are not known', async () => {
  const encoding = '/Encoding << /Differences [1 /g17 /g18] >>'
  const file = fontPage('(\\001\\002)', PLEX, '', 'FontFile2', simple('TrueType', encoding))
  const { path } = await runTool('document.compress-pdf', { file })
  expect(run('qpdf', '--json', '--json-key=qpdf', path)).toMatch(new RegExp(`"/Length1": ${PLEX.length}|"/FontFile2"`))
  expect(readFileSync(path).length).toBeGreaterThan(0.8 * file.content.length)
})

test('fonts with damaged data are kept unchanged', async () => {
  for (const [program, entries, key] of [
    [Buffer.concat([FOXIT.subarray(0, 2_000), Buffer.alloc(25_000, 7)]), TYPE_1C, 'FontFile3'],
    [Buffer.concat([PLEX.subarray(0, 2_000), Buffer.alloc(25_000, 7)]), '', 'FontFile2'],
  ] as const) {
    const file = fontPage('(Station)', program, entries, key, simple(key === 'FontFile2' ? 'TrueType' : 'Type1', WIN))
    const { path } = await runTool('document.compress-pdf', { file })
    expect(isSound(path)).toBe(true)
  }
})

test('Type 1 programs are kept unchanged', async () => {
  const program = Buffer.concat([Buffer.from('%!PS-AdobeFont-1.0: Test\ncurrentfile eexec\n'), FOXIT])
  const file = fontPage('(Station)', program, `/Length1 44 /Length2 ${FOXIT.length}`, 'FontFile', simple('Type1', WIN))
  const { path } = await runTool('document.compress-pdf', { file })
  expect(isSound(path)).toBe(true)
  expect(outputOf('qpdf', ['--stream-data=uncompress', path, '-']).includes(program)).toBe(true)
})
