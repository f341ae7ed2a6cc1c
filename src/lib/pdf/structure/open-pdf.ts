/** Opens untrusted PDFs: qpdf checks the structure before anything else reads the file. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { PDFDocument } from '@cantoo/pdf-lib'
import { fieldText } from '../../../field-texts/field-text.ts'
import { append } from '../../../lists.ts'
import { distinctWarnings, type Warning, type WarningCode, warning } from '../../../warnings/warning.ts'
import { headOf } from '../../file-head.ts'
import { collectGarbageIfGrown } from '../../gc-pressure.ts'
import { InputError } from '../../input-error.ts'
import { mayBeActive, mayBeSigned, type NamedContent, namedContent, removeActive } from './active-content.ts'
import { type Qpdf, QpdfAborted, type QpdfOutcome, qpdfFor } from './qpdf.ts'
import { repaired } from './repair.ts'
import { repairPages } from './repair-pages.ts'
import { checkChainedStreams, checkDecodedSizes } from './stream-sizes.ts'

export type OpenPdf = {
  pageCount: number
  /** Repaired damage and removed content, for the client; grows while the file is written. */
  warnings: Warning[]
  /** The document catalog in PDF syntax, as qpdf writes it; empty if it has neither an outline nor named destinations. */
  catalog(): Promise<string>
  /** Runs `qpdf --json`. @param keys of the parts to return, such as `outlines` */
  describe(keys: readonly string[]): Promise<Record<string, unknown>>
  /** Whether the file may contain scripts or embedded files. */
  isActive(): Promise<boolean>
  /** Adds a warning if the file is digitally signed, because the change invalidates the signature. */
  noteChange(): Promise<void>
  /** The file's name inside qpdf's virtual file system. */
  name: string
  qpdf: Qpdf
  /** A path for a temporary file made from the document. */
  beside: Beside
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
   * @param options `args` for a qpdf run before the change; `before` sees the document with its scripts; `sweep` drops
   * unreferenced objects after the change
   * @throws InputError `unreadable`
   */
  edit(work: Work, to: string, options?: { args?: readonly string[]; before?: Work; sweep?: boolean }): Promise<void>
}
type Work = (document: PDFDocument) => void | Promise<void>

type Beside = (suffix: string) => string

/** The folder that contains both. */
const above = (one: string, other: string): string =>
  `${other}/`.startsWith(one === '/' ? one : `${one}/`) ? one : above(dirname(one), other)

/**
 * A file that opens without a password but is protected against changes may be read. `decode` is a change that decodes
 * page content, like reading.
 */
export type Purpose = 'read' | 'change' | 'decode'

/** Limit for objects, which are all held in memory at some kilobytes each. */
const MAX_OBJECTS = 200_000

/** ISO 32000-1, annex H: the header may start anywhere in the first bytes. */
const HEAD_BYTES = 1024
const DAMAGED = fieldText('pdfDamaged')
const MAX_ERROR_LENGTH = 200

/**
 * @param folder for files that are made from it
 * @throws InputError `format`, `encrypted`, `objects`, `pages`, `decodedBytes`, `pixels`, `unreadable`
 */
export async function openPdf(
  given: string,
  maxPages: number,
  purpose: Purpose,
  folder = dirname(given),
): Promise<OpenPdf> {
  if (!(await headOf(given, HEAD_BYTES)).includes('%PDF-')) throw new InputError('format', fieldText('pdfFile'))
  const givenBytes = await readFile(given)
  checkObjects(declaredObjectCount(givenBytes))
  await checkChainedStreams(givenBytes)
  const qpdf = qpdfFor(above(dirname(given), folder))
  const beside: Beside = (suffix) => join(folder, `${basename(given)}.${suffix}`)
  const { path, outcome, trailer, warnings } = await openable(qpdf, given, beside)
  const name = qpdf.at(path)
  const hasWarning = (code: WarningCode): boolean => warnings.some((one) => one.code === code)
  const pageCount = Number.parseInt(outcome.output, 10)
  if (pageCount > maxPages) throw new InputError('pages', fieldText('pageCount', { count: pageCount, most: maxPages }))
  const { maxobjectid, root } = trailer
  checkObjects(maxobjectid)
  collectGarbageIfGrown()
  let content: NamedContent | undefined
  let isPlain = false
  const plainPath = beside('plain.pdf')

  let sound = path
  const run = async (args: readonly string[], to: string, from?: string): Promise<void> => {
    // qpdf's file system sets the timestamps of a file that it overwrites, which worker processes are not allowed to do
    await rm(to, { force: true })
    let written = await qpdf.run([qpdf.at(from ?? sound), ...args, qpdf.at(to)])
    if (written.code === 2 && from === undefined && !hasWarning('repaired')) {
      // damage after the cross-reference table is detected only when the whole file is written
      sound = await repairedCopy(path, beside)
      await rm(to, { force: true })
      written = await qpdf.run([qpdf.at(sound), ...args, qpdf.at(to)])
      warnings.push(warning('repaired'))
    }
    if (written.code === 2) throw unreadable(written)
  }
  const plain = async (): Promise<Uint8Array> => {
    if (!isPlain) await run(['--object-streams=disable'], plainPath)
    isPlain = true
    return readFile(plainPath)
  }
  if (purpose === 'read') await checkDecodedSizes(await readFile(path), pageCount)
  // tools that change images check each image against a lower limit
  else if (purpose === 'decode') await checkDecodedSizes(await readFile(path), undefined)
  const contentOf = async (): Promise<NamedContent> => {
    content ??= await namedContent(await readFile(path), plain)
    return content
  }
  const isActive = async (): Promise<boolean> => (await contentOf()).active
  const noteChange = async (): Promise<void> => {
    if (hasWarning('changesNotSigned') || !mayBeSigned(await readFile(path))) return
    if ((await contentOf()).signed) warnings.push(warning('changesNotSigned'))
  }
  /** Keeps the document in memory only while it is changed. */
  const applyEdit = async (from: string, work?: Work, before?: Work): Promise<Uint8Array> => {
    const document = await loadPdf(await readFile(from))
    // pdf-lib skips pages that it cannot read
    const read = document.getPageCount()
    if (read === 0 || read !== (await pageCountOf(qpdf, from))) throw unreadable(outcome)
    const active = await isActive()
    await refusingWrongTypes(async () => {
      await before?.(document)
      if (active) {
        const all = distinctWarnings([...warnings, ...(await removeActive(document))])
        append(warnings, all.slice(warnings.length))
      }
      await work?.(document)
    })
    return document.save({ updateFieldAppearances: false })
  }
  const save = async (from: string, to: string, work?: Work, sweep = true, before?: Work): Promise<void> => {
    const isSwept = sweep || (await isActive())
    const editedPath = isSwept ? beside('edited.pdf') : to
    await writeFile(editedPath, await applyEdit(from, work, before))
    collectGarbageIfGrown()
    // qpdf drops unreferenced objects
    if (isSwept) await run(['--object-streams=generate'], to, editedPath)
  }
  return {
    pageCount,
    warnings,
    isActive,
    noteChange,
    name,
    qpdf,
    path,
    plain,
    beside,
    catalog: async () => ((await contentOf()).named ? (await qpdf.run([`--show-object=${root}`, name])).output : ''),
    async describe(keys) {
      await plain()
      return describeWith(qpdf, plainPath, keys)
    },
    async write(args, to) {
      await run(args, to)
      // has fewer chance matches for active content than the source, whose stream data may be ASCII
      if (mayBeActive(await readFile(to)) && (await isActive())) await save(to, to)
      await noteChange()
    },
    async edit(work, to, { args, before, sweep = false } = {}) {
      const source = beside('source.pdf')
      if (args !== undefined) await run(['--object-streams=disable', ...args], source)
      collectGarbageIfGrown()
      if (args === undefined) await plain()
      await save(args === undefined ? plainPath : source, to, work, sweep, before)
      await noteChange()
    },
  }
}

/**
 * A file that qpdf can open without a password: the given one, or a copy that was repaired or decrypted.
 * @throws InputError `encrypted`, `unreadable`
 */
async function openable(qpdf: Qpdf, given: string, beside: Beside) {
  let path = given
  let found = await examined(qpdf, path)
  if (found.trailer === undefined && !isLocked(found.outcome)) {
    path = await repairedCopy(given, beside)
    found = await examined(qpdf, path)
  }
  const { outcome, trailer } = found
  const warnings = path !== given || outcome.code === 3 ? [warning('repaired')] : []
  if (isLocked(outcome)) throw new InputError('encrypted', fieldText('encryptedPdf'))
  if (trailer === undefined) throw unreadable(outcome)
  if (!outcome.output.includes('not encrypted')) {
    const decrypted = beside('decrypted.pdf')
    // qpdf must not decode the streams yet, because their sizes can be checked only after decryption
    const written = await qpdf.run(['--decrypt', '--stream-data=preserve', qpdf.at(path), qpdf.at(decrypted)])
    if (written.code === 2) throw unreadable(written)
    await checkChainedStreams(await readFile(decrypted))
    path = decrypted
    warnings.push(warning('unlocked'))
  }
  return { path, outcome, trailer, warnings }
}

async function repairedCopy(path: string, beside: Beside): Promise<string> {
  const copy = beside('repaired.pdf')
  await writeFile(copy, await repaired(await readFile(path)))
  collectGarbageIfGrown()
  return copy
}

const isLocked = ({ errors }: QpdfOutcome): boolean => /invalid password/.test(errors)

/** qpdf's description of a file; without a trailer if the file cannot be read. */
async function examined(qpdf: Qpdf, path: string): Promise<{ outcome: QpdfOutcome; trailer?: Trailer }> {
  const outcome = await qpdf
    .run(['--show-npages', '--show-encryption', '--show-xref', '--show-object=trailer', qpdf.at(path)])
    .catch(async (error: unknown) => {
      if (error instanceof QpdfAborted && nestsTooDeep(await readFile(path)))
        throw new InputError('unreadable', fieldText('pdfListDepth', { most: MAX_DEPTH }), error)
      throw error
    })
  if (outcome.code === 2 || !(Number.parseInt(outcome.output, 10) >= 1)) return { outcome }
  const trailer = trailerIn(outcome.output)
  return trailer === undefined ? { outcome } : { outcome, trailer }
}

/** The nesting limit of qpdf 11 and later; this build would overflow its stack first. */
const MAX_DEPTH = 500

/** Whether lists and dictionaries nest too deep, judged by brackets in the bytes. */
function nestsTooDeep(bytes: Uint8Array): boolean {
  const [OPEN, CLOSE, LESS, GREATER] = [0x5b, 0x5d, 0x3c, 0x3e]
  let depth = 0
  for (const byte of bytes) {
    if (byte === OPEN || byte === LESS) depth++
    else if (byte === CLOSE || byte === GREATER) depth = Math.max(0, depth - 1)
    // a dictionary has two brackets
    if (depth > 2 * MAX_DEPTH) return true
  }
  return false
}

async function pageCountOf(qpdf: Qpdf, path: string): Promise<number> {
  return Number.parseInt((await qpdf.run(['--show-npages', qpdf.at(path)])).output, 10)
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

/** pdf-lib detects a wrong entry type only when the entry is used, in the middle of other work. */
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

async function describeWith(qpdf: Qpdf, path: string, keys: readonly string[]): Promise<Record<string, unknown>> {
  const args = keys.map((key) => `--json-key=${key}`)
  // written to a file, because this build writes no JSON to standard output after the first run
  const to = `${path}.json`
  await rm(to, { force: true })
  const outcome = await qpdf.run(['--json', ...args, qpdf.at(path), qpdf.at(to)])
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

/** The highest object number, and the catalog's object and generation number in the form of qpdf's arguments. */
type Trailer = { maxobjectid: number; root: string }

/** @param shown qpdf's output: the table of objects, one per line, and the trailer in PDF syntax */
function trailerIn(shown: string): Trailer | undefined {
  let [maxobjectid, tableEnd] = [0, 0]
  for (const line of shown.matchAll(/^(\d+)\/\d+: .*$/gm)) {
    maxobjectid = Math.max(maxobjectid, Number(line[1]))
    tableEnd = line.index + line[0].length
  }
  // entries are sorted by name, so text that looks like a second /Root, in strings or inner dictionaries, can only
  // precede the real one
  const roots = [...shown.slice(tableEnd).matchAll(/\/Root (\d+) (\d+) R/g)]
  const [, number, generation] = roots.at(-1) ?? []
  return number === undefined ? undefined : { maxobjectid, root: `${number},${generation}` }
}

function checkObjects(count: number): void {
  if (count > MAX_OBJECTS) throw new InputError('objects', fieldText('objectCount', { count, most: MAX_OBJECTS }))
}

export const unreadable = ({ errors }: QpdfOutcome): InputError =>
  new InputError('unreadable', DAMAGED, new Error(errors.slice(0, MAX_ERROR_LENGTH)))
