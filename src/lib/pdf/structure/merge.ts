/**
 * Merges PDFs with qpdf. It combines pages, links, forms and page labels, but keeps only the catalog of the first file.
 * Outlines, named destinations and layers of the other files are added here; other losses are reported as warnings.
 */
import { readFile, rm, writeFile } from 'node:fs/promises'
import type { PDFDict, PDFDocument, PDFRef } from '@cantoo/pdf-lib'
import { append } from '../../../lists.ts'
import { inField, type Warning, warning } from '../../../warnings/warning.ts'
import { collectGarbageIfGrown } from '../../gc-pressure.ts'
import { drawAppearances } from '../forms/fill-form.ts'
import { removeActive } from './active-content.ts'
import { addLayers, carryLayers } from './layers.ts'
import { makeDestinationsExplicit } from './named-destinations.ts'
import { loadPdf, type OpenPdf, unreadable } from './open-pdf.ts'
import type { QpdfOutcome } from './qpdf.ts'

/** An item of qpdf's JSON; the first member of the destination is a page, whose number is also given. */
type OutlineItem = {
  title: string
  dest: (number | string | null)[] | null
  destpageposfrom1: number | null
  open: boolean
  kids: OutlineItem[]
}

/** Catalog entries that a merged file can have only once. */
const LOST = {
  StructTreeRoot: 'tagsNotKept',
  OutputIntents: 'outputIntentsNotKept',
  Threads: 'threadsNotKept',
} as const
/** The same, except when the files agree. */
const LOST_IF_OTHER = {
  ViewerPreferences: 'viewerSettingsNotKept',
  Lang: 'languageNotKept',
  URI: 'baseAddressNotKept',
} as const

/**
 * Writes the pages of all files in order.
 * @returns a warning for each kind of content that was removed or lost
 * @throws InputError `unreadable`
 */
export async function mergePdfs(files: readonly OpenPdf[], to: string): Promise<Warning[]> {
  const [first] = files
  if (first === undefined) return []
  const { qpdf } = first
  const selected: string[] = []
  const additions: { items: OutlineItem[]; firstPage: number }[] = []
  const removed: Warning[] = []
  const layered: number[] = []
  let hasForms = false
  let firstPage = 0
  for (const [i, open] of files.entries()) {
    let { name } = open
    const isActive = await open.isActive()
    const own = await catalogOf(open)
    // qpdf keeps the outline and destinations of the first file
    const has = (entry: string): boolean => i > 0 && own.has(entry)
    const isNamed = has('Names') || has('Dests')
    const [isLayered, isTagged] = [has('OCProperties'), has('StructTreeRoot')]
    hasForms ||= has('AcroForm')
    // one file's NeedAppearances would apply to all: viewers would redraw the fields of the other files, or draw none
    const isUndrawn = own.has('AcroForm') && (await needsAppearances(open))
    for (const [entry, code] of Object.entries({ ...LOST, ...LOST_IF_OTHER }))
      if (has(entry) && (entry in LOST || own.get(entry) !== (await catalogOf(first)).get(entry)))
        removed.push(inField(`files.${i}`, warning(code)))
    await open.noteChange()
    if (isActive || isNamed || isLayered || isTagged || isUndrawn) {
      const document = await loadPdf(await open.plain())
      if (isActive) append(removed, await removeActive(document))
      if (isNamed) await makeDestinationsExplicit(document)
      if (isLayered) {
        await carryLayers(document)
        layered.push(firstPage)
      }
      if (isTagged) await removeTagNumbers(document)
      if (isUndrawn) append(removed, await drawAppearances(document))
      name = qpdf.at(await writePrepared(open, await document.save({ updateFieldAppearances: false })))
    }
    selected.push(name, '1-z')
    if (has('Outlines')) {
      const { outlines } = (await open.describe(['outlines'])) as { outlines: OutlineItem[] }
      if (outlines.length > 0) additions.push({ items: outlines, firstPage })
    }
    firstPage += open.pageCount
  }
  // qpdf renames fonts in the appearances of fields, but only in decoded streams
  const decoding = hasForms ? '--decode-level=specialized' : '--stream-data=preserve'
  const merge = (): Promise<QpdfOutcome> =>
    qpdf.run([String(selected[0]), decoding, '--pages', ...selected, '--', qpdf.at(to)])
  let merged = await merge()
  if (merged.code === 2) {
    // damage after the cross-reference table is detected only when the whole file is written
    for (const [i, open] of files.entries())
      if (selected[2 * i] === open.name) selected[2 * i] = qpdf.at(await writePrepared(open, await open.plain()))
    // qpdf's file system sets the timestamps of a file that it overwrites, which worker processes are not allowed to do
    await rm(to, { force: true })
    merged = await merge()
  }
  if (merged.code === 2) throw unreadable(merged)
  collectGarbageIfGrown()
  if (additions.length > 0 || layered.length > 0) {
    const document = await loadPdf(await readFile(to))
    for (const page of layered) await addLayers(document, page)
    for (const { items, firstPage } of additions) await addOutline(document, items, firstPage)
    await writeFile(to, await document.save({ updateFieldAppearances: false }))
  }
  return removed
}

/** Entries of a catalog, in PDF syntax. */
async function catalogOf(open: OpenPdf): Promise<Map<string, string>> {
  const text = await open.catalog()
  if (text === '') return new Map()
  const { PDFContext, PDFDict, PDFObjectParser } = await import('@cantoo/pdf-lib')
  const catalog = PDFObjectParser.forBytes(Buffer.from(text), PDFContext.create()).parseObject()
  const entries = catalog instanceof PDFDict ? catalog.entries() : []
  return new Map(entries.map(([name, value]) => [name.decodeText(), value.toString()]))
}

async function needsAppearances(open: OpenPdf): Promise<boolean> {
  const { acroform } = (await open.describe(['acroform'])) as { acroform: { needappearances: boolean } }
  return acroform.needappearances
}

/**
 * Tag numbers refer to tags of their own file; in the merged file they would refer to tags of the first file (ISO
 * 32000-1, 14.7.4.4).
 */
async function removeTagNumbers({ context }: PDFDocument): Promise<void> {
  const { PDFDict, PDFName, PDFStream } = await import('@cantoo/pdf-lib')
  for (const [, object] of context.enumerateIndirectObjects()) {
    const dict = object instanceof PDFStream ? object.dict : object
    if (!(dict instanceof PDFDict)) continue
    for (const name of ['StructParents', 'StructParent']) dict.delete(PDFName.of(name))
  }
}

/** Writes the prepared version of a file, which is merged in its place. @returns its path */
async function writePrepared({ beside }: OpenPdf, bytes: Uint8Array): Promise<string> {
  const prepared = beside('prepared.pdf')
  await writeFile(prepared, bytes)
  return prepared
}

/** Appends items to the outline. */
async function addOutline(document: PDFDocument, items: readonly OutlineItem[], firstPage: number): Promise<void> {
  const { PDFDict, PDFHexString, PDFName, PDFNumber } = await import('@cantoo/pdf-lib')
  const { context, catalog } = document
  const pages = document.getPages().map((page) => page.ref)
  const key = PDFName.of

  function destination({ dest, destpageposfrom1 }: OutlineItem) {
    const page = destpageposfrom1 === null ? undefined : pages[firstPage + destpageposfrom1 - 1]
    if (page === undefined || dest === null) return undefined
    const [, kind, ...numbers] = dest
    const fitDestination = typeof kind === 'string' ? key(kind.slice(1)) : key('Fit')
    return context.obj([page, fitDestination, ...numbers.map((value) => (typeof value === 'number' ? value : null))])
  }
  /** @returns the first and last sibling, and the number of visible items */
  function chain(siblings: readonly OutlineItem[], parent: PDFRef, before: PDFRef | undefined) {
    const refs = siblings.map(() => context.nextRef())
    let visible = 0
    for (const [i, item] of siblings.entries()) {
      const dict = context.obj({ Title: PDFHexString.fromText(item.title), Parent: parent }) as PDFDict
      const dest = destination(item)
      if (dest !== undefined) dict.set(key('Dest'), dest)
      const [previous, next] = [refs[i - 1] ?? before, refs[i + 1]]
      if (previous !== undefined) dict.set(key('Prev'), previous)
      if (next !== undefined) dict.set(key('Next'), next)
      visible++
      const ref = refs[i] as PDFRef
      if (item.kids.length > 0) {
        const children = chain(item.kids, ref, undefined)
        dict.set(key('First'), children.first)
        dict.set(key('Last'), children.last)
        dict.set(key('Count'), PDFNumber.of(item.open ? children.visible : -children.visible))
        if (item.open) visible += children.visible
      }
      context.assign(ref, dict)
    }
    return { first: refs[0] as PDFRef, last: refs.at(-1) as PDFRef, visible }
  }

  const outlines = context.lookup(catalog.get(key('Outlines')))
  const root = outlines instanceof PDFDict ? outlines : (context.obj({ Type: 'Outlines' }) as PDFDict)
  const entry = catalog.get(key('Outlines'))
  const rootRef = outlines instanceof PDFDict && entry !== outlines ? (entry as PDFRef) : context.register(root)
  catalog.set(key('Outlines'), rootRef)
  const last = root.get(key('Last')) as PDFRef | undefined
  const added = chain(items, rootRef, last)
  const lastItem = context.lookup(last)
  if (lastItem instanceof PDFDict) lastItem.set(key('Next'), added.first)
  else root.set(key('First'), added.first)
  root.set(key('Last'), added.last)
  const count = root.get(key('Count'))
  root.set(key('Count'), PDFNumber.of((count instanceof PDFNumber ? Math.max(0, count.asNumber()) : 0) + added.visible))
}
