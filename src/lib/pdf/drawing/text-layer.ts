/** Adds the recognised text of scanned pages as invisible text behind their words, to search, select and copy. */
import type { PDFDocument } from '@cantoo/pdf-lib'
import type { Line } from '../../ocr/recognise.ts'
import { directionOf, loadTypesetter, type Typesetter } from '../../text/typeset.ts'
import { contentIsolator } from '../structure/isolate-content.ts'
import { displayBox, displayMatrix, type Matrix, rotationOf } from './stamp.ts'
import { createTextSetter, type TextSetter } from './text-setter.ts'

/** Text of a page, with boxes in pixels of an image that was turned upright. */
export type TextLayer = {
  lines: readonly Line[]
  /** Size of the image of the displayed page. */
  drawn: { width: number; height: number }
  /** Clockwise turn of that image, in degrees, and its size afterwards. */
  turn: number
  upright: { width: number; height: number }
}

/** ISO 32000-1, 9.3.6: neither filled nor stroked. */
const INVISIBLE = '3 Tr'
/**
 * Font size and baseline as shares of a line's height, from the top of its ascenders to the bottom of its descenders.
 */
const FONT_SIZE = 0.8
const BASELINE = 0.25
/** Maximum ratio between the heights of lines set in one size. */
const SAME_SIZE = 1.4
const QUARTER = 90

/** @param layers one for each page; pages without one stay unchanged */
export async function addTextLayers(
  document: PDFDocument,
  layers: readonly (TextLayer | undefined)[],
  onProgress: (share: number) => void,
): Promise<void> {
  const [setter, typesetter] = [await createTextSetter(document), await loadTypesetter('regular')]
  const isolate = await contentIsolator(document)
  const { context } = document
  for (const [i, page] of document.getPages().entries()) {
    const layer = layers[i]
    onProgress((i + 1) / (layers.length + 1))
    if (layer === undefined || layer.lines.length === 0) continue
    const [box, rotation] = [displayBox(page), rotationOf(page)]
    const sideways = rotation % 180 !== 0
    const size = sideways ? { width: box.height, height: box.width } : box
    const sizes = fontSizes(layer.lines)
    const words = layer.lines.map((line, at) => setWords(line, sizes[at] ?? 1, layer, setter, typesetter)).join('')
    // a form has its own resources, so that its fonts cannot collide with the page's
    const form = context.register(
      context.flateStream(`${INVISIBLE}\n${words}`, {
        Type: 'XObject',
        Subtype: 'Form',
        BBox: [0, 0, layer.upright.width, layer.upright.height],
        Resources: { Font: setter.fonts },
      }),
    )
    await isolate(page)
    const name = page.node.newXObject('Text', form)
    const matrix = multiplied(uprightMatrix(layer, size), displayMatrix(box, rotation))
    const content = `q ${matrix.map((value) => value.toFixed(6)).join(' ')} cm ${name} Do Q`
    page.node.addContentStream(context.register(context.stream(content)))
  }
  await setter.embed()
}

/**
 * The height of a line depends on its letters. Similar lines get the same size, because readers treat a change of size
 * as a new paragraph.
 */
function fontSizes(lines: readonly Line[]): number[] {
  const heights = lines.map(({ height }) => height)
  const usual = heights.toSorted((a, b) => a - b)[heights.length >> 1] ?? 1
  const isUsual = (height: number): boolean => height > usual / SAME_SIZE && height < usual * SAME_SIZE
  return heights.map((height) => Math.max(1, FONT_SIZE * (isUsual(height) ? usual : height)))
}

/**
 * Words are stretched to the width of their boxes. Words of a line share a baseline, so that readers join them. On
 * skewed pages each word is level, because readers split words with rising letters.
 */
function setWords(
  line: Line,
  size: number,
  { upright, turn }: TextLayer,
  setter: TextSetter,
  typesetter: Typesetter,
): string {
  const skew = ((turn - Math.round(turn / QUARTER) * QUARTER) * Math.PI) / 180
  const level = [Math.cos(skew), -Math.sin(skew), Math.sin(skew), Math.cos(skew)].map((value) => value.toFixed(6))
  const direction = directionOf(line.words.map(({ text }) => text).join(' '))
  const baseline = upright.height - line.top - line.height * (1 - BASELINE)
  let content = ''
  for (const { text, left, width } of line.words) {
    const set = typesetter.setLetters(text, direction)
    if (set.width <= 0) continue
    const stretch = (100 * width) / (set.width * size)
    content += `${stretch.toFixed(3)} Tz\n`
    content +=
      skew === 0
        ? setter.show(set, size, left, baseline)
        : `q ${level.join(' ')} ${left} ${baseline.toFixed(2)} cm\n${setter.show(set, size, 0, 0)}Q\n`
  }
  return content
}

/** The matrix from pixels of the upright image, counted from its lower left corner, to points of the displayed page. */
function uprightMatrix({ drawn, turn, upright }: TextLayer, size: { width: number; height: number }): Matrix {
  const [cos, sin] = [Math.cos((turn * Math.PI) / 180), Math.sin((turn * Math.PI) / 180)]
  const [x, y] = [upright.width / 2, upright.height / 2]
  // both images have the same centre
  const turnedBack: Matrix = [
    cos,
    sin,
    -sin,
    cos,
    drawn.width / 2 - x * cos + y * sin,
    drawn.height / 2 - x * sin - y * cos,
  ]
  return multiplied(turnedBack, [size.width / drawn.width, 0, 0, size.height / drawn.height, 0, 0])
}

/** The matrix that applies `first`, then `second`. */
function multiplied([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix {
  return [a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + l]
}
