/** PDFs with Chinese, Japanese and Korean text in fonts that are not embedded. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import sharp from 'sharp'
import { startBrowser } from '../../../support/browser/browser.ts'
import { freshPath, handMade, qpdfMade, run, stream } from '../../../support/formats/pdfs.ts'
import { runTool } from '../../../support/workers/engine.ts'

type Case = {
  base: string
  encoding: string
  ordering: string
  text: string
  legacy?: Bun.Encoding
  font: string
  codes?: string
  /** Codes of the characters in the file. */
  map?: string
}
const CASES: Record<string, Case> = {
  'Simplified Chinese in UCS-2': {
    base: 'STSong-Light',
    encoding: 'UniGB-UCS2-H',
    ordering: 'GB1',
    text: '地下水监测报告',
    font: 'sc',
  },
  'Simplified Chinese in GBK, bold': {
    base: 'SimHei,Bold',
    encoding: 'GBK-EUC-H',
    ordering: 'GB1',
    legacy: 'gbk',
    text: '温度与气压',
    font: 'sc',
  },
  'Japanese in Shift JIS': {
    base: 'HeiseiMin-W3',
    encoding: '90ms-RKSJ-H',
    ordering: 'Japan1',
    legacy: 'shift_jis',
    text: '東京のデータです',
    font: 'jp',
  },
  'Japanese in UTF-16': {
    base: 'KozMinPro-Regular',
    encoding: 'UniJIS-UTF16-H',
    ordering: 'Japan1',
    text: '観測所の記録',
    font: 'jp',
  },
  'Korean in UHC': {
    base: 'HYSMyeongJo-Medium',
    encoding: 'KSCms-UHC-H',
    ordering: 'Korea1',
    legacy: 'euc-kr',
    text: '지하수관측소똠',
    font: 'kr',
  },
  'Traditional Chinese in Big5': {
    base: 'MSung-Light',
    encoding: 'ETen-B5-H',
    ordering: 'CNS1',
    legacy: 'big5',
    text: '觀測站的資料庫',
    font: 'tc',
  },
  'Simplified Chinese by numbers in the collection': {
    base: 'STSong-Light',
    encoding: 'Identity-H',
    ordering: 'GB1',
    text: '中文',
    font: 'sc',
    codes: '11cf0ed3',
  },
  'Japanese through a map': {
    base: 'MS-Gothic',
    encoding: 'Identity-H',
    ordering: 'Identity',
    text: '水の',
    font: 'jp',
    codes: '00050006',
  },
  'Japanese through codes of the file for numbers in the collection': {
    base: 'HeiseiMin-W3',
    encoding: 'Own',
    ordering: 'Japan1',
    text: '銅鍵お',
    font: 'jp',
    codes: '000100020003',
    map: '1 begincodespacerange <0000> <ffff> endcodespacerange 3 begincidchar <0001> 3220 <0002> 1892 <0003> 851 endcidchar',
  },
  'Japanese in UCS-2 with a code of the file': {
    base: 'MS-Mincho',
    encoding: 'Own',
    ordering: 'Japan1',
    text: '銅東京',
    font: 'jp',
    codes: 'f00167714eac',
    map: '/UniJIS-UCS2-H usecmap 1 begincidchar <f001> 3220 endcidchar',
  },
}

/** The bytes of each character in an older encoding, found by decoding all byte sequences. */
function bytesIn(legacy: Bun.Encoding, text: string): Buffer {
  const bytes = new Map<string, number[]>()
  const decoder = new TextDecoder(legacy)
  for (let lead = 0x81; lead < 0xff; lead++)
    for (let trail = 0x40; trail < 0xff; trail++) {
      const [sign = '', ...more] = decoder.decode(Uint8Array.of(lead, trail))
      if (more.length === 0 && !bytes.has(sign)) bytes.set(sign, [lead, trail])
    }
  return Buffer.from([...text].flatMap((sign) => bytes.get(sign) ?? []))
}

const EM = 36
function pdfOf({ base, encoding, ordering, text, legacy, codes, map: own }: Case): ReturnType<typeof handMade> {
  const bytes = legacy === undefined ? Buffer.from(text, 'utf16le').swap16() : bytesIn(legacy, text)
  const map = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def 1 begincodespacerange <0000> <ffff> endcodespacerange 2 beginbfchar <0005> <6c34> <0006> <306e> endbfchar endcmap end end`
  return handMade([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${EM * 8} ${EM * 2}] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>`,
    stream(`BT /F1 ${EM} Tf 0 ${EM / 2} Td <${codes ?? bytes.toString('hex')}> Tj ET`),
    `<< /Type /Font /Subtype /Type0 /BaseFont /${base}-${encoding} /Encoding ${own === undefined ? `/${encoding}` : '9 0 R'} /DescendantFonts [6 0 R] ${ordering === 'Identity' ? '/ToUnicode 8 0 R' : ''} >>`,
    `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /${base} /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >> /DW 1000 /FontDescriptor 7 0 R >>`,
    `<< /Type /FontDescriptor /FontName /${base} /Flags 6 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 880 /StemV 93 >>`,
    stream(map),
    stream(
      `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Own def /CMapType 1 def ${own} endcmap end end`,
      `/Type /CMap /CMapName /Own`,
    ),
  ])
}

type Picture = { data: Buffer; width: number; height: number }
async function greyOf(png: Buffer | string): Promise<Picture> {
  const { data, info } = await sharp(png).flatten({ background: '#ffffff' }).greyscale().raw().toBuffer({
    resolveWithObject: true,
  })
  return { data, width: info.width, height: info.height }
}

async function ours(file: ReturnType<typeof handMade>): Promise<Picture & { warnings: string[] }> {
  const { path, warnings } = await runTool('document.pdf-to-images', { file, dpi: '72' })
  const folder = freshPath('pages')
  run('unzip', '-q', path, '-d', folder)
  return { ...(await greyOf(`${folder}/${run('unzip', '-Z1', path).trim()}`)), warnings }
}

/** Ink of each square of the text, from 0 to 255. */
const squares = ({ data, width, height }: Picture, count: number): number[][] =>
  Array.from({ length: count }, (_, i) =>
    Array.from({ length: EM * height }, (__, at) => {
      const [x, y] = [i * EM + (at % EM), Math.floor(at / EM)]
      return 255 - (data[y * width + x] ?? 255)
    }),
  )
/** Share of the ink that both squares have. */
function likeness(one: readonly number[], other: readonly number[]): number {
  let [both, either] = [0, 0]
  for (const [i, a] of one.entries()) {
    const b = other[i] as number
    both += Math.min(a, b)
    either += Math.max(a, b)
  }
  return either === 0 ? 0 : both / either
}

let browser: Browser | undefined
beforeAll(async () => {
  browser = await startBrowser(['--disable-gpu', '--allow-file-access-from-files'])
})
afterAll(() => browser?.close())

/** The same text at the same places, drawn by Chromium. */
async function byChromium({ font, text, base }: Case): Promise<Picture> {
  const page = await (browser as Browser).newPage({ viewport: { width: EM * 8, height: EM * 2 } })
  const sheet = pathToFileURL(`node_modules/@fontsource-variable/noto-sans-${font}/wght.css`).href
  const name = `Noto Sans ${font.toUpperCase()} Variable`
  const weight = base.includes('Bold') ? 700 : 400
  const signs = [...text].map((sign, i) => `<text x="${i * EM}" y="${EM * 1.5}">${sign}</text>`).join('')
  const path = freshPath('page.html')
  writeFileSync(
    path,
    `<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="${sheet}"><style>body{margin:0}text{font:${weight} ${EM}px "${name}"}</style><svg width="${EM * 8}" height="${EM * 2}">${signs}</svg>`,
  )
  await page.goto(pathToFileURL(path).href, { timeout: 100_000 })
  await page.evaluate('document.fonts.ready.then(() => true)')
  expect(await page.evaluate('[...document.fonts].some(({ status }) => status === "loaded")')).toBeTrue()
  const picture = await greyOf(await page.screenshot({ timeout: 100_000 }))
  await page.close()
  return picture
}

async function looksAsInChromium(file: ReturnType<typeof handMade>, one: Case): Promise<void> {
  const drawn = await ours(file)
  expect(drawn.warnings.join()).toContain(one.base)
  const expected = squares(await byChromium(one), [...one.text].length)
  for (const [at, square] of squares(drawn, expected.length).entries()) {
    const likenesses = expected.map((other) => likeness(square, other))
    expect({ at, best: likenesses.indexOf(Math.max(...likenesses)) }).toEqual({ at, best: at })
    expect(likenesses[at]).toBeGreaterThan(0.7)
  }
}

const names = Object.keys(CASES)
test.each(names)('each letter looks as Chromium draws it: %s', async (name) => {
  const one = CASES[name] as Case
  await looksAsInChromium(pdfOf(one), one)
})

test('fonts in object streams', async () => {
  const one = CASES['Japanese in Shift JIS'] as Case
  await looksAsInChromium(qpdfMade('--object-streams=generate', pdfOf(one).path), one)
})

test('vertical text is drawn downwards', async () => {
  const { data, width, height } = await ours(
    pdfOf({ base: 'STSong-Light', encoding: 'UniGB-UCS2-V', ordering: 'GB1', text: '中', font: 'sc' }),
  )
  const inked = [...data.keys()].filter((at) => (data[at] as number) < 128)
  expect(inked.length).toBeGreaterThan(60)
  // the text begins at the middle of its top edge: half of it is to the left of the page (ISO 32000-1, 9.7.4.3)
  expect(Math.max(...inked.map((at) => at % width))).toBeLessThan(EM / 2)
  expect(Math.min(...inked.map((at) => Math.floor(at / width)))).toBeGreaterThan(height - EM / 2)
})

test.each(names)('pdf-to-word keeps the text: %s', async (name) => {
  const one = CASES[name] as Case
  const { path } = await runTool('document.pdf-to-word', { file: pdfOf(one) })
  const texts = [...run('unzip', '-p', path, 'word/document.xml').matchAll(/<w:t(?: [^>]*)?>([^<]*)/g)]
  expect(texts.map(([, text]) => text).join('')).toBe(one.text)
})

test('a font that shows 500 characters', async () => {
  const all = Array.from({ length: 500 }, (_, i) => String.fromCharCode(0x4e00 + 40 * i)).join('')
  const { data } = await ours(
    pdfOf({ base: 'STSong-Light', encoding: 'UniGB-UCS2-H', ordering: 'GB1', text: all, font: 'sc' }),
  )
  expect(data.some((value) => value < 128)).toBeTrue()
})

test.each([
  ['宋体', '#CB#CE#CC#E5', { encoding: 'GBK-EUC-H', ordering: 'GB1', codes: 'd6d0cec4' }],
  ['宋体', '#E5#AE#8B#E4#BD#93', { encoding: 'GBK-EUC-H', ordering: 'GB1', codes: 'd6d0cec4' }],
  ['ＭＳ明朝', '#82l#82r#96#BE#92#A9', { encoding: '90ms-RKSJ-H', ordering: 'Japan1', codes: '938c8b9e' }],
  ['바탕', '#B9#D9#C5#C1', { encoding: 'KSCms-UHC-H', ordering: 'Korea1', codes: 'b0a1' }],
  ['細明體', '#B2#D3#A9#FA#C5#E9', { encoding: 'ETen-B5-H', ordering: 'CNS1', codes: 'a4a4' }],
] as const)('the warning names %s, written as %s', async (name, base, more) => {
  const { warnings } = await ours(pdfOf({ base, text: '', font: '', ...more }))
  expect(warnings).toEqual([expect.stringContaining(`does not contain these fonts: ${name}. They were replaced`)])
})
