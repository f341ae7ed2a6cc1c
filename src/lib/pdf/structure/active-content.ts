/**
 * Detects and removes active content from untrusted PDFs: JavaScript (ISO 32000-1, 12.6.4.16), embedded files (7.11.4),
 * forms in XFA, which have scripts of their own, rich media, and every action that does more than show a place in the
 * file or the address of a page. Output files never contain any.
 */

import type { PDFDict, PDFDocument, PDFObject, PDFRef } from '@cantoo/pdf-lib'
import { type Warning, warning } from '../../../warnings/warning.ts'
import { objectListsIn } from './object-lists.ts'
import { unescaped } from './stream-sizes.ts'

/** Names found in every file with active content, as written by qpdf. */
const ACTIVE_NAMES = ['/JavaScript', '/EmbeddedFile', '/XFA', '/RichMedia', '/OnInstantiate', '/Movie']

/** Short names occur by chance in stream data, less often if the end of the name is matched too. */
const SHORT_NAMES = /\/(?:JS|EF)(?![^\s\0/<>()[\]{}%])/

/** Harmless actions: go to a place in the file, open a web page, and go to a page by name. */
const SAFE_ACTIONS = ['GoTo', 'URI']
const PAGE_NAMES = ['NextPage', 'PrevPage', 'FirstPage', 'LastPage']

/** Other usual values of `/S`: structure types (14.8.4), groups, page transitions, output intents. */
const OTHER_TYPES = new Set(
  `Document DocumentFragment Part Art Sect Div BlockQuote Caption TOC TOCI Index NonStruct Private Aside Title Sub FENote
  Lbl LBody Table THead TBody TFoot Span Quote Note Reference BibEntry Code Link Annot Ruby Warichu Figure Formula Form
  Strong Artifact Transparency Split Blinds Box Wipe Dissolve Glitter Fly Push Cover Uncover Fade Luminosity Alpha
  Textbox Footnote Endnote InlineShape Worksheet Slide Diagram Chart GTS_PDFX GTS_PDFA1`.split(/\s+/),
)

/** A type in `/S`, of an action or another object; also forms that hide the type from a search, such as a comment. */
const TYPE = /\/S(?:[\s\0]{0,8}\/([\w.:+-]{3,})|[\s\0]{1,8}\d+(?!\d|[\s\0]{0,8}[/>])|[\s\0]{0,8}%|[\s\0]{9})/g

/** Entries of a catalog that matter when its pages move to another file. */
const CATALOG_NAMES = [
  '/Outlines',
  '/Names',
  '/Dests',
  '/OCProperties',
  '/StructTreeRoot',
  '/OutputIntents',
  '/Threads',
  '/ViewerPreferences',
  '/Lang',
  '/URI',
  '/AcroForm',
]

const CHUNK_BYTES = 4 * 2 ** 20
/** Chunks overlap by the length of the longest match, so that no match is split. */
const OVERLAP_BYTES = 256

function anyChunk(bytes: Buffer, test: (text: string) => boolean): boolean {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
    if (test(unescaped(bytes.toString('latin1', at, at + CHUNK_BYTES + OVERLAP_BYTES)))) return true
  return false
}

/**
 * Whether a file may have active content. False positives are possible, because stream data may look like it by chance.
 */
export const mayBeActive = (file: Buffer): boolean => mayHave(file, mayAct)
/** Whether a file may have a digital signature. */
export const mayBeSigned = (file: Buffer): boolean =>
  mayHave(file, (part) => anyChunk(part, (text) => text.includes(SIGNED)))

function mayHave(file: Buffer, sign: (part: Buffer) => boolean): boolean {
  const lists = objectListsIn(file)
  return lists === undefined || [file, ...lists].some(sign)
}

/** ISO 32000-1, table 252. */
const SIGNED = '/ByteRange'

const mayAct = (bytes: Buffer): boolean =>
  anyChunk(
    bytes,
    (text) =>
      ACTIVE_NAMES.some((name) => text.includes(name)) ||
      SHORT_NAMES.test(text) ||
      text.matchAll(TYPE).some(([, type = '']) => !SAFE_ACTIONS.includes(type) && !OTHER_TYPES.has(type)),
  )

/**
 * Content found by the names in a file: each member is true if the file may have such content.
 * @property named whether the catalog may have an entry of `CATALOG_NAMES`
 * @property signed whether there may be a digital signature
 */
export type NamedContent = { active: boolean; named: boolean; signed: boolean }

/** @param plain returns the same file rewritten by qpdf without object streams; called only when needed */
export async function namedContent(bytes: Buffer, plain: () => Promise<Uint8Array>): Promise<NamedContent> {
  const lists = objectListsIn(bytes)
  const found = lists === undefined ? undefined : [bytes, ...lists]
  // stream data may look like a name by chance: 100 kB of ASCII85 do so in every second file
  const searched = found?.some(mayAct) === false ? found : [withoutStreams(await plain())]
  const has = (...names: string[]): boolean =>
    searched.some((part) => anyChunk(part, (text) => names.some((name) => text.includes(name))))
  return {
    active: searched !== found && searched.some(mayAct),
    named: has(...CATALOG_NAMES),
    signed: has(SIGNED),
  }
}

/**
 * The objects of a file that qpdf wrote without object streams, without the data of its streams. qpdf escapes line
 * breaks in strings and names, so that a line is "stream" only where data begin.
 */
function withoutStreams(file: Uint8Array): Buffer {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  const table = bytes.lastIndexOf('\nxref\n')
  const starts = bytes.toString('latin1', table).matchAll(/^(\d{10}) \d{5} n/gm)
  const offsets = [...starts].map(([, offset]) => Number(offset)).sort((one, other) => one - other)
  return Buffer.concat(
    offsets.map((start, i) => {
      const object = bytes.subarray(start, offsets[i + 1] ?? table)
      const end = object.indexOf('\nstream\n')
      return end < 0 ? object : object.subarray(0, end)
    }),
  )
}

/** Keys that hold actions; the additional actions in AA have one entry per event. */
const ACTION_KEYS = ['A', 'PA', 'OpenAction', 'Next']

/** Keys that hold the media or script of an annotation type or a 3D stream. */
const MEDIA: Readonly<Record<string, readonly string[]>> = {
  RichMedia: ['RichMediaContent', 'RichMediaSettings'],
  Movie: ['Movie'],
  U3D: ['OnInstantiate'],
  PRC: ['OnInstantiate'],
}

/** Maximum number of listed action types, which may be any text. */
const MAX_LISTED = 20

/** Removes active content from a document. @returns a warning for each kind that was removed */
export async function removeActive(document: PDFDocument): Promise<Warning[]> {
  const { PDFArray, PDFDict, PDFName, PDFRef, PDFStream } = await import('@cantoo/pdf-lib')
  const { context, catalog } = document
  const removed = { scripts: 0, files: 0, forms: 0, media: 0, actions: new Set<string>() }

  const drop = (dict: PDFDict, key: string): void => {
    const value = dict.get(PDFName.of(key))
    if (value instanceof PDFRef) context.delete(value)
    dict.delete(PDFName.of(key))
  }
  const resolved = (value: PDFObject | undefined): PDFObject | undefined =>
    value instanceof PDFRef ? context.lookup(value) : value
  const nameIn = (dict: PDFDict, key: string): string | undefined => {
    const value = resolved(dict.get(PDFName.of(key)))
    return value instanceof PDFName ? value.decodeText() : undefined
  }
  /** Whether an action must be removed; if so, it is counted. */
  function isUnsafe(value: PDFObject | undefined): boolean {
    const action = resolved(value)
    if (!(action instanceof PDFDict)) return false
    const type = nameIn(action, 'S')
    const isScript = action.has(PDFName.of('JS')) || type === 'JavaScript'
    if (!isScript && (!action.has(PDFName.of('S')) || SAFE_ACTIONS.includes(type ?? ''))) return false
    const name = type === 'Named' ? (nameIn(action, 'N') ?? '') : (type ?? '')
    if (type === 'Named' && PAGE_NAMES.includes(name)) return false
    if (isScript) removed.scripts++
    else removed.actions.add(/^\w{1,40}$/.test(name) ? name : 'unknown')
    return true
  }

  function cleanActions(dict: PDFDict, keys: readonly string[]): void {
    for (const key of keys) {
      const value = dict.get(PDFName.of(key))
      const action = resolved(value)
      if (isUnsafe(value)) {
        if (action instanceof PDFDict) drop(action, 'JS')
        drop(dict, key)
      } else if (action instanceof PDFArray) {
        for (let i = action.size() - 1; i >= 0; i--) if (isUnsafe(action.get(i))) action.remove(i)
      }
    }
  }

  function cleanDict(dict: PDFDict): void {
    cleanActions(dict, ACTION_KEYS)
    const events = resolved(dict.get(PDFName.of('AA')))
    if (events instanceof PDFDict) {
      cleanActions(
        events,
        events.keys().map((key) => key.decodeText()),
      )
      if (events.keys().length === 0) drop(dict, 'AA')
    }
    const streams = resolved(dict.get(PDFName.of('EF')))
    if (streams instanceof PDFDict) {
      removed.files++
      const streamRefs = new Set<PDFRef>(streams.values().filter((value) => value instanceof PDFRef))
      for (const ref of streamRefs) context.delete(ref)
      drop(dict, 'EF')
    }
    for (const key of MEDIA[nameIn(dict, 'Subtype') ?? ''] ?? [])
      if (dict.has(PDFName.of(key))) {
        removed.media++
        drop(dict, key)
      }
  }

  const form = resolved(catalog.get(PDFName.of('AcroForm')))
  if (form instanceof PDFDict && form.has(PDFName.of('XFA'))) {
    removed.forms++
    drop(form, 'XFA')
    drop(catalog, 'NeedsRendering')
  }

  const names = resolved(catalog.get(PDFName.of('Names')))
  if (names instanceof PDFDict) {
    if (names.has(PDFName.of('JavaScript'))) removed.scripts++
    drop(names, 'JavaScript')
    drop(names, 'EmbeddedFiles')
    drop(names, 'Renditions')
  }
  // direct objects can be nested; an explicit stack avoids recursion on hostile depths
  const pending: PDFObject[] = context.enumerateIndirectObjects().map(([, object]) => object)
  for (let object = pending.pop(); object !== undefined; object = pending.pop()) {
    const dict = object instanceof PDFStream ? object.dict : object
    if (dict instanceof PDFDict) {
      cleanDict(dict)
      for (const value of dict.values()) if (value instanceof PDFDict || value instanceof PDFArray) pending.push(value)
    } else if (dict instanceof PDFArray)
      for (const value of dict.asArray()) if (value instanceof PDFDict || value instanceof PDFArray) pending.push(value)
  }
  return [
    ...(removed.scripts > 0 ? [warning('scriptsRemoved')] : []),
    ...(removed.files > 0 ? [warning('embeddedFilesRemoved')] : []),
    ...(removed.forms > 0 ? [warning('xfaRemoved')] : []),
    ...(removed.media > 0 ? [warning('richMediaRemoved')] : []),
    ...(removed.actions.size > 0
      ? [warning('actionsRemoved', { actions: [...removed.actions].sort().slice(0, MAX_LISTED) })]
      : []),
  ]
}
