/**
 * Character error rates of the OCR tool beside Debian's tesseract, on seeded pages: two Arabic fonts and a Latin one,
 * 150 to 300 dpi, clean, skewed, noisy, sideways and upside down. Debian's tesseract finds the orientation itself
 * (--psm 1). Fails if a cell of the tool has a higher rate. CPU seconds cover the recognition, without starting a
 * process on our side.
 *
 * bun run bench ocr-accuracy [filter, such as `amiri 150`]
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openImage } from '../src/lib/image/image.ts'
import { greyPage } from '../src/lib/ocr/page-image.ts'
import { readPage, textOf } from '../src/lib/ocr/read-page.ts'
import {
  ARABIC,
  CONDITIONS,
  ENGLISH,
  errorRate,
  type Face,
  flat,
  printedPage,
  scanned,
} from '../test/support/formats/scanned-pages.ts'

const RESOLUTIONS = [150, 200, 300]
/** Each cell is read in both sizes. */
const SIZES: Record<Face, readonly number[]> = { amiri: [12, 14], naskh: [10, 12], latin: [9, 12] }
const MAX_PIXELS = 1e8

type Score = { errors: number; characters: number; seconds: number }
const empty = (): Score => ({ errors: 0, characters: 0, seconds: 0 })

const filter = process.argv[2] ?? ''
const folder = mkdtempSync(join(tmpdir(), 'groundwave-ocr-'))
const rival = Bun.which('tesseract')

function add(score: Score, read: string, truth: string, seconds: number): void {
  score.errors += errorRate(flat(read), truth) * truth.length
  score.characters += truth.length
  score.seconds += seconds
}

async function readHere(path: string, lang: 'eng' | 'ara'): Promise<{ text: string; seconds: number }> {
  const before = process.cpuUsage()
  const image = await openImage(path, { maxPixels: MAX_PIXELS })
  const { lines } = await readPage(await greyPage(image), lang)
  const { user, system } = process.cpuUsage(before)
  return { text: textOf(lines), seconds: (user + system) / 1e6 }
}

async function readByRival(program: string, path: string, lang: string): Promise<{ text: string; seconds: number }> {
  const child = Bun.spawn([program, path, '-', '-l', lang, '--psm', '1'], {
    stdout: 'pipe',
    stderr: 'ignore',
    env: { ...process.env, OMP_THREAD_LIMIT: '1' },
  })
  const text = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`tesseract cannot read ${path} in ${lang}`)
  return { text, seconds: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6 }
}

const percent = ({ errors, characters }: Score): string => ((100 * errors) / characters).toFixed(2)
const seconds = (score: Score): string => (score.seconds / 2).toFixed(2)

let worse = 0
console.log('| font | dpi | page | wrong characters, % | tesseract, % | CPU s a page | tesseract, s |')
console.log('| --- | --- | --- | --- | --- | --- | --- |')
try {
  for (const face of Object.keys(SIZES) as Face[])
    for (const dpi of RESOLUTIONS)
      for (const condition of CONDITIONS) {
        if (!`${face} ${dpi} ${condition}`.includes(filter)) continue
        const [here, there] = [empty(), empty()]
        const [lang, paragraphs] = face === 'latin' ? (['eng', ENGLISH] as const) : (['ara', ARABIC] as const)
        const truth = flat(paragraphs.join(' '))
        for (const points of SIZES[face]) {
          const path = join(folder, 'page.png')
          writeFileSync(path, await scanned(await printedPage(paragraphs, face, { dpi, points }), condition, dpi))
          const ours = await readHere(path, lang)
          add(here, ours.text, truth, ours.seconds)
          if (rival === null) continue
          const theirs = await readByRival(rival, path, lang)
          add(there, theirs.text, truth, theirs.seconds)
        }
        const beside = rival === null ? ['–', '–'] : [percent(there), seconds(there)]
        console.log(`| ${[face, dpi, condition, percent(here), beside[0], seconds(here), beside[1]].join(' | ')} |`)
        if (rival !== null && here.errors / here.characters > there.errors / there.characters) worse++
      }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
if (worse > 0) throw new Error(`${worse} cells have more wrong characters than tesseract`)
