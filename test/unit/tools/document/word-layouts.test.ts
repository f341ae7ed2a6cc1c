/**
 * Layouts of real documents, converted to Word: every word and its position are known, because the pages are drawn
 * here.
 */
import { describe, expect, test } from 'bun:test'
import { basename } from 'node:path'
import { PDFDocument, PDFName } from '@cantoo/pdf-lib'
import { LAYOUTS } from '../../../support/formats/page-layouts.ts'
import { freshPath, handMade, plainPdf, run, stream } from '../../../support/formats/pdfs.ts'
import { normalisedWords, shareInOrder, textOfPart, wordsOfDocx } from '../../../support/formats/word-texts.ts'
import { runTool } from '../../../support/workers/engine.ts'

const RIGHT_COLUMN = { left: 360, right: 539 }
const LEFT_COLUMN = { left: 56, right: 330 }

type Converted = { path: string; xml: string; text: string; warnings: string[]; part(name: string): string }

async function converted(content: Buffer): Promise<Converted> {
  const { path, warnings } = await runTool('document.pdf-to-word', { file: { name: 'a.pdf', content } })
  const part = (name: string): string => run('unzip', '-p', path, name)
  const xml = part('word/document.xml')
  return { path, xml, text: textOfPart(xml), warnings, part }
}
const layout = async (name: keyof typeof LAYOUTS) => {
  const made = await (LAYOUTS[name] as (typeof LAYOUTS)[string])()
  return { ...made, ...(await converted(made.pdf)) }
}
/** Runs with their text and properties. */
const runsOf = (xml: string) =>
  [...xml.matchAll(/<w:r>.*?<\/w:r>/gs)].map(([one]) => ({
    text: textOfPart(`<w:p>${one}</w:p>`).trim(),
    bold: /<w:b\/>|<w:b w:val="true"\/>/.test(one),
    italic: /<w:i\/>|<w:i w:val="true"\/>/.test(one),
    color: /<w:color w:val="([0-9A-F]{6})"/.exec(one)?.[1],
    fill: /<w:shd [^>]*w:fill="([0-9A-F]{6})"/.exec(one)?.[1],
  }))
const paragraphs = (xml: string): string[] => [...xml.matchAll(/<w:p>.*?<\/w:p>|<w:p .*?<\/w:p>/gs)].map(([one]) => one)
const paragraph = (xml: string, start: string): string =>
  paragraphs(xml).find((one) => textOfPart(one).trim().startsWith(start)) ?? ''

/** A page with the given operators; F1 is Times, F2 Helvetica. */
const page = (operators: string): Buffer =>
  handMade([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>',
    stream(operators),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /NimbusRomNo9L-Medi >>',
  ]).content

describe('words are in reading order', () => {
  test.each(Object.keys(LAYOUTS))('%s', async (name) => {
    const { words, path } = await layout(name)
    const expected = words.flatMap(({ text }) => normalisedWords(text))
    expect(shareInOrder(expected, wordsOfDocx(path))).toBeGreaterThanOrEqual(0.95)
  })
})

test('a paper keeps its columns, heading numbers and footnotes; its figure is a picture', async () => {
  const { xml, text } = await layout('paper')
  const columns = [...xml.matchAll(/<w:cols [^>]*w:num="(\d)"/g)].map(([, count]) => count)
  expect(columns).toEqual(['2'])
  expect(xml.match(/<w:br w:type="column"\/>/g)).toHaveLength(1)
  for (const heading of ['1 Introduction', '2 Related work', '2.1 Fair schedules', '3 Results']) {
    const found = paragraph(xml, heading)
    expect(found).toContain('w:val="Heading')
    expect(runsOf(found).every(({ bold, text: words }) => bold || words === '')).toBe(true)
  }
  for (const label of ['elapsed seconds', 'share of packets', '0.4']) {
    expect(text).not.toContain(label)
    expect(/<wp:docPr [^>]*descr="([^"]*)"/.exec(xml)?.[1]).toContain(label)
  }
  expect(xml.match(/<pic:pic /g)).toHaveLength(1)
})

/** Words of a PDF, as LibreOffice draws the Word document, with the centre of each in points. */
function drawnWords(docx: string): { text: string; x: number; y: number }[] {
  const home = freshPath('office')
  run('soffice', `-env:UserInstallation=file://${home}`, '--headless', '--convert-to', 'pdf', '--outdir', home, docx)
  const boxes = run('pdftotext', '-bbox', `${home}/${basename(docx).replace(/\.docx$/, '.pdf')}`, '-')
  const pattern = /<word xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">([^<]*)</g
  return [...boxes.matchAll(pattern)].map(([, left, top, right, bottom, text = '']) => ({
    text,
    x: (Number(left) + Number(right)) / 2,
    y: (Number(top) + Number(bottom)) / 2,
  }))
}

test('columns of a right-to-left page start on the right, with their widths', async () => {
  const { xml, path } = await layout('arabicColumns')
  const [columns = ''] = /<w:cols .*?<\/w:cols>/s.exec(xml) ?? []
  expect(columns).toContain('w:num="2"')
  // the first column in reading order is the narrower one
  const [first, second] = [...columns.matchAll(/<w:col w:w="(\d+)"/g)].map(([, width]) => Number(width) / 20)
  for (const [width, expected] of [[first, RIGHT_COLUMN], [second, LEFT_COLUMN]] as const) expect(Math.abs((width as number) - expected.right + expected.left)).toBeLessThan(12) // biome-ignore format: short
  expect(xml).toMatch(/<\/w:cols><w:bidi\/><w:docGrid/)
  // LibreOffice starts on the right too, but takes the widths from left to right; words are in order from right to left
  const top = drawnWords(path).filter(({ y }) => y < 80)
  const namesOf = (some: typeof top): string => some.map(({ text }) => [...text].reverse().join('')).join(' ')
  expect(namesOf(top.filter(({ x }) => x > 250))).toContain('محطة')
  expect(namesOf(top.filter(({ x }) => x < 250))).toContain('المؤسسة')
}, 120_000)

test('three columns', async () => {
  const { xml } = await layout('newsletter')
  expect(xml).toMatch(/<w:cols [^>]*w:num="3"/)
  expect(xml.match(/<w:br w:type="column"\/>/g)).toHaveLength(2)
})

test('bold and italic words', async () => {
  const { xml, words } = await layout('headings')
  const styled = runsOf(xml).filter(({ bold, italic }) => bold || italic)
  // six headings, and one bold and one italic part in each of six paragraphs
  expect(styled.filter(({ bold }) => bold)).toHaveLength(12)
  expect(styled.filter(({ italic }) => italic)).toHaveLength(6)
  expect(words.length).toBeGreaterThan(300)
})

test('colours; white text keeps the colour behind it', async () => {
  const { xml } = await layout('colours')
  const colours = Map.groupBy(runsOf(xml), ({ color }) => color)
  expect([...colours.keys()].toSorted()).toEqual(['000000', '0033CC', 'BF0000', 'FFFFFF'])
  expect(colours.get('FFFFFF')?.map(({ fill }) => fill)).toEqual(['336633'])
  const table = await layout('table')
  expect(table.xml).toMatch(/<w:tcPr>(?:(?!<\/w:tcPr>).)*w:fill="333366"/s)
})

test('running headers and footers, with the number of the page as a field', async () => {
  const { part, text, xml } = await layout('running')
  expect(textOfPart(part('word/header1.xml')).trim()).toBe('Journal of Quiet Systems')
  const footer = part('word/footer1.xml')
  expect(textOfPart(footer).trim()).toBe('Page')
  expect(footer).toContain('PAGE')
  expect(xml).toContain('<w:pgNumType w:start="11"/>')
  expect(text).not.toContain('Journal of Quiet Systems')
})

describe('form values', () => {
  test('text, and the states of check boxes', async () => {
    const { text } = await layout('form')
    for (const value of ['Ramona Feld', 'Eastbridge', 'K-20431', '\u2612']) expect(text).toContain(value)
  })
  test('fields that the file does not draw', async () => {
    const document = await PDFDocument.create()
    const form = document.getForm()
    const sheet = document.addPage([595, 842])
    const name = form.createTextField('name')
    name.addToPage(sheet, { x: 60, y: 700, width: 200, height: 20 })
    name.setText('Ramona Feld')
    const town = form.createDropdown('town')
    town.addOptions(['Eastbridge', 'Westbridge'])
    town.addToPage(sheet, { x: 60, y: 660, width: 200, height: 20 })
    town.select('Westbridge')
    form.createCheckBox('agreed').addToPage(sheet, { x: 60, y: 620, width: 14, height: 14 })
    for (const field of form.getFields())
      for (const widget of field.acroField.getWidgets()) widget.dict.delete(PDFName.of('AP'))
    const { text } = await converted(Buffer.from(await document.save({ updateFieldAppearances: false })))
    expect(text.split('\n').map((line) => line.trim())).toEqual(['Ramona Feld', 'Westbridge', '\u2610'])
  })
})

describe('fonts without a Unicode map', () => {
  test('their text is recognised, with a warning', async () => {
    const { text, warnings } = await layout('noUnicode')
    expect(warnings).toEqual([
      'Fonts do not say which letters they show on pages: 1. The text was recognised (OCR); check it.',
    ])
    expect(text).toContain('Heavy rain began before noon. By evening the river had risen by half a metre')
    expect(text).toContain('traffic')
  })
  test('other fonts cause no warning', async () => {
    expect((await converted(plainPdf(['Plain']).content)).warnings).toEqual([])
  })
})

test('fonts that are bold by their name, by an outline or by double printing', async () => {
  const { xml } = await converted(
    page(`BT /F1 12 Tf 60 700 Td (plain) Tj 0 -30 Td /F2 12 Tf (named) Tj
      0 -30 Td /F1 12 Tf 2 Tr (outlined) Tj 0 Tr 0 -30 Td (twice) Tj 0.4 0 Td (twice) Tj ET`),
  )
  expect(runsOf(xml).map(({ text, bold }) => [text, bold])).toEqual([
    ['plain', false],
    ['named', true],
    ['outlined', true],
    ['twice', true],
  ])
})

test('accents that are drawn over letters; words without spaces between them; tilted letters', async () => {
  const { xml, text } = await converted(
    page(`BT /F1 12 Tf 60 700 Td (M) Tj 10.67 0 Td (\\310) Tj 1.3 0 Td (u) Tj 4.7 0 Td (ller) Tj 30 0 Td (went) Tj
      1 0 0.21 1 60 660 Tm (tilted) Tj ET`),
  )
  expect(text.split('\n')).toEqual(['Müller went', 'tilted'])
  expect(runsOf(xml).map(({ italic }) => italic)).toEqual([false, true])
})

test('a numbered heading keeps its number as text; numbered items become a list', async () => {
  const item = (i: number): string => `1 0 0 1 60 ${640 - 14 * i} Tm (${i}.  Item of the list number ${i}) Tj`
  const { xml } = await converted(
    page(
      `BT /F2 18 Tf 1 0 0 1 60 700 Tm (1.  Introduction) Tj /F1 11 Tf 1 0 0 1 60 670 Tm (Some words of text.) Tj ${[1, 2, 3].map(item).join(' ')} ET`,
    ),
  )
  expect(textOfPart(paragraph(xml, '1.'))).toBe('1. Introduction')
  expect(paragraph(xml, '1.')).toContain('w:val="Heading1"')
  expect(paragraphs(xml).filter((one) => one.includes('<w:numPr>'))).toHaveLength(3)
})

test('the text of a searchable scan replaces its image', async () => {
  const image = `<< /Type /XObject /Subtype /Image /Width 64 /Height 64 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 4096 >>\nstream\n${'\x80'.repeat(4096)}\nendstream`
  const words = 'The words of the scanned page are drawn invisibly over the image of the page so that they can be found'
  const { content } = handMade([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> /XObject << /I 6 0 R >> >> >>',
    stream(`q 595 0 0 842 0 0 cm /I Do Q BT 3 Tr /F1 10 Tf 60 700 Td (${words}) Tj ET`),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >>',
    image,
  ])
  const { text, xml, warnings } = await converted(content)
  expect(text.trim()).toBe(words)
  expect(xml).not.toContain('<pic:pic')
  expect(warnings).toEqual(['The scanned images behind recognised text were left out on pages: 1.'])
})
