/** Opens untrusted PDFs: qpdf checks the structure before anything else reads the file. */
import { open, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { PDFDocument } from '@cantoo/pdf-lib'
import { collectGarbageIfGrown } from '../gc-pressure.ts'
import { InputError } from '../input-error.ts'
import { mayBeActive, removeActive } from './active-content.ts'
import { type Qpdf, type QpdfOutcome, qpdfFor } from './qpdf.ts'
import { repairPages } from './repair-pages.ts'
import { checkDecodedSizes, checkNestedStreams } from './stream-sizes.ts'

export type OpenPdf = {
  pageCount: number
  /** Repaired damage and removed content, for the client; grows while the file is written. */
  warnings: string[]
  /** The document catalog; keys have their slashes. */
  catalog(): Promise<Record<string, unknown>>
  /** Runs `qpdf --json`. @param keys of the parts to return, such as `outlines` */
  describe(keys: readonly string[]): Promise<Record<string, unknown>>
  /** Whether the file may contain scripts or embedded files. */
  isActive(): Promise<boolean>
  /** The file's name inside qpdf's virtual file system. */
  name: string
  qpdf: Qpdf
  /** The path on disk; temporary files are created beside it. */
  path: string
  /** The file rewritten by qpdf: repaired, and without object streams. */
  plain(): Promise<Uint8Array>
  /**
   * Writes the file as changed by qpdf, without scripts and embedded files.
   * @param args for qpdf, placed between the names of input and output
   * @throws InputError `unreadable` when the file turns out to be damaged
   */
  write(args: readonly string[], to: string): Promise<void>
  /**
   * Writes the file as changed by pdf-lib, without scripts and embedded files.
   * @param options `args` for a qpdf run before the change; `sweep` drops unreferenced objects after it
   * @throws InputError `unreadable`
   */
  edit(work: Work, to: string, options?: { args?: readonly string[]; sweep?: boolean }): Promise<void>
}
type Work = (document: PDFDocument) => void | Promise<void>

/**
 * A file that opens without a password but is protected against changes may be read. `decode` is a change that decodes
 * the content of pages, as reading does.
 */
export type Purpose = 'read' | 'change' | 'decode'

/** Limit for objects, which all have to be held in memory at some kilobytes each. */
const MAX_OBJECTS = 200_000

/** ISO 32000-1, annex H: the header may start anywhere in the first bytes. */
const HEAD_BYTES = 1024
const REPAIRED = 'The file does not conform to the PDF format; everything that could be read was kept.'
const DAMAGED = 'cannot be read as a PDF: it is damaged'
const MAX_ERROR_LENGTH = 200

/** @throws InputError `format`, `encrypted`, `objects`, `pages`, `decodedBytes`, `pixels`, `unreadable` */
export async function openPdf(path: string, maxPages: number, purpose: Purpose): Promise<OpenPdf> {
  if (!(await readHead(path)).includes('%PDF-')) throw new InputError('format', 'must be a PDF file')
  const bytes = await readFile(path)
  checkObjects(declaredObjectCount(bytes))
  await checkNestedStreams(bytes)
  // all files of a run are in one folder
  const qpdf = await qpdfFor(dirname(path))
  const name = qpdf.at(path)
  const outcome = qpdf.run(['--show-npages', '--show-encryption', name])
  if (/invalid password/.test(outcome.errors))
    throw new InputError('encrypted', 'must not be encrypted with a password')
  const warnings = outcome.code === 3 ? [REPAIRED] : []
  const pageCount = Number.parseInt(outcome.output, 10)
  if (outcome.code === 2 || !(pageCount >= 1)) throw unreadable(outcome)
  const isEncrypted = !outcome.output.includes('not encrypted')
  if (purpose !== 'read' && isEncrypted)
    throw new InputError('encrypted', 'must not be protected against changes by a password')
  if (pageCount > maxPages) throw new InputError('pages', `has ${pageCount} pages; the maximum is ${maxPages}`)
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
  if (purpose === 'read') await checkDecodedSizes(isEncrypted ? await plain() : bytes, pageCount)
  // what changes images has a lower limit for each
  else if (purpose === 'decode') await checkDecodedSizes(bytes, undefined)
  const isActive = async (): Promise<boolean> => {
    active ??= await mayBeActive(await readFile(path), plain)
    return active
  }
  /** Keeps the document in memory only while it is changed. */
  const applyEdit = async (bytes: Uint8Array, work?: Work): Promise<Uint8Array> => {
    const document = await loadPdf(bytes)
    // pdf-lib skips pages that it cannot read
    if (document.getPageCount() !== pageCount) throw unreadable(outcome)
    const active = await isActive()
    await refusingWrongTypes(async () => {
      if (active)
        for (const sentence of await removeActive(document)) if (!warnings.includes(sentence)) warnings.push(sentence)
      await work?.(document)
    })
    return document.save({ updateFieldAppearances: false })
  }
  const save = async (bytes: Uint8Array, to: string, work?: Work, sweep = true): Promise<void> => {
    const isSwept = sweep || (await isActive())
    const editedPath = isSwept ? `${path}.edited.pdf` : to
    await writeFile(editedPath, await applyEdit(bytes, work))
    collectGarbageIfGrown()
    // qpdf drops unreferenced objects
    if (isSwept) run(['--object-streams=generate'], to, editedPath)
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
    // throws when the page tree contains a loop
    await repairPages(document)
    return document
  } catch (cause) {
    throw new InputError('unreadable', DAMAGED, cause)
  }
}

/** pdf-lib finds that an entry has the wrong type when the entry is used, in the middle of other work. */
async function refusingWrongTypes(work: () => Promise<void>): Promise<void> {
  const { PDFArrayIsNotRectangleError, UnexpectedObjectTypeError } = await import('@cantoo/pdf-lib')
  try {
    await work()
  } catch (cause) {
    if (cause instanceof UnexpectedObjectTypeError || cause instanceof PDFArrayIsNotRectangleError)
      throw new InputError('unreadable', DAMAGED, cause)
    throw cause
  }
}

async function describeWith(
  qpdf: Qpdf,
  path: string,
  keys: readonly string[],
  objects: readonly (string | number)[],
): Promise<Record<string, unknown>> {
  const args = [...keys.map((key) => `--json-key=${key}`), ...objects.map((object) => `--json-object=${object}`)]
  // written to a file, because this build writes no JSON to standard output after the first run
  const to = `${path}.json`
  const outcome = qpdf.run(['--json', ...args, qpdf.at(path), qpdf.at(to)])
  if (outcome.code === 2) throw unreadable(outcome)
  return JSON.parse(await readFile(to, 'utf8')) as Record<string, unknown>
}

/** The largest object count that a cross-reference table claims, checked before qpdf allocates memory for it. */
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

/** @returns the highest object number, and the reference of the catalog, such as `1 0 R` */
async function trailerOf(qpdf: Qpdf, path: string): Promise<{ maxobjectid: number; root: string }> {
  const [{ maxobjectid }, { trailer }] = ((await describeWith(qpdf, path, ['qpdf'], ['trailer'])) as Described).qpdf
  return { maxobjectid, root: String(trailer?.value?.['/Root']) }
}

function checkObjects(count: number): void {
  if (count > MAX_OBJECTS) throw new InputError('objects', `has ${count} objects; the maximum is ${MAX_OBJECTS}`)
}

export const unreadable = ({ errors }: QpdfOutcome): InputError =>
  new InputError('unreadable', DAMAGED, new Error(errors.slice(0, MAX_ERROR_LENGTH)))

async function readHead(path: string): Promise<string> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await file.close()
  }
}
