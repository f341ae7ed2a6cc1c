/** Creates and reads PDFs with qpdf and Poppler, as a reference for the tools. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { outputOf } from '../program.ts'
import { sharedFolder } from '../run-end.ts'
import { FIXTURES } from '../workers/tools.ts'

const home = sharedFolder('pdfs')
let made = 0

export const REPORT = join(FIXTURES, 'report.pdf')

/** @returns the standard output */
export function run(program: string, ...args: (string | number)[]): string {
  return outputOf(program, args.map(String)).toString()
}

export const freshPath = (name: string): string => join(home, `${++made}-${name}`)

/** A PDF made by qpdf. */
export function qpdfMade(...args: (string | number)[]): { name: string; path: string; content: Buffer } {
  const path = freshPath('made.pdf')
  run('qpdf', ...args, path)
  return { name: 'made.pdf', path, content: readFileSync(path) }
}

/** A PDF with one line of text on each page. */
export function plainPdf(
  texts: readonly string[],
  size: readonly [number, number] = [595, 842],
): ReturnType<typeof qpdfMade> {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${texts.length} /Kids [${texts.map((_, i) => `${4 + 2 * i} 0 R`).join(' ')}] >>`,
  ]
  objects.push('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>')
  for (const [i, text] of texts.entries()) {
    const content = `BT /F1 18 Tf 60 ${size[1] - 80} Td (${text}) Tj ET`
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${size.join(' ')}] /Contents ${5 + 2 * i} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
    )
    objects.push(stream(content))
  }
  return handMade(objects)
}

/** A PDF of the given objects, numbered from 1 with the catalog first; the cross-reference table is added. */
export function handMade(objects: readonly string[]): ReturnType<typeof qpdfMade> {
  const path = freshPath('plain.pdf')
  const body = objects.map((object, i) => `${i + 1} 0 obj\n${object}\nendobj\n`).join('')
  let offset = 9
  const entries = objects.map((object, i) => {
    const at = offset
    offset += Buffer.byteLength(`${i + 1} 0 obj\n${object}\nendobj\n`, 'latin1')
    return `${String(at).padStart(10, '0')} 00000 n \n`
  })
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries.join('')}`
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${offset}\n%%EOF\n`
  const content = Buffer.from(`%PDF-1.7\n${body}${table}${trailer}`, 'latin1')
  writeFileSync(path, content)
  return { name: 'plain.pdf', path, content }
}

export const stream = (content: string, dict = ''): string =>
  `<< ${dict} /Length ${Buffer.byteLength(content, 'latin1')} >>\nstream\n${content}\nendstream`

/** The text of a page. */
export const textOf = (path: string, page: number): string => run('pdftotext', '-f', page, '-l', page, path, '-').trim()

export type Page = { width: number; height: number; rotation: number }

/** Page sizes in points, before rotation. */
export function pagesOf(path: string): Page[] {
  const output = run('pdfinfo', '-f', 1, '-l', 10_000, path)
  const sizes = [...output.matchAll(/Page\s+\d+ size:\s+([\d.]+) x ([\d.]+)/g)]
  const turns = [...output.matchAll(/Page\s+\d+ rot:\s+(\d+)/g)]
  return sizes.map(([, width, height], i) => ({
    width: Math.round(Number(width)),
    height: Math.round(Number(height)),
    rotation: Number(turns[i]?.[1]),
  }))
}

export const outlineOf = (path: string): { title: string; page: number | null }[] =>
  (
    JSON.parse(run('qpdf', '--json', '--json-key=outlines', path)) as {
      outlines: { title: string; destpageposfrom1: number | null }[]
    }
  ).outlines.map(({ title, destpageposfrom1 }) => ({ title, page: destpageposfrom1 }))

export const isSound = (path: string): boolean =>
  run('qpdf', '--check', path).includes('No syntax or stream encoding errors')

/** A page rendered by Poppler: red, green and blue of each pixel. */
export function drawn(path: string, page = 1, dpi = 72): { width: number; height: number; data: Buffer } {
  const root = freshPath('drawn')
  run('pdftoppm', '-r', dpi, '-f', page, '-l', page, '-singlefile', path, root)
  const ppm = readFileSync(`${root}.ppm`)
  const [head = '', width, height] = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(ppm.toString('latin1', 0, 50)) ?? []
  return { width: Number(width), height: Number(height), data: ppm.subarray(head.length) }
}

type Drawn = ReturnType<typeof drawn>

/** The changed part of a page: its bounding box as fractions of the page, and its number of pixels. */
export function changedPart(before: Drawn, after: Drawn) {
  let [left, right, top, bottom, count] = [1, 0, 1, 0, 0]
  for (let y = 0; y < after.height; y++)
    for (let x = 0; x < after.width; x++) {
      const at = 3 * (y * after.width + x)
      if ([0, 1, 2].every((i) => Math.abs((before.data[at + i] as number) - (after.data[at + i] as number)) <= 2))
        continue
      count++
      left = Math.min(left, x / after.width)
      right = Math.max(right, (x + 1) / after.width)
      top = Math.min(top, y / after.height)
      bottom = Math.max(bottom, (y + 1) / after.height)
    }
  return { left, right, top, bottom, count }
}
