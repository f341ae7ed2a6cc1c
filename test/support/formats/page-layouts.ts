/** Pages with the layouts of real documents, for the tests and the bench of pdf-to-word. */
import { rgb } from '@cantoo/pdf-lib'
import { ARABIC, chart, ENGLISH, MIXED, withoutUnicode } from './layout-parts.ts'
import { type PlacedWord, prose, type Sheets, type Styled, sheets } from './sheets.ts'

export type Layout = { name: string; pdf: Buffer; words: PlacedWord[]; pages: number }

const MARGIN = 56
const RIGHT = 595 - MARGIN
const RED: [number, number, number] = [0.75, 0, 0]
const BLUE: [number, number, number] = [0, 0.2, 0.8]

async function made(
  name: string,
  draw: (to: Sheets, words: (count: number) => string) => void | Promise<void>,
): Promise<Layout> {
  const to = await sheets()
  to.addPage()
  await draw(to, prose(name.length * 97))
  const pdf = await to.save()
  return { name, pdf, words: to.words, pages: to.document.getPageCount() }
}

export const LAYOUTS: Record<string, () => Promise<Layout>> = {
  paper: () =>
    made('two-column paper, figure, footnotes', (to, words) => {
      const columns = [
        { left: MARGIN, right: 286 },
        { left: 309, right: RIGHT },
      ]
      const title = to.text([{ text: 'Measured delays of distributed sensors', font: 'bold' }], {
        left: MARGIN,
        right: RIGHT,
        top: 70,
        size: 17,
        align: 'center',
      })
      const authors = to.text('Ana Brook, Selim Haddad and Mira Stone', {
        left: MARGIN,
        right: RIGHT,
        top: title + 6,
        size: 11,
        align: 'center',
      })
      for (const [i, column] of columns.entries()) {
        const at = (top: number) => ({ ...column, top, size: 10, align: 'both' as const })
        let top = authors + 16
        top =
          to.text([{ text: i === 0 ? '1 Introduction' : '2.1 Fair schedules', font: 'bold' }], {
            ...at(top),
            size: 12,
            align: 'start',
          }) + 4
        top =
          to.text([{ text: `${words(20)} ` }, { text: words(3), font: 'italic' }, { text: ` ${words(60)}` }], at(top)) +
          6
        if (i === 1) {
          chart(to, column.left + 40, top + 6, 170, 90)
          top = to.text('Figure 1: Packets that arrived in time, by hour.', { ...at(top + 138), size: 9 }) + 8
        }
        top =
          to.text([{ text: i === 0 ? '2 Related work' : '3 Results', font: 'bold' }], {
            ...at(top),
            size: 12,
            align: 'start',
          }) + 4
        while (top < 640) top = to.text(words(45), at(top)) + 4
        to.page().drawLine({
          start: { x: column.left, y: 842 - 722 },
          end: { x: column.left + 60, y: 842 - 722 },
          thickness: 0.5,
        })
        to.text(`${i + 1} ${words(14)}`, { ...at(726), size: 8 })
      }
    }),
  lastPage: () =>
    made('last page of a paper, with a short column', (to, words) => {
      const at = (left: number, top: number) => ({ left, right: left + 230, top, size: 10, align: 'both' as const })
      let top = 60
      while (top < 720) top = to.text(words(48), at(MARGIN, top)) + 5
      top = to.text([{ text: 'References', font: 'bold' }], { ...at(309, 60), size: 13 }) + 6
      for (const number of [1, 2, 3]) top = to.text(`[${number}] ${words(16)}`, { ...at(309, top), hanging: 14 }) + 8
    }),
  newsletter: () =>
    made('three-column newsletter', (to, words) => {
      const top = to.text([{ text: 'Harbour Weekly Bulletin', font: 'bold' }], {
        left: MARGIN,
        right: RIGHT,
        top: 50,
        size: 26,
        align: 'center',
      })
      for (const i of [0, 1, 2]) {
        const left = MARGIN + i * 166
        let at = top + 14
        if (i === 1) {
          to.page().drawRectangle({ x: left, y: 842 - at - 90, width: 151, height: 90, color: rgb(0.2, 0.5, 0.7) })
          to.page().drawCircle({ x: left + 75, y: 842 - at - 45, size: 30, color: rgb(0.9, 0.8, 0.2) })
          to.page().drawCircle({ x: left + 30, y: 842 - at - 30, size: 12, color: rgb(0.9, 0.3, 0.2) })
          at += 98
        }
        at = to.text([{ text: words(3), font: 'bold' }], { left, right: left + 151, top: at, size: 13 }) + 4
        while (at < 700) at = to.text(words(38), { left, right: left + 151, top: at, size: 9.5 }) + 5
      }
    }),
  headings: () =>
    made('numbered headings, bold and italic', (to, words) => {
      let top = 60
      for (const [number, size] of [
        ['1', 16],
        ['1.1', 13],
        ['1.2', 13],
        ['2', 16],
        ['2.1', 13],
        ['2.1.1', 11],
      ] as const) {
        top =
          to.text([{ text: `${number} ${words(3).slice(0, -1)}`, font: 'bold' }], {
            left: MARGIN,
            right: RIGHT,
            top,
            size,
          }) + 4
        const mixed: Styled[] = [
          { text: words(12) },
          { text: words(3), font: 'bold' },
          { text: words(10) },
          { text: words(3), font: 'italic' },
          { text: words(25) },
        ]
        top = to.text(mixed, { left: MARGIN, right: RIGHT, top, size: 11, align: 'both' }) + 10
      }
    }),
  table: () =>
    made('tables with and without lines', (to, words) => {
      let top = to.text(words(40), { left: MARGIN, right: RIGHT, top: 60, size: 11 }) + 10
      const page = to.page()
      page.drawRectangle({ x: MARGIN, y: 842 - top - 22, width: 400, height: 22, color: rgb(0.2, 0.2, 0.4) })
      for (let row = 0; row < 6; row++) {
        for (const column of [0, 1, 2, 3]) {
          const left = MARGIN + column * 100
          page.drawRectangle({
            x: left,
            y: 842 - top - 22,
            width: 100,
            height: 22,
            borderWidth: 0.7,
            opacity: 0,
            borderColor: rgb(0, 0, 0),
          })
          const text = words(column === 0 ? 2 : 1).slice(0, -1)
          to.text(
            [{ text, ...(row === 0 && { color: [1, 1, 1] as [number, number, number], font: 'bold' as const }) }],
            { left: left + 4, right: left + 98, top: top + 5, size: 10 },
          )
        }
        top += 22
      }
      top = to.text(words(40), { left: MARGIN, right: RIGHT, top: top + 14, size: 11 }) + 12
      for (let row = 0; row < 5; row++) {
        for (const column of [0, 1, 2]) to.text(words(1), { left: MARGIN + column * 130, right: RIGHT, top, size: 10 })
        top += 16
      }
      to.text(words(30), { left: MARGIN, right: RIGHT, top: top + 12, size: 11 })
    }),
  form: () =>
    made('form with values', (to, words) => {
      let top =
        to.text([{ text: 'Application for a permit', font: 'bold' }], {
          left: MARGIN,
          right: RIGHT,
          top: 60,
          size: 16,
        }) + 10
      top = to.text(words(30), { left: MARGIN, right: RIGHT, top, size: 11 }) + 16
      const form = to.document.getForm()
      for (const [name, value] of [
        ['Name', 'Ramona Feld'],
        ['Town', 'Eastbridge'],
        ['Reference', 'K-20431'],
      ] as const) {
        to.text(`${name}:`, { left: MARGIN, right: 200, top: top + 3, size: 11 })
        const field = form.createTextField(name)
        field.setText(value)
        field.addToPage(to.page(), { x: 160, y: 842 - top - 18, width: 220, height: 18, borderWidth: 0.5 })
        field.setFontSize(11)
        for (const [i, word] of value.split(' ').entries())
          to.words.push({ text: word, page: 0, x: 175 + 38 * i, y: top + 9 })
        top += 30
      }
      const tick = form.createCheckBox('Agreed')
      tick.addToPage(to.page(), { x: 160, y: 842 - top - 14, width: 14, height: 14 })
      tick.check()
      to.text('Agreed by the applicant', { left: MARGIN + 130, right: RIGHT, top: top + 1, size: 11 })
      form.updateFieldAppearances()
      to.text(words(40), { left: MARGIN, right: RIGHT, top: top + 40, size: 11 })
    }),
  colours: () =>
    made('coloured text', (to, words) => {
      let top =
        to.text([{ text: words(4), font: 'bold', color: BLUE }], { left: MARGIN, right: RIGHT, top: 60, size: 18 }) + 8
      for (let i = 0; i < 5; i++)
        top =
          to.text(
            [
              { text: words(15) },
              { text: words(4), color: RED },
              { text: words(20) },
              { text: words(3), color: BLUE, font: 'bold' },
            ],
            { left: MARGIN, right: RIGHT, top, size: 11 },
          ) + 8
      to.page().drawRectangle({ x: MARGIN, y: 842 - top - 40, width: 300, height: 40, color: rgb(0.2, 0.4, 0.2) })
      to.text([{ text: words(5), color: [1, 1, 1] }], { left: MARGIN + 10, right: RIGHT, top: top + 12, size: 12 })
    }),
  chart: () =>
    made('chart with labels inside a column', (to, words) => {
      let top = to.text(words(90), { left: MARGIN, right: RIGHT, top: 60, size: 11, align: 'both' }) + 10
      chart(to, 150, top + 4, 280, 150)
      top =
        to.text('Figure 2: Packets in time.', {
          left: MARGIN,
          right: RIGHT,
          top: top + 200,
          size: 10,
          align: 'center',
        }) + 10
      to.text(words(120), { left: MARGIN, right: RIGHT, top, size: 11, align: 'both' })
    }),
  noUnicode: () =>
    made('font without a Unicode map', (to) => {
      let top =
        to.text([{ text: 'The title has a sound font', font: 'bold' }], {
          left: MARGIN,
          right: RIGHT,
          top: 60,
          size: 18,
        }) + 10
      for (const paragraph of ENGLISH)
        top = to.rightToLeft(paragraph, { left: MARGIN, right: RIGHT, top, size: 12, leading: 16 }) + 8
      withoutUnicode(to)
    }),
  arabic: () =>
    made('Arabic page', (to) => {
      let top = to.rightToLeft('تقرير محطة القياس الشمالية', { left: MARGIN, right: RIGHT, top: 60, size: 20 }) + 10
      for (const paragraph of ARABIC) top = to.rightToLeft(paragraph, { left: MARGIN, right: RIGHT, top, size: 12 }) + 8
    }),
  arabicColumns: () =>
    made('two Arabic columns', (to) => {
      // the right column, which is read first, is the narrower one
      for (const [left, right, paragraphs] of [
        [360, RIGHT, ARABIC],
        [MARGIN, 330, ARABIC.toReversed()],
      ] as const) {
        let top = 60
        for (const paragraph of paragraphs) top = to.rightToLeft(paragraph, { left, right, top, size: 12 }) + 8
      }
    }),
  mixed: () =>
    made('Arabic and English', (to, words) => {
      let top = to.text(words(50), { left: MARGIN, right: RIGHT, top: 60, size: 12 }) + 10
      for (const paragraph of MIXED) top = to.rightToLeft(paragraph, { left: MARGIN, right: RIGHT, top, size: 12 }) + 8
      to.text(words(40), { left: MARGIN, right: RIGHT, top, size: 12 })
    }),
  lists: () =>
    made('lists', (to, words) => {
      let top = to.text(words(30), { left: MARGIN, right: RIGHT, top: 60, size: 11 }) + 8
      for (const kind of ['•', '1.'])
        for (let i = 0; i < 4; i++) {
          to.label(kind === '•' ? '•' : `${i + 1}.`, MARGIN + 10, top + 9, 11)
          top = to.text(words(i % 2 === 0 ? 5 : 24), { left: MARGIN + 28, right: RIGHT, top, size: 11 }) + 4
        }
      to.text(words(40), { left: MARGIN, right: RIGHT, top: top + 8, size: 11 })
    }),
  running: () =>
    made('running header and footer, four pages', (to, words) => {
      for (let i = 0; i < 4; i++) {
        if (i > 0) to.addPage()
        to.text([{ text: 'Journal of Quiet Systems', font: 'italic' }], {
          left: MARGIN,
          right: RIGHT,
          top: 36,
          size: 9,
        })
        let top = 90
        while (top < 690) top = to.text(words(70), { left: MARGIN, right: RIGHT, top, size: 11, align: 'both' }) + 8
        to.text(`Page ${i + 11}`, { left: MARGIN, right: RIGHT, top: 790, size: 9, align: 'center' })
      }
    }),
}
