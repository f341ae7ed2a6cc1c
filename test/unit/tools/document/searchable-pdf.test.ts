/** PDFs with recognised text behind the words of scans, as Poppler reads and renders them. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { drawn, freshPath, isSound, plainPdf, run, textOf } from '../../../support/formats/pdfs.ts'
import { ARABIC, ENGLISH, errorRate, flat, printedPage, scanned } from '../../../support/formats/scanned-pages.ts'
import { runTool } from '../../../support/workers/engine.ts'

const DPI = 150
const ARABIC_TEXT = ARABIC.slice(1, 4)
const searchable = async (name: string, content: Buffer, lang: string) =>
  runTool('document.ocr', { file: { name, content }, lang, result: 'pdf' })

/** The share of a page's ink within the boxes of the words that Poppler finds, enlarged by `slack` points. */
function coveredInk(path: string, page: number, slack: number): number {
  const { width, height, data } = drawn(path, page, 72)
  const boxes = run('pdftotext', '-bbox', '-f', page, '-l', page, path, '-').matchAll(
    /xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)"/g,
  )
  const inBox = new Uint8Array(width * height)
  for (const [, ...corners] of boxes) {
    const [left = 0, top = 0, right = 0, bottom = 0] = corners.map(Number)
    for (let y = Math.max(0, Math.floor(top - slack)); y < Math.min(height, bottom + slack); y++)
      inBox.fill(
        1,
        y * width + Math.max(0, Math.floor(left - slack)),
        y * width + Math.min(width, Math.ceil(right + slack)),
      )
  }
  let [covered, all] = [0, 0]
  for (let i = 0; i < inBox.length; i++) {
    if ((data[(i * data.length) / inBox.length] as number) > 100) continue
    all++
    covered += inBox[i] as number
  }
  expect(all).toBeGreaterThan(1_000)
  return covered / all
}

test('Arabic in logical order and in letters, on a page that was scanned upside down', async () => {
  const sheet = await printedPage(ARABIC_TEXT, 'naskh', { dpi: DPI, points: 13 })
  const scan = await scanned(sheet, 'upside down', DPI)
  const { path, filename, data } = await searchable('page.png', scan, 'ara')
  expect(filename).toBe('page_searchable.pdf')
  expect(isSound(path)).toBe(true)
  const extracted = flat(textOf(path, 1))
  // Poppler moves spaces beside digits and full stops; nothing else may differ from the text of the response
  expect(extracted.replaceAll(' ', '')).toHaveLength(flat(String(data.text)).replaceAll(' ', '').length)
  expect(errorRate(extracted, flat(ARABIC_TEXT.join(' ')))).toBeLessThan(0.06)
  // presentation forms, which searches do not match
  expect(extracted).not.toMatch(/[\uFB50-\uFDFF\uFE70-\uFEFF]/)
  expect(run('pdfinfo', path)).toMatch(/Page size:\s+595\.\d+ x 84[12]/)
  expect(coveredInk(path, 1, 2)).toBeGreaterThan(0.97)
}, 120_000)

test('words lie behind the words of a skewed page, in a PDF that looks unchanged', async () => {
  const sheet = await printedPage(ENGLISH, 'latin', { dpi: DPI, points: 12 })
  const content = await scanned(sheet, 'skewed', DPI)
  const { path: source } = await runTool('document.images-to-pdf', { files: [{ name: 'skewed.png', content }] })
  // a page that is displayed rotated, as scanners deliver it
  const turned = freshPath('turned.pdf')
  run('qpdf', '--rotate=+90:1', source, turned)
  for (const given of [source, turned]) {
    const { path, data } = await searchable('scan.pdf', readFileSync(given), 'eng')
    expect(errorRate(flat(String(data.text)), ENGLISH.join(' '))).toBeLessThan(0.005)
    expect(drawn(path).data.equals(drawn(given).data)).toBe(true)
    expect(coveredInk(path, 1, 2)).toBeGreaterThan(0.97)
    const words = run('pdftotext', '-raw', path, '-').split(/\s+/)
    const missing = ENGLISH.join(' ')
      .split(' ')
      .filter((word) => !words.includes(word))
    expect(missing).toEqual([])
  }
}, 120_000)

test('a page that already contains text stays unchanged, with a warning', async () => {
  const given = plainPdf(['first page', 'second page'], [400, 300])
  const { path, warnings } = await searchable('plain.pdf', given.content, 'eng')
  expect(textOf(path, 2)).toBe('second page')
  expect(warnings).toEqual(['Already contained text and stayed unchanged: page 1, 2.'])
}, 120_000)
