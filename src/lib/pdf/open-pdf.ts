/** PDF files of strangers, looked at by qpdf before anything else is done with them. */
import { open } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { Unfit } from '../unfit.ts'
import { type QpdfOutcome, qpdf } from './qpdf.ts'

export type OpenPdf = {
  /** Folder and name, as qpdf wants them. */
  folder: string
  name: string
  pageCount: number
  /** What was found damaged and could be repaired. */
  warnings: string[]
}

/** PDF 32000-1, annex H: the header may stand anywhere in the first bytes. */
const HEAD_BYTES = 1024
const REPAIRED = 'The file breaks rules of the format; what could be read of it was kept.'
const MAX_WORDS = 200

/** @throws Unfit `format`, `encrypted`, `pages`, `unreadable` */
export async function openPdf(path: string, maxPages: number): Promise<OpenPdf> {
  if (!(await readHead(path)).includes('%PDF-')) throw new Unfit('format', 'must be a PDF')
  const [folder, name] = [dirname(path), basename(path)]
  const outcome = await qpdf(folder, ['--show-npages', name])
  if (/invalid password/.test(outcome.errors))
    throw new Unfit('encrypted', 'is encrypted with a password; send it without one')
  const pageCount = Number(outcome.output.trim())
  if (outcome.code === 2 || !(pageCount >= 1)) throw unreadable(outcome)
  if (pageCount > maxPages) throw new Unfit('pages', `has ${pageCount} pages, more than the ${maxPages} that it may`)
  return { folder, name, pageCount, warnings: outcome.code === 3 ? [REPAIRED] : [] }
}

/**
 * Runs qpdf over an open file.
 * @throws Unfit `unreadable` when the file turns out to be broken
 */
export async function change({ folder }: OpenPdf, args: readonly string[]): Promise<void> {
  const outcome = await qpdf(folder, args)
  if (outcome.code === 2) throw unreadable(outcome)
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
