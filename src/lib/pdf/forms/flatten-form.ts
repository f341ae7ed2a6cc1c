/** Flattens a form: draws the appearance of each field onto its page and removes the fields. */
import type { PDFDict, PDFDocument, PDFObject, PDFPage, PDFRef } from '@cantoo/pdf-lib'
import { largest, smallest } from '../../../lists.ts'
import { contentIsolator } from '../structure/isolate-content.ts'

type Matrix = [number, number, number, number, number, number]

/** Annotation flags, ISO 32000-1, table 165. */
const HIDDEN = 1 << 1
const NO_VIEW = 1 << 5

export async function flattenForm(document: PDFDocument): Promise<void> {
  const { PDFArray, PDFDict, PDFName, PDFNumber, PDFRef, PDFStream } = await import('@cantoo/pdf-lib')
  const { context, catalog } = document
  const key = PDFName.of

  const numbers = (value: PDFObject | undefined): number[] =>
    value instanceof PDFArray
      ? value.asArray().map((one) => (context.lookup(one) as { asNumber?(): number }).asNumber?.() ?? 0)
      : []

  /** The current appearance stream of a widget. */
  function appearanceOf(widget: PDFDict): PDFRef | undefined {
    const appearances = widget.lookup(key('AP'))
    const normal = appearances instanceof PDFDict ? appearances.get(key('N')) : undefined
    if (context.lookup(normal) instanceof PDFStream) return normal instanceof PDFRef ? normal : undefined
    const states = context.lookup(normal)
    const state = widget.lookup(key('AS'))
    const appearance = states instanceof PDFDict && state instanceof PDFName ? states.get(state) : undefined
    return appearance instanceof PDFRef && context.lookup(appearance) instanceof PDFStream ? appearance : undefined
  }

  function drawOnto(page: PDFPage, widget: PDFDict, appearance: PDFRef): void {
    const { dict } = context.lookup(appearance) as InstanceType<typeof PDFStream>
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = numbers(widget.lookup(key('Rect')))
    const box = numbers(dict.lookup(key('BBox')))
    const matrix = numbers(dict.lookup(key('Matrix')))
    const placement = placementMatrix(box, matrix.length === 6 ? (matrix as Matrix) : [1, 0, 0, 1, 0, 0], [
      x1,
      y1,
      x2,
      y2,
    ])
    if (placement === undefined) return
    dict.set(key('Type'), key('XObject'))
    dict.set(key('Subtype'), key('Form'))
    const name = page.node.newXObject('Field', appearance)
    const content = `q ${placement.map((value) => value.toFixed(4)).join(' ')} cm ${name} Do Q`
    page.node.addContentStream(context.register(context.stream(content)))
  }

  const isolate = await contentIsolator(document)
  for (const page of document.getPages()) {
    const annotations = page.node.Annots()
    if (annotations === undefined) continue
    let isIsolated = false
    for (let i = annotations.size() - 1; i >= 0; i--) {
      const widget = context.lookup(annotations.get(i))
      if (!(widget instanceof PDFDict) || widget.lookup(key('Subtype')) !== key('Widget')) continue
      annotations.remove(i)
      const flags = widget.lookup(key('F'))
      const appearance = appearanceOf(widget)
      if (appearance === undefined || (flags instanceof PDFNumber && (flags.asNumber() & (HIDDEN | NO_VIEW)) !== 0))
        continue
      if (!isIsolated) await isolate(page)
      isIsolated = true
      drawOnto(page, widget, appearance)
    }
  }
  catalog.delete(key('AcroForm'))
}

/**
 * ISO 32000-1, 12.5.5, algorithm 8.1: the matrix that maps the transformed bounding box of an appearance to a
 * rectangle.
 */
function placementMatrix(
  box: readonly number[],
  [a, b, c, d, e, f]: Matrix,
  rectangle: readonly number[],
): Matrix | undefined {
  const [left = 0, bottom = 0, right = 0, top = 0] = box
  const corners = [
    [left, bottom],
    [right, bottom],
    [left, top],
    [right, top],
  ].map(([x = 0, y = 0]) => [a * x + c * y + e, b * x + d * y + f] as const)
  const xs = corners.map(([x]) => x)
  const ys = corners.map(([, y]) => y)
  const [minX, minY] = [smallest(xs), smallest(ys)]
  const [width, height] = [largest(xs) - minX, largest(ys) - minY]
  if (!(width > 0 && height > 0)) return undefined
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = rectangle
  const [sx, sy] = [Math.abs(x2 - x1) / width, Math.abs(y2 - y1) / height]
  return [sx, 0, 0, sy, Math.min(x1, x2) - sx * minX, Math.min(y1, y2) - sy * minY]
}
