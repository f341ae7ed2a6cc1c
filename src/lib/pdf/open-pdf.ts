/** PDF files of strangers, looked at by qpdf before anything else is done with them. */
import { open, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { PDFDocument } from '@cantoo/pdf-lib'
import { collectGarbageIfGrown } from '../gc-pressure.ts'
import { InputError } from '../input-error.ts'
import { mayBeActive, removeActive } from './active-content.ts'
import { mendPages } from './mend-pages.ts'
import { type Qpdf, type QpdfOutcome, qpdfFor } from './qpdf.ts'

export type OpenPdf = {
  pageCount: number
  /** What was found to be wrong with it and could be lived with, and what was left out; it grows while it is written. */
  warnings: string[]
  /** Its catalog, keys with their slashes. */
  catalog(): Promise<Record<string, unknown>>
  /** What qpdf writes about it as JSON. @param keys parts of it, `outlines` for one */
  describe(keys: readonly string[]): Promise<Record<string, unknown>>
  /** Whether it may hold scripts or embedded files. */
  isActive(): Promise<boolean>
  /** What it is called in the qpdf that works on it. */
  name: string
  qpdf: Qpdf
  /** For files beside it. */
  path: string
  /** The file as qpdf writes it: sound, and without streams of objects. */
  plain(): Promise<Uint8Array>
  /**
   * Writes it changed by qpdf, without scripts and embedded files.
   * @param args of qpdf, between the names of input and output
   * @throws InputError `unreadable` when the file turns out to be broken
   */
  write(args: readonly string[], to: string): Promise<void>
  /**
   * Writes it changed by pdf-lib, without scripts and embedded files.
   * @param options `args` of qpdf for the file that is changed then, `sweep` for what nothing leads to after it
   * @throws InputError `unreadable`
   */
  edit(work: Work, to: string, options?: { args?: readonly string[]; sweep?: boolean }): Promise<void>
}
type Work = (document: PDFDocument) => void | Promise<void>

/** Protection against changes, which opens without a password, does not keep anybody from looking. */
type Purpose = 'look' | 'change'

/** Each takes some kilobytes when all are held. */
const MAX_OBJECTS = 200_000

/** PDF 32000-1, annex H: the header may stand anywhere in the first bytes. */
const HEAD_BYTES = 1024
const REPAIRED = 'The file breaks rules of the format; what could be read of it was kept.'
const MAX_ERROR_LENGTH = 200

/** @throws InputError `format`, `encrypted`, `objects`, `pages`, `unreadable` */
export async function openPdf(path: string, maxPages: number, purpose: Purpose): Promise<OpenPdf> {
  if (!(await readHead(path)).includes('%PDF-')) throw new InputError('format', 'must be a PDF')
  checkObjects(declaredObjectCount(await readFile(path)))
  // files of one run lie in one folder
  const qpdf = await qpdfFor(dirname(path))
  const name = qpdf.at(path)
  const outcome = qpdf.run(['--show-npages', '--show-encryption', name])
  if (/invalid password/.test(outcome.errors))
    throw new InputError('encrypted', 'is encrypted with a password; send it without one')
  const warnings = outcome.code === 3 ? [REPAIRED] : []
  const pageCount = Number.parseInt(outcome.output, 10)
  if (outcome.code === 2 || !(pageCount >= 1)) throw unreadable(outcome)
  if (purpose === 'change' && !outcome.output.includes('not encrypted'))
    throw new InputError('encrypted', 'is protected by a password against changes; send it without one')
  if (pageCount > maxPages)
    throw new InputError('pages', `has ${pageCount} pages, more than the ${maxPages} that it may`)
  const { maxobjectid, root } = await trailerOf(qpdf, path)
  checkObjects(maxobjectid)
  collectGarbageIfGrown()
  let active: boolean | undefined
  let isPlain = false

  const run = (args: readonly string[], to: string, from = path): void => {
    const written = qpdf.run([qpdf.at(from), ...args, qpdf.at(to)])
    if (written.code === 2) throw unreadable(written)
  }
  const plain = async (): Promise<Uint8Array> => {
    const to = `${path}.plain.pdf`
    if (!isPlain) run(['--object-streams=disable', '--decrypt'], to)
    isPlain = true
    return readFile(to)
  }
  const isActive = async (): Promise<boolean> => {
    active ??= await mayBeActive(await readFile(path), plain)
    return active
  }
  /** Held no longer than it is worked on. */
  const worked = async (bytes: Uint8Array, work?: Work): Promise<Uint8Array> => {
    const document = await loadPdf(bytes)
    // pdf-lib passes over what it cannot read
    if (document.getPageCount() !== pageCount) throw unreadable(outcome)
    if (await isActive())
      for (const sentence of await removeActive(document)) if (!warnings.includes(sentence)) warnings.push(sentence)
    await work?.(document)
    return document.save({ updateFieldAppearances: false })
  }
  const save = async (bytes: Uint8Array, to: string, work?: Work, sweep = true): Promise<void> => {
    const isSwept = sweep || (await isActive())
    const edited = isSwept ? `${path}.edited.pdf` : to
    await writeFile(edited, await worked(bytes, work))
    collectGarbageIfGrown()
    // qpdf leaves out what nothing leads to any more
    if (isSwept) run(['--object-streams=generate'], to, edited)
  }
  return {
    ...{ pageCount, warnings, isActive, name, qpdf, path, plain },
    async catalog() {
      const object = Number.parseInt(root, 10)
      const [, objects] = ((await describeWith(qpdf, path, ['qpdf'], [object])) as Described).qpdf
      return objects[`obj:${root}`]?.value ?? {}
    },
    describe: (keys) => describeWith(qpdf, path, keys, []),
    async write(args, to) {
      run(args, to)
      if (await isActive()) await save(await readFile(to), to)
    },
    async edit(work, to, { args, sweep = false } = {}) {
      const source = `${path}.source.pdf`
      if (args !== undefined) run(['--object-streams=disable', ...args], source)
      collectGarbageIfGrown()
      await save(args === undefined ? await plain() : await readFile(source), to, work, sweep)
    },
  }
}

/** @throws InputError `unreadable` */
export async function loadPdf(bytes: Uint8Array): Promise<PDFDocument> {
  const { PDFDocument } = await import('@cantoo/pdf-lib')
  try {
    const document = await PDFDocument.load(bytes, { updateMetadata: false })
    // a tree of pages that leads back to itself has no end
    await mendPages(document)
    return document
  } catch (cause) {
    throw new InputError('unreadable', 'cannot be read as a PDF: it is broken', cause)
  }
}

async function describeWith(
  qpdf: Qpdf,
  path: string,
  keys: readonly string[],
  objects: readonly (string | number)[],
): Promise<Record<string, unknown>> {
  const wanted = [...keys.map((key) => `--json-key=${key}`), ...objects.map((object) => `--json-object=${object}`)]
  // once it has written on its standard output it writes no JSON there
  const to = `${path}.json`
  const outcome = qpdf.run(['--json', ...wanted, qpdf.at(path), qpdf.at(to)])
  if (outcome.code === 2) throw unreadable(outcome)
  return JSON.parse(await readFile(to, 'utf8')) as Record<string, unknown>
}

/** Most objects that any of its tables claims to have; qpdf would hold them all before it tells. */
function declaredObjectCount(bytes: Uint8Array): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let most = 0
  for (let at = buffer.indexOf('/Size'); at >= 0; at = buffer.indexOf('/Size', at + 1)) {
    const [, count] = /^\/Size\s+(\d+)/.exec(buffer.toString('latin1', at, at + 30)) ?? []
    most = Math.max(most, Number(count ?? 0))
  }
  return most
}

type Described = { qpdf: [{ maxobjectid: number }, Record<string, { value?: Record<string, unknown> }>] }

/** @returns the highest number of an object, and which one is the catalog, as `1 0 R` */
async function trailerOf(qpdf: Qpdf, path: string): Promise<{ maxobjectid: number; root: string }> {
  const [{ maxobjectid }, { trailer }] = ((await describeWith(qpdf, path, ['qpdf'], ['trailer'])) as Described).qpdf
  return { maxobjectid, root: String(trailer?.value?.['/Root']) }
}

function checkObjects(count: number): void {
  if (count > MAX_OBJECTS)
    throw new InputError('objects', `is made of ${count} objects, more than the ${MAX_OBJECTS} that it may`)
}

export const unreadable = ({ errors }: QpdfOutcome): InputError =>
  new InputError('unreadable', 'cannot be read as a PDF: it is broken', new Error(errors.slice(0, MAX_ERROR_LENGTH)))

async function readHead(path: string): Promise<string> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await file.close()
  }
}
