/** PDFs written by LibreOffice, converted to Word and opened by LibreOffice again. */
import { describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { freshPath, plainPdf, qpdfMade, run } from '../../../support/formats/pdfs.ts'
import { refusal, runTool } from '../../../support/workers/engine.ts'
import { FIXTURES } from '../../../support/workers/tools.ts'

const home = freshPath('office')
mkdirSync(home)
const office = (to: string, path: string): void => {
  run(
    'soffice',
    `-env:UserInstallation=file://${home}/profile`,
    '--headless',
    '--convert-to',
    to,
    '--outdir',
    dirname(path),
    path,
  )
}

/** A PDF of an HTML page, laid out by LibreOffice, which may lose a first paragraph before another element. */
function pdfOf(name: string, body: string): { name: string; content: Buffer } {
  writeFileSync(join(home, 'logo.png'), readFileSync(join(FIXTURES, 'logo.png')))
  writeFileSync(
    join(home, `${name}.html`),
    `<html><head><meta charset="utf-8"><style>@page { size: A4; margin: 2cm }</style></head><body>${body}</body></html>`,
  )
  office('odt:writer8', join(home, `${name}.html`))
  office('pdf', join(home, `${name}.odt`))
  return { name: `${name}.pdf`, content: readFileSync(join(home, `${name}.pdf`)) }
}

type Word = { xml: string; text: string; pages: string[]; warnings: string[]; data: Record<string, unknown> }

async function toWord(file: Parameters<typeof runTool>[1]['file']): Promise<Word> {
  const { path, data, warnings } = await runTool('document.pdf-to-word', { file })
  const docx = freshPath('word.docx')
  writeFileSync(docx, readFileSync(path))
  office('pdf', docx)
  const text = run('pdftotext', '-layout', docx.replace(/docx$/, 'pdf'), '-')
  const pages = text.split('\f').filter((page) => page.trim() !== '')
  return { xml: run('unzip', '-p', docx, 'word/document.xml'), text, pages, warnings, data }
}

const decoded = (text: string): string => text.replace(/&amp;/g, '&').replace(/&lt;/g, '<').replace(/&gt;/g, '>')
/** Paragraphs of a part of the document, each with its text and its XML. */
const paragraphsOf = (xml: string): { text: string; xml: string }[] =>
  [...xml.matchAll(/<w:p>.*?<\/w:p>|<w:p .*?<\/w:p>/gs)].map(([paragraph]) => ({
    xml: paragraph,
    text: decoded([...paragraph.matchAll(/<w:t(?: [^>]*)?>([^<]*)<\/w:t>/g)].map(([, text]) => text).join('')),
  }))
const paragraph = ({ xml }: Word, start: string) => {
  const found = paragraphsOf(xml).find(({ text }) => text.startsWith(start))
  if (found === undefined)
    throw new Error(
      `no paragraph begins with ${start}: ${paragraphsOf(xml)
        .map(({ text }) => text)
        .join(' | ')}`,
    )
  return found
}
const runsOf = (xml: string) =>
  [...xml.matchAll(/<w:r>.*?<\/w:r>/gs)].map(([one]) => ({
    text: decoded([...one.matchAll(/<w:t[^>]*>([^<]*)<\/w:t>/g)].map(([, text]) => text).join('')),
    bold: /<w:b\/>|<w:b w:val="true"\/>/.test(one),
    italic: /<w:i\/>|<w:i w:val="true"\/>/.test(one),
    rtl: one.includes('<w:rtl/>'),
  }))

const REPORT = `<h1>Field report</h1>
<p>The station at Hill 204 sent <b>many batches</b> between 06:15 and 18:40. The mean temperature was <i>rather low</i>, the highest 31.2 and the lowest 4.9; humidity stayed between 35% and 88%. See <a href="https://example.org/data">the data</a> for all of it, and read on.</p>
<h2>Findings</h2>
<ul><li>First point of the list</li><li>Second point, which is so much longer that it has to be broken onto another line of the page before it comes to its end</li><li>Third point</li></ul>
<ol><li>Do this</li><li>Then that</li></ol>
<h2>Readings</h2>
<table border="1" cellspacing="0" width="60%"><tr><td>Station</td><td>Mean</td><td>Highest</td></tr><tr><td>Hill 204</td><td>18.7</td><td>31.2</td></tr><tr><td colspan="2">Harbour, silent</td><td>none</td></tr></table>
<p>A picture stands below.</p><p><img src="logo.png" width="120"></p>
<p style="page-break-before: always">The second page begins here. Water is H<sub>2</sub>O and a square is x<sup>2</sup>.</p>`

describe('a report', () => {
  const made = toWord(pdfOf('report', REPORT))

  test('paragraphs are complete, and page breaks are kept', async () => {
    const word = await made
    expect({ data: word.data, warnings: word.warnings }).toEqual({ data: { pageCount: 2 }, warnings: [] })
    expect(paragraph(word, 'The station').text.trim()).toBe(
      'The station at Hill 204 sent many batches between 06:15 and 18:40. The mean temperature was rather low, the highest 31.2 and the lowest 4.9; humidity stayed between 35% and 88%. See the data for all of it, and read on.',
    )
    expect(word.pages).toHaveLength(2)
    expect(word.pages[1]).toContain('The second page begins here.')
    expect(paragraph(word, 'The second page').xml).toContain('<w:pageBreakBefore')
  })

  test('headings, bold, italic, links and superscript', async () => {
    const word = await made
    expect(paragraph(word, 'Field report').xml).toContain('w:val="Heading1"')
    for (const heading of ['Findings', 'Readings']) expect(paragraph(word, heading).xml).toContain('w:val="Heading2"')
    const runs = runsOf(paragraph(word, 'The station').xml)
    expect(runs.filter(({ bold }) => bold).map(({ text }) => text.trim())).toEqual(['many batches'])
    expect(runs.filter(({ italic }) => italic).map(({ text }) => text.trim())).toEqual(['rather low'])
    const [, linked] = /<w:hyperlink.*?>(.*?)<\/w:hyperlink>/s.exec(word.xml) ?? []
    expect(runsOf(String(linked)).map(({ text }) => text)).toEqual(['the data'])
    expect(paragraph(word, 'The second page').xml).toContain('w:val="superscript"')
  })

  test('lists stay lists', async () => {
    const word = await made
    const items = paragraphsOf(word.xml).filter(({ xml }) => xml.includes('<w:numPr>'))
    expect(items.map(({ text }) => text.trim())).toEqual([
      'First point of the list',
      'Second point, which is so much longer that it has to be broken onto another line of the page before it comes to its end',
      'Third point',
      'Do this',
      'Then that',
    ])
    expect(word.text).toMatch(/1\.\s+Do this[\s\S]*2\.\s+Then that/)
  })

  test('a table stays a table, with spanning cells', async () => {
    const { xml } = await made
    const tables = [...xml.matchAll(/<w:tbl>.*?<\/w:tbl>/gs)].map(([table]) => table)
    expect(tables).toHaveLength(1)
    const rows = [...String(tables[0]).matchAll(/<w:tr>.*?<\/w:tr>|<w:tr .*?<\/w:tr>/gs)].map(([row]) =>
      [...row.matchAll(/<w:tc>.*?<\/w:tc>/gs)].map(([cell]) => ({
        text: paragraphsOf(cell)
          .map(({ text }) => text.trim())
          .join(' '),
        span: Number(/<w:gridSpan w:val="(\d+)"/.exec(cell)?.[1] ?? 1),
      })),
    )
    const plain = (...texts: string[]) => texts.map((text) => ({ text, span: 1 }))
    expect(rows).toEqual([
      plain('Station', 'Mean', 'Highest'),
      plain('Hill 204', '18.7', '31.2'),
      [{ text: 'Harbour, silent', span: 2 }, ...plain('none')],
    ])
  })

  test('an image keeps its position and size', async () => {
    const { xml } = await made
    const [, wide, high] = /<wp:extent cx="(\d+)" cy="(\d+)"/.exec(xml) ?? []
    // 120 by 80 pixels at 96 per inch, in units of 1/914,400 inch
    expect(Math.abs(Number(wide) / 9525 - 120)).toBeLessThan(2)
    expect(Math.abs(Number(high) / 9525 - 80)).toBeLessThan(2)
    const at = (text: string) => xml.indexOf(text)
    expect(at('A picture stands below')).toBeLessThan(at('<wp:extent'))
    expect(at('<wp:extent')).toBeLessThan(at('The second page'))
  })
})

test('right-to-left text with numbers and Latin words', async () => {
  const text =
    'تقع محطة القياس على التل الشمالي وترسل 24 قراءة كل يوم إلى المركز. بلغ متوسط درجة الحرارة 18.7 درجة وكانت أعلى قراءة 31.2 وأدناها 4.9 درجات. يستخدم النظام ClickHouse لحفظ كل القراءات، ولا يسأل عن الأولى إلا لأنها الأعلى.'
  const word = await toWord(
    pdfOf('arabic', `<p>Start</p><h1 dir="rtl">تقرير المحطة</h1><p dir="rtl" style="direction: rtl">${text}</p>`),
  )
  const found = paragraph(word, 'تقع')
  expect(found.text.trim()).toBe(text)
  expect(found.xml).toContain('<w:bidi/>')
  expect(runsOf(found.xml).every(({ text, rtl }) => rtl === /\p{Script=Arabic}/u.test(text))).toBe(true)
  expect(paragraph(word, 'تقرير').xml).toContain('Heading1')
})

test('columns are read one after the other; tables without borders are found', async () => {
  const column = (name: string) =>
    `<p>The ${name} column holds a paragraph which is long enough to be broken over several lines of the narrow column in which it stands, so that it is read from its top to its bottom.</p><p>A second paragraph of the ${name} column follows here, and is long enough as well to be broken over some lines.</p>`
  const rows = [
    ['Place', 'Mean', 'Highest'],
    ['Hill', '18.7', '31.2'],
    ['Harbour', '20.1', '28.4'],
    ['Bridge', '17.0', '25.0'],
  ]
  const word = await toWord(
    pdfOf(
      'columns',
      `<p>Start</p><h1>Two columns of text</h1><table width="100%" cellpadding="0"><tr valign="top"><td width="47%">${column('left')}</td><td width="6%"></td><td width="47%">${column('right')}</td></tr></table><h2>A table without lines</h2><table width="70%" cellpadding="6">${rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('')}</table><p>The end.</p>`,
    ),
  )
  const order = [
    'The left column',
    'A second paragraph of the left',
    'The right column',
    'A second paragraph of the right',
    'A table without',
    'The end',
  ]
  const places = order.map((start) => word.xml.indexOf(paragraph(word, start).xml))
  expect(places.toSorted((a, b) => a - b)).toEqual(places)
  const [table = ''] = /<w:tbl>.*?<\/w:tbl>/s.exec(word.xml) ?? []
  const cells = [...table.matchAll(/<w:tc>.*?<\/w:tc>/gs)].map(([cell]) =>
    paragraphsOf(cell)
      .map(({ text }) => text.trim())
      .join(''),
  )
  expect(cells).toEqual(rows.flat())
}, 120_000)

test('scanned pages stay images, with a warning; page sizes are kept', async () => {
  const { path } = await runTool('document.images-to-pdf', { files: ['page.png'], page_mode: 'fit' })
  const scanned = qpdfMade('--empty', '--pages', path, plainPdf(['text'], [842, 595]).path, '--')
  const { xml, warnings, pages } = await toWord(scanned)
  expect(warnings).toEqual(['Pages without text: 1. Run the OCR tool on the file first.'])
  expect(xml).toContain('<wp:extent')
  expect(pages).toHaveLength(1)
  expect(
    [...xml.matchAll(/<w:pgSz w:w="(\d+)" w:h="(\d+)"/g)].map(([, w, h]) => [Number(w) / 20, Number(h) / 20]),
  ).toEqual([
    [750, 315],
    [842, 595],
  ])
})

describe('rejects', () => {
  test.each([
    ['a file that is not a PDF', 'logo.png', 'format'],
    ['a password', qpdfMade('--encrypt', 'word', 'word', '256', '--', plainPdf(['x']).path), 'encrypted'],
  ])('%s', async (_, file, rule) => {
    expect(await refusal('document.pdf-to-word', { file })).toMatchObject({ field: 'file', rule })
  })
})
