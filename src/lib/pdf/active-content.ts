/**
 * What a PDF of a stranger may do or carry besides showing pages: JavaScript (ISO 32000-1, 12.6.4.16) and embedded
 * files (7.11.4). It is taken out of what is written.
 */
import type { PDFDict, PDFDocument, PDFObject, PDFRef } from '@cantoo/pdf-lib'

/** Names that stand in every file that holds such a thing, written as qpdf writes them. */
const SIGNS = ['/JavaScript', '/JS', '/EF', '/EmbeddedFile']

/** Where names could hide from a plain search: in streams of objects, and written by their codes. */
const HIDING = /\/ObjStm|\/[A-Za-z]*#[0-9A-Fa-f]{2}/

const CHUNK_BYTES = 4 * 2 ** 20
/** Longest name that is looked for, so that none is cut in two. */
const OVERLAP_BYTES = 64

function mayHide(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
    if (HIDING.test(bytes.toString('latin1', at, at + CHUNK_BYTES + OVERLAP_BYTES))) return true
  return false
}

/** @param plain makes the same file as qpdf writes it, without streams of objects; asked for only where it is needed */
export async function mayBeActive(bytes: Buffer, plain: () => Promise<Uint8Array>): Promise<boolean> {
  const searched = mayHide(bytes) ? await plain() : bytes
  const buffer = Buffer.from(searched.buffer, searched.byteOffset, searched.byteLength)
  return SIGNS.some((sign) => buffer.includes(sign))
}

/** Where actions stand; additional actions hold one for each event. */
const ACTION_KEYS = ['A', 'PA', 'OpenAction', 'Next']

/** Takes JavaScript and embedded files out of a document. @returns what was, one sentence each */
export async function removeActive(document: PDFDocument): Promise<string[]> {
  const { PDFArray, PDFDict, PDFName, PDFRef, PDFStream } = await import('@cantoo/pdf-lib')
  const { context, catalog } = document
  const gone = { scripts: 0, files: 0 }

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
        gone.scripts++
        if (action instanceof PDFDict) drop(action, 'JS')
        drop(dict, key)
      } else if (action instanceof PDFArray) {
        for (let i = action.size() - 1; i >= 0; i--)
          if (isScript(action.get(i))) {
            gone.scripts++
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
      gone.files++
      const held = new Set<PDFRef>(streams.values().filter((value) => value instanceof PDFRef))
      for (const ref of held) context.delete(ref)
      drop(dict, 'EF')
    }
  }

  const names = resolved(catalog.get(PDFName.of('Names')))
  if (names instanceof PDFDict) {
    if (names.has(PDFName.of('JavaScript'))) gone.scripts++
    drop(names, 'JavaScript')
    drop(names, 'EmbeddedFiles')
  }
  // direct objects nest; a list of what is still to be looked at needs no stack
  const open: PDFObject[] = context.enumerateIndirectObjects().map(([, object]) => object)
  for (let object = open.pop(); object !== undefined; object = open.pop()) {
    const dict = object instanceof PDFStream ? object.dict : object
    if (dict instanceof PDFDict) {
      cleanDict(dict)
      for (const value of dict.values()) if (value instanceof PDFDict || value instanceof PDFArray) open.push(value)
    } else if (dict instanceof PDFArray)
      for (const value of dict.asArray()) if (value instanceof PDFDict || value instanceof PDFArray) open.push(value)
  }
  return [
    ...(gone.scripts > 0 ? ['JavaScript in the file was left out.'] : []),
    ...(gone.files > 0 ? ['Files embedded in the file were left out.'] : []),
  ]
}
