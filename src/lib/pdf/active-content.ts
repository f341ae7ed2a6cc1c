/**
 * Detects and removes active content from untrusted PDFs: JavaScript (ISO 32000-1, 12.6.4.16) and embedded files
 * (7.11.4). Output files never contain either.
 */

import type { PDFDict, PDFDocument, PDFObject, PDFRef } from '@cantoo/pdf-lib'
import { objectListsIn } from './object-lists.ts'

/** Names that occur in every file with such content, as qpdf writes them. */
const ACTIVE_NAMES = ['/JavaScript', '/JS', '/EF', '/EmbeddedFile']

/** Names of a catalog with an outline or named destinations. */
const CATALOG_NAMES = ['/Outlines', '/Names', '/Dests']

/** Names with escaped characters, which hide from a plain search. */
const ESCAPED_NAME = /\/[A-Za-z]*#[0-9A-Fa-f]{2}/

const CHUNK_BYTES = 4 * 2 ** 20
/** Chunks overlap by the length of the longest match, so that none is split. */
const OVERLAP_BYTES = 64

function hasEscapedNames(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
    if (ESCAPED_NAME.test(bytes.toString('latin1', at, at + CHUNK_BYTES + OVERLAP_BYTES))) return true
  return false
}

/**
 * What the names in a file say about its content: each member is true if the file may have such content.
 * @property named whether the catalog may have an outline or named destinations
 */
export type NamedContent = { active: boolean; named: boolean }

/** @param plain returns the same file rewritten by qpdf without object streams; called only when needed */
export async function namedContent(bytes: Buffer, plain: () => Promise<Uint8Array>): Promise<NamedContent> {
  const lists = hasEscapedNames(bytes) ? undefined : objectListsIn(bytes)
  const searched = lists === undefined || lists.some(hasEscapedNames) ? [await plain()] : [bytes, ...lists]
  const occurs = (sign: string): boolean =>
    searched.some((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength).includes(sign))
  return { active: ACTIVE_NAMES.some(occurs), named: CATALOG_NAMES.some(occurs) }
}

/** Keys that hold actions; the additional actions in AA have one entry per event. */
const ACTION_KEYS = ['A', 'PA', 'OpenAction', 'Next']

/** Removes JavaScript and embedded files from a document. @returns one sentence for each kind that was removed */
export async function removeActive(document: PDFDocument): Promise<string[]> {
  const { PDFArray, PDFDict, PDFName, PDFRef, PDFStream } = await import('@cantoo/pdf-lib')
  const { context, catalog } = document
  const removed = { scripts: 0, files: 0 }

  const drop = (dict: PDFDict, key: string): void => {
    const value = dict.get(PDFName.of(key))
    if (value instanceof PDFRef) context.delete(value)
    dict.delete(PDFName.of(key))
  }
  const resolved = (value: PDFObject | undefined): PDFObject | undefined =>
    value instanceof PDFRef ? context.lookup(value) : value
  const isScript = (value: PDFObject | undefined): boolean => {
    const action = resolved(value)
    return action instanceof PDFDict && (action.has(PDFName.of('JS')) || action.get(PDFName.of('S')) === SCRIPT)
  }
  const SCRIPT = PDFName.of('JavaScript')

  function cleanActions(dict: PDFDict, keys: readonly string[]): void {
    for (const key of keys) {
      const value = dict.get(PDFName.of(key))
      const action = resolved(value)
      if (isScript(value)) {
        removed.scripts++
        if (action instanceof PDFDict) drop(action, 'JS')
        drop(dict, key)
      } else if (action instanceof PDFArray) {
        for (let i = action.size() - 1; i >= 0; i--)
          if (isScript(action.get(i))) {
            removed.scripts++
            action.remove(i)
          }
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
  }

  const names = resolved(catalog.get(PDFName.of('Names')))
  if (names instanceof PDFDict) {
    if (names.has(PDFName.of('JavaScript'))) removed.scripts++
    drop(names, 'JavaScript')
    drop(names, 'EmbeddedFiles')
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
    ...(removed.scripts > 0 ? ['JavaScript was removed from the file.'] : []),
    ...(removed.files > 0 ? ['Embedded files were removed from the file.'] : []),
  ]
}
