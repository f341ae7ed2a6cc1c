/** PDF files of strangers, looked at by qpdf before anything else is done with them. */
import { open, readFile, writeFile } from 'node:fs/promises'
import { Unfit } from '../unfit.ts'
import { type Qpdf, type QpdfOutcome, startQpdf } from './qpdf.ts'

export type OpenPdf = {
  pageCount: number
  /** What was found to be wrong with it and could be lived with. */
  warnings: string[]
  /**
   * Writes it changed.
   * @param args of qpdf, between the names of input and output
   * @throws Unfit `unreadable` when the file turns out to be broken
   */
  write(args: readonly string[], to: string): Promise<void>
}

const INPUT = '/input.pdf'
const OUTPUT = '/output.pdf'
/** Then it is started anew: what a run leaves behind in its memory adds up. */
const MAX_RUNS = 25

/** PDF 32000-1, annex H: the header may stand anywhere in the first bytes. */
const HEAD_BYTES = 1024
const REPAIRED = 'The file breaks rules of the format; what could be read of it was kept.'
const MAX_WORDS = 200

/** @throws Unfit `format`, `encrypted`, `pages`, `unreadable` */
export async function openPdf(path: string, maxPages: number): Promise<OpenPdf> {
  if (!(await readHead(path)).includes('%PDF-')) throw new Unfit('format', 'must be a PDF')
  let qpdf = await holding(path)
  let runs = 0
  const outcome = qpdf.run(['--show-npages', INPUT])
  if (/invalid password/.test(outcome.errors))
    throw new Unfit('encrypted', 'is encrypted with a password; send it without one')
  const pageCount = Number(outcome.output.trim())
  if (outcome.code === 2 || !(pageCount >= 1)) throw unreadable(outcome)
  if (pageCount > maxPages) throw new Unfit('pages', `has ${pageCount} pages, more than the ${maxPages} that it may`)
  return {
    pageCount,
    warnings: outcome.code === 3 ? [REPAIRED] : [],
    async write(args, to) {
      if (++runs % MAX_RUNS === 0) qpdf = await holding(path)
      const written = qpdf.run([INPUT, ...args, OUTPUT])
      if (written.code === 2) throw unreadable(written)
      await writeFile(to, qpdf.take(OUTPUT))
    },
  }
}

async function holding(path: string): Promise<Qpdf> {
  const qpdf = await startQpdf()
  qpdf.put(INPUT, await readFile(path))
  return qpdf
}

const unreadable = ({ errors }: QpdfOutcome): Unfit =>
  new Unfit('unreadable', 'cannot be read as a PDF: it is broken', new Error(errors.slice(0, MAX_WORDS)))

async function readHead(path: string): Promise<string> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await file.close()
  }
}
