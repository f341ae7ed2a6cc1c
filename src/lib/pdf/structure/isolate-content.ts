/**
 * Closes constructs that the content of a page leaves open, so that they do not affect later content: saved graphics
 * states (q), a text object, a path, marked content of a hidden layer, and at worst a string.
 */
import type { PDFDocument, PDFObject, PDFPage, PDFRef } from '@cantoo/pdf-lib'
import { operationsOf } from './content-stream.ts'
import { decodeLossless, filtersOf } from './filters.ts'

const MAX_CONTENT_BYTES = 64 * 2 ** 20
/** Readers limit how deep states nest (ISO 32000-1, annex C: 28). */
const MAX_STATES = 500
/** A unique operator appended as a marker; it is not found if the content ends inside a string or an array. */
const END = 'GroundwaveEnd'

const PATH = new Set(['m', 'l', 'c', 'v', 'y', 'h', 're'])
const PAINT = new Set(['S', 's', 'f', 'F', 'f*', 'B', 'B*', 'b', 'b*', 'n'])

/** Operators to put before and after a content. */
type Frame = { before: string; after: string }

/** @returns undefined when the content cannot be closed by operators */
function frameOf(content: Buffer): Frame | undefined {
  let [states, least, marked] = [0, 0, 0]
  let [inText, inPath, hasEnd] = [false, false, false]
  for (const { operator } of operationsOf(Buffer.concat([content, Buffer.from(`\n${END}\n`)]))) {
    if (operator === 'q') states++
    else if (operator === 'Q') least = Math.min(least, --states)
    else if (operator === 'BMC' || operator === 'BDC') marked++
    else if (operator === 'EMC') marked = Math.max(0, marked - 1)
    else if (operator === 'BT') inText = true
    else if (operator === 'ET') inText = false
    else if (PATH.has(operator)) inPath = true
    else if (PAINT.has(operator)) inPath = false
    hasEnd = operator === END
  }
  const saved = 1 - least
  if (!hasEnd || saved + states > MAX_STATES || marked > MAX_STATES) return undefined
  return {
    before: 'q '.repeat(saved),
    after: `${inText ? 'ET ' : ''}${inPath ? 'n ' : ''}${'EMC '.repeat(marked)}${'Q '.repeat(saved + states)}`,
  }
}

/** Isolates the contents of pages of a document. */
export async function contentIsolator(document: PDFDocument): Promise<(page: PDFPage) => Promise<void>> {
  const { PDFArray, PDFName, PDFRawStream, PDFRef, PDFStream } = await import('@cantoo/pdf-lib')
  const { context } = document

  /** Damaged streams count as empty, as in viewers. */
  async function decoded(stream: PDFObject | undefined): Promise<Buffer> {
    if (!(stream instanceof PDFStream)) return Buffer.alloc(0)
    if (!(stream instanceof PDFRawStream)) return Buffer.from(stream.getContents())
    const bytes = await decodeLossless(stream.getContents(), await filtersOf(stream.dict), MAX_CONTENT_BYTES)
    return Buffer.from(bytes ?? [])
  }
  const registered = (operators: string): PDFRef => context.register(context.stream(operators))

  return async ({ node }) => {
    const contents = context.lookup(node.get(PDFName.of('Contents')))
    const parts = contents instanceof PDFArray ? contents.asArray() : contents ? [node.get(PDFName.of('Contents'))] : []
    const streams = parts.filter((part) => part instanceof PDFRef)
    const content: Buffer[] = []
    for (const stream of streams) content.push(await decoded(context.lookup(stream)), Buffer.from('\n'))
    const all = Buffer.concat(content)
    const frame = frameOf(all)
    if (frame !== undefined) {
      // a new list, because pages may share one
      node.set(PDFName.of('Contents'), context.obj([registered(frame.before), ...streams, registered(frame.after)]))
      return
    }
    const entries = {
      Type: 'XObject',
      Subtype: 'Form',
      BBox: context.lookup(node.MediaBox()) ?? [],
      Resources: context.lookup(node.getInheritableAttribute(PDFName.of('Resources'))) ?? {},
    }
    const form = context.register(context.flateStream(all, entries))
    node.set(PDFName.of('Resources'), context.obj({ XObject: { Content: form } }))
    node.set(PDFName.of('Contents'), context.obj([registered('q /Content Do Q')]))
  }
}
