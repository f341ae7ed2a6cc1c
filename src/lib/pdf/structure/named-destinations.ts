/**
 * Replaces named destinations (ISO 32000-1, 12.3.2.3) by explicit ones, so that links work without the table of names.
 */
import type { PDFArray, PDFDict, PDFDocument, PDFObject } from '@cantoo/pdf-lib'

/** A deeper name tree is treated as a loop. */
const MAX_DEPTH = 50

/** Replaces the destinations of the links on all pages. */
export async function makeDestinationsExplicit(document: PDFDocument): Promise<void> {
  const { PDFArray, PDFDict, PDFHexString, PDFName, PDFString } = await import('@cantoo/pdf-lib')
  const { context, catalog } = document
  const destinations = new Map<string, PDFArray>()

  const nameOf = (value: PDFObject | undefined): string | undefined => {
    if (value instanceof PDFName) return value.decodeText()
    if (value instanceof PDFString || value instanceof PDFHexString)
      return Buffer.from(value.asBytes()).toString('latin1')
    return undefined
  }
  const destinationOf = (value: PDFObject | undefined): PDFArray | undefined => {
    const found = context.lookup(value)
    if (found instanceof PDFArray) return found
    const inner = found instanceof PDFDict ? context.lookup(found.get(PDFName.of('D'))) : undefined
    return inner instanceof PDFArray ? inner : undefined
  }
  const dictAt = (dict: PDFDict | undefined, key: string): PDFDict | undefined => {
    const value = context.lookup(dict?.get(PDFName.of(key)))
    return value instanceof PDFDict ? value : undefined
  }
  const addDestination = (name: string | undefined, value: PDFObject | undefined): void => {
    const destination = destinationOf(value)
    if (name !== undefined && destination !== undefined && !destinations.has(name)) destinations.set(name, destination)
  }
  function readNameTree(node: PDFDict, depth: number): void {
    const names = context.lookup(node.get(PDFName.of('Names')))
    if (names instanceof PDFArray)
      for (let i = 0; i + 1 < names.size(); i += 2)
        addDestination(nameOf(context.lookup(names.get(i))), names.get(i + 1))
    const kids = context.lookup(node.get(PDFName.of('Kids')))
    if (depth < MAX_DEPTH && kids instanceof PDFArray)
      for (const kid of kids.asArray()) {
        const child = context.lookup(kid)
        if (child instanceof PDFDict) readNameTree(child, depth + 1)
      }
  }

  for (const [key, value] of dictAt(catalog, 'Dests')?.entries() ?? []) addDestination(key.decodeText(), value)
  const tree = dictAt(dictAt(catalog, 'Names'), 'Dests')
  if (tree !== undefined) readNameTree(tree, 0)
  if (destinations.size === 0) return

  const replace = (dict: PDFDict | undefined, key: string): void => {
    const name = nameOf(context.lookup(dict?.get(PDFName.of(key))))
    const destination = name === undefined ? undefined : destinations.get(name)
    if (destination !== undefined) dict?.set(PDFName.of(key), destination.clone(context))
  }
  for (const page of document.getPages())
    for (const entry of page.node.Annots()?.asArray() ?? []) {
      const annotation = context.lookup(entry)
      if (!(annotation instanceof PDFDict)) continue
      replace(annotation, 'Dest')
      const action = dictAt(annotation, 'A')
      if (action?.get(PDFName.of('S')) === PDFName.of('GoTo')) replace(action, 'D')
    }
}
