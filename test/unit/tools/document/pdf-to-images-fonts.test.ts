/** pdf-to-images on Arabic, Greek and Cyrillic text in fonts that are not embedded. */
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { rgba } from '../../../support/formats/images.ts'
import { freshPath, handMade, qpdfMade, run, stream } from '../../../support/formats/pdfs.ts'
import { outputOf } from '../../../support/program.ts'
import { runTool } from '../../../support/workers/engine.ts'

type File = ReturnType<typeof handMade>
const TEXTS = {
  Arabic: [...'السلام عليكم'].reverse().join(''),
  Greek: 'Αθήνα και Θεσσαλονίκη',
  Cyrillic: 'Станция Київ',
}
const page = (content: string, ...fonts: string[]): File =>
  handMade([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 60] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    stream(`BT /F1 24 Tf 20 20 Td ${content} Tj ET`),
    ...fonts,
  ])
const hex = (value: number): string => value.toString(16).padStart(4, '0')

/** The codes are glyph numbers of a font that does not exist. */
function composite(text: string, name: string, given?: string): File {
  const signs = [...new Set(text)]
  const pairs = signs.map((sign, i) => `<${hex(i + 3)}> <${hex(sign.codePointAt(0) as number)}>`).join('\n')
  const map = given ?? `${signs.length} beginbfchar\n${pairs}\nendbfchar`
  return page(
    `<${[...text].map((sign) => hex(signs.indexOf(sign) + 3)).join('')}>`,
    `<< /Type /Font /Subtype /Type0 /BaseFont /${name} /Encoding /Identity-H /DescendantFonts [6 0 R] /ToUnicode 8 0 R >>`,
    `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /${name} /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 560 /FontDescriptor 7 0 R >>`,
    `<< /Type /FontDescriptor /FontName /${name} /Flags 32 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 >>`,
    stream(
      `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def 1 begincodespacerange <0000> <ffff> endcodespacerange ${map} endcmap end end`,
    ),
  )
}

function simple(codes: string, differences: string, more = ''): File {
  return page(
    codes,
    `<< /Type /Font /Subtype /TrueType /BaseFont /Tahoma /Encoding << /BaseEncoding /WinAnsiEncoding /Differences [${differences}] >> ${more} >>`,
    '<< /Type /FontDescriptor /FontName /Tahoma /Flags 32 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 >>',
  )
}
const WIDTHS = `/FirstChar 0 /LastChar 255 /Widths [${Array(256).fill(580).join(' ')}] /FontDescriptor 6 0 R`

const FILES: Record<string, () => File> = {
  'Arabic through a map': () => composite(TEXTS.Arabic, 'Simplified#20Arabic'),
  'Arabic in presentation forms': () => composite('\ufee2\ufeb4\ufe91 \ufeea\ufee0\ufedf\ufe8d', 'Arial'),
  'Greek through a map': () => composite(TEXTS.Greek, 'TimesNewRomanPSMT'),
  'Cyrillic through a map': () => composite(TEXTS.Cyrillic, 'Calibri-Bold'),
  'Cyrillic by names': () =>
    simple('(\\001\\002\\003 \\004\\005 Kiev)', '1 /afii10049 /afii10065 /uni0431 /afii10071 /afii10103', WIDTHS),
  'Greek by names': () => simple('(\\001\\002\\003\\004 A)', '1 /Alphatonos /beta /iotadieresistonos /omega', WIDTHS),
  'Arabic by names': () => simple('(\\001\\002\\003)', '1 /afii57415 /afii57444 /uniFE8D', WIDTHS),
}

/** Positions of dark pixels in a picture of one byte per channel. */
function inkOf({ data, width }: { data: Uint8Array; width: number }, channels: number) {
  const columns = Array<number>(width).fill(0)
  const rows = Array<number>(data.length / channels / width).fill(0)
  for (let i = 0; i < data.length; i += channels) {
    if ((data[i] as number) > 128) continue
    const [x, y] = [(i / channels) % width, Math.floor(i / channels / width)]
    columns[x] = (columns[x] ?? 0) + 1
    rows[y] = (rows[y] ?? 0) + 1
  }
  const ends = (list: number[]) => [list.findIndex((value) => value > 0), list.findLastIndex((value) => value > 0)]
  return { total: columns.reduce((sum, value) => sum + value, 0), x: ends(columns), y: ends(rows) }
}

async function ours(file: File) {
  const { path, warnings } = await runTool('document.pdf-to-images', { file, dpi: '150' })
  const folder = freshPath('pages')
  run('unzip', '-q', path, '-d', folder)
  return { ...inkOf(rgba(`${folder}/${run('unzip', '-Z1', path).trim()}`), 4), warnings }
}

/** Ghostscript's fonts stand for Arial where they are installed, and have no Arabic letters. */
const FONTS = freshPath('fonts.conf')
writeFileSync(
  FONTS,
  `<?xml version="1.0"?><fontconfig><include>/etc/fonts/fonts.conf</include>
   <selectfont><rejectfont><glob>*/urw-base35/*</glob><glob>*/X11/Type1/*</glob></rejectfont></selectfont></fontconfig>`,
)

/** A picture in Poppler, whose fonts have all of these letters. */
function theirs(file: File) {
  const picture = outputOf('env', [`FONTCONFIG_FILE=${FONTS}`, 'pdftoppm', '-r', '150', '-gray', file.path])
  const [head = '', width] = /^P5\s+(\d+)\s+\d+\s+255\s/.exec(picture.toString('latin1', 0, 40)) ?? []
  return inkOf({ data: picture.subarray(head.length), width: Number(width) }, 1)
}

const names = Object.keys(FILES)
test.each(names)('%s', async (name) => {
  const plain = (FILES[name] as () => File)()
  for (const file of [plain, qpdfMade('--object-streams=generate', plain.path)]) {
    const { total, x, y, warnings } = await ours(file)
    const expected = theirs(file)
    expect(warnings.join()).toMatch(/The file does not contain these fonts: [\w -]+\. They were replaced/)
    // a third of a letter in width and a fifth in height, at 50 pixels an em
    for (const [i, edge] of x.entries()) expect(Math.abs(edge - (expected.x[i] as number))).toBeLessThan(17)
    for (const [i, edge] of y.entries()) expect(Math.abs(edge - (expected.y[i] as number))).toBeLessThan(13)
    expect(total / expected.total).toBeWithin(0.7, 1.4)
  }
})

test.each([
  ['1 beginbfrange <0003> <0006> <0410> endbfrange', 'АБВГ'],
  ['1 beginbfrange <0003> <0006> [<0391> <0392> <0393>] endbfrange 1 beginbfchar <0006> <0394 0301> endbfchar', 'ΑΒΓΔ'],
])('ranges of a map: %s', async (map, text) => {
  const byRange = composite(text, 'Calibri', map)
  expect(await ours(byRange)).toEqual(await ours(composite(text, 'Calibri')))
})

test.each([
  'beginbfchar '.repeat(50_000),
  '1 beginbfrange '.concat('<0000> <ffff> <0410> '.repeat(50_000), 'endbfrange'),
  '1 beginbfrange '.concat('<0000> <ffff> [ '.repeat(50_000), 'endbfrange'),
])('a hostile map takes no longer than others', async (map) => {
  const started = performance.now()
  await ours(composite('Аб', 'Calibri', map))
  expect(performance.now() - started).toBeLessThan(20_000)
})

test('letters of a standard font without stated widths get its own widths', async () => {
  const { total, x } = await ours(
    page(
      '(\\001\\002\\003)',
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Differences [1 /Gamma /Pi /xi] >> >>',
    ),
  )
  // widths of Arial: 551 for Gamma, 719 for Pi and 448 for xi
  expect(Math.abs((x[1] as number) - (x[0] as number) - 50 * 1.718)).toBeLessThan(8)
  expect(total).toBeGreaterThan(400)
})

test('fonts of symbols, of Latin letters and of letters that no font has cause no warning', async () => {
  for (const file of [
    page('(abc)', '<< /Type /Font /Subtype /Type1 /BaseFont /Symbol /Encoding << /Differences [97 /alpha /beta] >> >>'),
    page(
      '(\\001bc)',
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Differences [1 /eacute /mu] >> >>',
    ),
    composite('水文', 'Song'),
  ])
    expect((await ours(file)).warnings.join()).not.toMatch(/Symbol|Helvetica/)
})
