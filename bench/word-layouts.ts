/**
 * Converts pages of thirteen layouts to Word, renders the documents with LibreOffice, and prints for each layout: the share
 * of words in reading order, the distance of the words from their place on the original page, and the numbers of pages.
 * `bun run bench:word-layouts [folder] [filter]`; with a folder, original and result are drawn beside each other there.
 *
 * The words and their places are known, because the pages are drawn here (test/support/page-layouts.ts, fixed seeds).
 * Order: the longest common subsequence of these words and those of the document's text, headers and footers included.
 * Distance: between the centres of words that occur once, on the right page, as Poppler finds them in the rendered PDF;
 * of Arabic words by their letters, in any order. The fonts of the pages must be installed, or fonts of the same widths
 * (Debian's fonts-liberation), or else the distances are those of the substitutes.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { runTool } from '../test/support/engine.ts'
import { LAYOUTS, type Layout } from '../test/support/page-layouts.ts'
import { outputOf } from '../test/support/program.ts'
import type { PlacedWord } from '../test/support/sheets.ts'
import { normalisedWords, shareInOrder, wordsOfDocx } from '../test/support/word-texts.ts'

const [out, filter = ''] = process.argv.slice(2)
const home = mkdtempSync(join(tmpdir(), 'word-layouts-'))
if (out !== undefined && out !== '') mkdirSync(out, { recursive: true })

/** Words of a PDF with their centres. */
function placesIn(pdf: string): PlacedWord[] {
  const xml = outputOf('pdftotext', ['-bbox', pdf, '-']).toString()
  return xml
    .split('<page ')
    .slice(1)
    .flatMap((page, i) =>
      [...page.matchAll(/<word xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="([\d.-]+)" yMax="([\d.-]+)">([^<]*)</g)].map(
        ([, x1, y1, x2, y2, text]): PlacedWord => ({
          ...{ text: String(text), page: i },
          ...{ x: (Number(x1) + Number(x2)) / 2, y: (Number(y1) + Number(y2)) / 2 },
        }),
      ),
    )
}

function distances(expected: readonly PlacedWord[], found: readonly PlacedWord[]): number[] {
  const once = (words: readonly PlacedWord[]): Map<string, PlacedWord> => {
    const byText = new Map<string, PlacedWord[]>()
    for (const word of words)
      for (const text of normalisedWords(word.text)) {
        // Poppler writes the letters of right-to-left words from left to right
        const key = /\p{Script=Arabic}/u.test(text) ? [...text].toSorted().join('') : text
        byText.set(key, [...(byText.get(key) ?? []), word])
      }
    return new Map([...byText].flatMap(([text, all]) => (all.length === 1 ? [[text, all[0] as PlacedWord]] : [])))
  }
  const places = once(found)
  return [...once(expected)].flatMap(([text, word]) => {
    const other = places.get(text)
    return other === undefined || other.page !== word.page ? [] : [Math.hypot(other.x - word.x, other.y - word.y)]
  })
}

const quantile = (values: readonly number[], share: number): string => {
  const sorted = values.toSorted((a, b) => a - b)
  return (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(1)
}

async function beside(name: string, original: string, result: string): Promise<void> {
  const pictures = [original, result].map((pdf, i) => {
    const root = join(home, `${name}-${i}`)
    outputOf('pdftoppm', ['-r', '60', '-png', '-singlefile', pdf, root])
    return readFileSync(`${root}.png`)
  })
  const { width = 500, height = 700 } = await sharp(pictures[0]).metadata()
  await sharp({ create: { width: 2 * width + 10, height, channels: 3, background: '#888888' } })
    .composite(pictures.map((input, i) => ({ input, left: i * (width + 10), top: 0 })))
    .png()
    .toFile(join(String(out), `${name}.png`))
}

async function judge(name: string, { name: title, pdf, words, pages }: Layout): Promise<string[]> {
  const original = join(home, `${name}-original.pdf`)
  writeFileSync(original, pdf)
  const { path, warnings } = await runTool('document.pdf-to-word', { file: { name: `${name}.pdf`, content: pdf } })
  const docx = join(home, `${name}.docx`)
  writeFileSync(docx, readFileSync(path))
  outputOf('soffice', [
    `-env:UserInstallation=file://${home}/profile`,
    '--headless',
    '--convert-to',
    'pdf',
    '--outdir',
    home,
    docx,
  ])
  const result = join(home, `${name}.pdf`)
  const share = shareInOrder(
    words.flatMap(({ text }) => normalisedWords(text)),
    wordsOfDocx(docx),
  )
  const errors = distances(words, placesIn(result))
  const resultPages = /Pages:\s+(\d+)/.exec(outputOf('pdfinfo', [result]).toString())?.[1]
  if (out !== undefined && out !== '') await beside(name, original, result)
  return [
    title,
    `${(100 * share).toFixed(1)} %`,
    quantile(errors, 0.5),
    quantile(errors, 0.9),
    `${((100 * errors.length) / words.length).toFixed(0)} %`,
    `${pages} / ${resultPages}`,
    warnings.join(' '),
  ]
}

const rows = [['Layout', 'Words in order', 'Median distance, pt', '90 %, pt', 'Words compared', 'Pages', 'Warnings']]
try {
  for (const [name, make] of Object.entries(LAYOUTS))
    if (name.includes(filter)) rows.push(await judge(name, await make()))
} finally {
  rmSync(home, { recursive: true, force: true })
}
rows.splice(
  1,
  0,
  (rows[0] as string[]).map(() => '---'),
)
process.stdout.write(`${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`)
process.exit(0)
