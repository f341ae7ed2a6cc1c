/**
 * Finds how pages use images and fonts: the resolution at which each image is drawn, and the codes shown in each font.
 */
import type { PDFDict, PDFDocument, PDFObject, PDFRef, PDFStream } from '@cantoo/pdf-lib'
import { type Matrix, times } from '../layout/page-geometry.ts'
import { type Operand, operationsOf } from './content-stream.ts'
import { unitsOf } from './page-units.ts'
import { streamDecoder } from './stream-decoder.ts'

export type Usage = {
  /** Resolution of each image at its largest use, in pixels per inch. */
  dpi: Map<PDFRef, number>
  /** Strings shown in each font. */
  shown: Map<PDFRef, Uint8Array[]>
}

type State = { matrix: Matrix; font: PDFRef | undefined }

const MAX_DEPTH = 12
/** Maximum number of scales and fonts for which one form is walked again. */
const MAX_VISITS = 20
const POINTS_PER_INCH = 72

const isMatrix = (values: readonly unknown[]): boolean =>
  values.length === 6 && values.every((value) => typeof value === 'number' && Number.isFinite(value))

export async function usageOf(document: PDFDocument): Promise<Usage> {
  const { PDFArray, PDFDict, PDFName, PDFNumber, PDFRawStream, PDFRef, PDFStream } = await import('@cantoo/pdf-lib')
  const decode = await streamDecoder()
  const { context } = document
  const units = await unitsOf(document)
  /** Initial state of a page's content, in points. */
  let start: State = { matrix: [1, 0, 0, 1, 0, 0], font: undefined }
  const usage: Usage = { dpi: new Map(), shown: new Map() }
  /** Scales at which each form was walked; the same scale gives the same result. */
  const visits = new Map<PDFStream, Set<string>>()

  const dictOf = (value: PDFObject | undefined): PDFDict | undefined => {
    const found = context.lookup(value)
    return found instanceof PDFDict ? found : undefined
  }
  const entry = (dict: PDFDict | undefined, kind: string, name: Operand): PDFObject | undefined =>
    typeof name === 'string' ? dictOf(dict?.get(PDFName.of(kind)))?.get(PDFName.of(name.slice(1))) : undefined
  const bytesOf = (stream: PDFObject | undefined): Uint8Array => {
    const found = context.lookup(stream)
    if (found instanceof PDFRawStream) return decode(found) ?? new Uint8Array()
    return found instanceof PDFStream ? found.getContents() : new Uint8Array()
  }
  const numbersOf = (value: PDFObject | undefined): number[] => {
    const found = context.lookup(value)
    const items = found instanceof PDFArray ? found.asArray().map((one) => context.lookup(one)) : []
    return items.map((one) => (one instanceof PDFNumber ? one.asNumber() : Number.NaN))
  }

  function drawImage(ref: PDFRef, image: PDFStream, matrix: Matrix): void {
    const [width, height] = ['Width', 'Height'].map((name) => {
      const value = image.dict.lookup(PDFName.of(name))
      return value instanceof PDFNumber ? value.asNumber() : 0
    }) as [number, number]
    const widthInches = Math.hypot(matrix[0], matrix[1]) / POINTS_PER_INCH
    const heightInches = Math.hypot(matrix[2], matrix[3]) / POINTS_PER_INCH
    const dpi = Math.min(
      widthInches > 0 ? width / widthInches : Number.POSITIVE_INFINITY,
      heightInches > 0 ? height / heightInches : Number.POSITIVE_INFINITY,
    )
    usage.dpi.set(ref, Math.min(usage.dpi.get(ref) ?? Number.POSITIVE_INFINITY, dpi))
  }
  /** @param font current font at the point of drawing, which a form inherits (ISO 32000-1, 8.10.1) */
  function draw(
    value: PDFObject | undefined,
    resources: PDFDict | undefined,
    { matrix, font }: State,
    depth: number,
  ): void {
    const object = context.lookup(value)
    if (!(object instanceof PDFStream) || !(value instanceof PDFRef) || depth > MAX_DEPTH) return
    const kind = object.dict.lookup(PDFName.of('Subtype'))
    if (kind === PDFName.of('Image')) {
      drawImage(value, object, matrix)
      return
    }
    const seen = visits.get(object) ?? new Set()
    const visit = [...matrix.slice(0, 4).map((value) => value.toPrecision(2)), font].join(' ')
    if (seen.has(visit) || seen.size >= MAX_VISITS) return
    visits.set(object, seen.add(visit))
    const formMatrix = numbersOf(object.dict.get(PDFName.of('Matrix')))
    const inner = isMatrix(formMatrix) ? times(matrix, formMatrix) : matrix
    walk(
      bytesOf(value),
      dictOf(object.dict.get(PDFName.of('Resources'))) ?? resources,
      { matrix: inner, font },
      depth + 1,
    )
  }
  function walk(bytes: Uint8Array, resources: PDFDict | undefined, initial: State, depth: number): void {
    let state = initial
    const saved: State[] = []
    const show = (text: Operand): void => {
      if (!(text instanceof Uint8Array) || state.font === undefined) return
      const list = usage.shown.get(state.font)
      if (list === undefined) usage.shown.set(state.font, [text])
      else list.push(text)
    }
    for (const { operator, operands } of operationsOf(bytes))
      switch (operator) {
        case 'q':
          saved.push(state)
          break
        case 'Q':
          state = saved.pop() ?? state
          break
        case 'cm':
          if (isMatrix(operands)) state = { ...state, matrix: times(state.matrix, operands as number[]) }
          break
        case 'Tf': {
          const font = entry(resources, 'Font', operands[0])
          state = { ...state, font: font instanceof PDFRef ? font : undefined }
          break
        }
        case 'gs': {
          const font = dictOf(entry(resources, 'ExtGState', operands[0]))?.lookup(PDFName.of('Font'))
          const ref = font instanceof PDFArray ? font.get(0) : undefined
          if (ref instanceof PDFRef) state = { ...state, font: ref }
          break
        }
        case 'Tj':
        case "'":
        case '"':
          show(operands.at(-1))
          break
        case 'TJ':
          for (const item of Array.isArray(operands[0]) ? operands[0] : []) show(item)
          break
        case 'Do':
          draw(entry(resources, 'XObject', operands[0]), resources, state, depth)
          break
        case 'scn':
        case 'SCN': {
          const pattern = entry(resources, 'Pattern', operands.at(-1))
          if (context.lookup(pattern) instanceof PDFStream) draw(pattern, resources, start, depth)
          break
        }
      }
  }
  function drawAnnotation(annotation: PDFDict): void {
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = numbersOf(annotation.get(PDFName.of('Rect')))
    for (const appearance of dictOf(annotation.get(PDFName.of('AP')))?.values() ?? []) {
      const found = context.lookup(appearance)
      for (const one of found instanceof PDFDict ? found.values() : [appearance]) {
        const stream = context.lookup(one)
        if (!(stream instanceof PDFStream)) continue
        const [left = 0, bottom = 0, right = 1, top = 1] = numbersOf(stream.dict.get(PDFName.of('BBox')))
        const scale = [Math.abs((x2 - x1) / (right - left || 1)), Math.abs((y2 - y1) / (top - bottom || 1))] as const
        draw(one, undefined, { ...start, matrix: times(start.matrix, [scale[0], 0, 0, scale[1], 0, 0]) }, 0)
      }
    }
  }

  for (const [i, page] of document.getPages().entries()) {
    const unit = units[i] as number
    start = { matrix: [unit, 0, 0, unit, 0, 0], font: undefined }
    const contents = page.node.Contents()
    const parts =
      contents instanceof PDFArray ? contents.asArray().map(bytesOf) : contents === undefined ? [] : [bytesOf(contents)]
    // an operation may span two streams, but a token may not
    walk(Buffer.concat(parts.flatMap((part) => [part, Buffer.from('\n')])), page.node.Resources(), start, 0)
    for (const one of page.node.Annots()?.asArray() ?? []) {
      const annotation = dictOf(one)
      if (annotation !== undefined) drawAnnotation(annotation)
    }
  }
  return usage
}
