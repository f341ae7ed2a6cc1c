/** Draws a text or logo watermark on every page of a PDF, upright as displayed. */
import type { PDFDocument, PDFPage, PDFRef } from '@cantoo/pdf-lib'
import { largest } from '../../../lists.ts'
import type { OpenImage } from '../../image/image.ts'
import type { Position } from '../../image/watermark.ts'
import { ASCENT, DESCENT, LINE_HEIGHT, type Line, loadTypesetter, type Typesetter } from '../../text/typeset.ts'
import { embedImage } from '../images/image-stream.ts'
import { contentIsolator } from '../structure/isolate-content.ts'
import { unitsOf } from '../structure/page-units.ts'
import { displayBox, displayMatrix, rotationOf } from './stamp.ts'
import { createTextSetter, type TextSetter } from './text-setter.ts'

export type Mark = { text: string } | { logo: OpenImage }

type Size = { width: number; height: number }
/** Operators that draw into a box whose lower left corner is 0, 0. */
type Drawing = Size & { content: string }

/** Sizes as shares of the page's sides, of the shorter side where there is one number. */
const MARGIN = 0.04
const TEXT_SIZE = { corner: 0.04, center: 0.1 }
const TEXT_BOX = { corner: { width: 0.55, height: 0.4 }, center: { width: 0.8, height: 0.6 } }
const LOGO_BOX = { corner: 0.25, center: 0.5 }
const DIAGONAL_SHARE = 0.85
const MIN_TEXT_POINTS = 4
/** Limit for diagonal text, as a share of the shorter side, so that a short text does not fill the page. */
const MAX_DIAGONAL_TEXT = 0.25
const GREY = '0.25 g'

/** @param opacity 0 to 1 */
export async function watermark(
  document: PDFDocument,
  mark: Mark,
  position: Position,
  opacity: number,
  onProgress: (share: number) => void,
): Promise<void> {
  const { context } = document
  const state = context.register(context.obj({ Type: 'ExtGState', ca: opacity, CA: opacity }))
  const setter = await createTextSetter(document)
  const typesetter = await loadTypesetter('semibold')
  const logo = 'logo' in mark ? await embedImage(document, mark.logo) : undefined
  const forms = new Map<string, PDFRef>()
  const pages = document.getPages()
  const isolate = await contentIsolator(document)
  const units = await unitsOf(document)
  for (const [i, page] of pages.entries()) {
    const box = displayBox(page)
    const displaySize = rotationOf(page) % 180 === 0 ? box : { width: box.height, height: box.width }
    const unit = units[i] as number
    const key = [unit, ...[displaySize.width, displaySize.height].map((side) => Math.round(side * unit))].join(' ')
    let form = forms.get(key)
    if (form === undefined) {
      const drawing =
        'logo' in mark
          ? logoDrawing(mark.logo, position, displaySize)
          : textDrawing(mark.text, position, displaySize, MIN_TEXT_POINTS / unit, setter, typesetter)
      const resources = {
        ...(logo === undefined ? { Font: setter.fonts } : { XObject: { Logo: logo } }),
      }
      const dict = {
        Type: 'XObject',
        Subtype: 'Form',
        BBox: [0, 0, displaySize.width, displaySize.height],
        Resources: resources,
      }
      // a transparency group, so that overlapping glyphs do not become darker
      const group = { Group: { S: 'Transparency', Type: 'Group' } }
      const content = positioned(drawing, position, displaySize)
      form = context.register(context.flateStream(content, { ...dict, ...group }))
      forms.set(key, form)
    }
    await isolate(page)
    drawOnPage(document, page, form, state, displayMatrix(box, rotationOf(page)))
    onProgress((i + 1) / (pages.length + 1))
  }
  await setter.embed()
}

/** Marked as an artifact (ISO 32000-1, 14.8.2.2), which text extraction skips. */
function drawOnPage(
  document: PDFDocument,
  page: PDFPage,
  form: PDFRef,
  state: PDFRef,
  matrix: readonly number[],
): void {
  const { context } = document
  const name = page.node.newXObject('Watermark', form)
  const stateName = page.node.newExtGState('Faint', state)
  const matrixText = matrix.map((value) => value.toFixed(4)).join(' ')
  const content = `/Artifact << /Type /Pagination /Subtype /Watermark >> BDC q ${stateName} gs ${matrixText} cm ${name} Do Q EMC`
  page.node.addContentStream(context.register(context.stream(content)))
}

const diagonalAngle = ({ width, height }: Size): number => Math.atan2(height, width)

/** The largest scale at which a mark along the diagonal stays on the page. */
function diagonalScale(mark: Size, page: Size): number {
  const angle = diagonalAngle(page)
  const rotatedWidth = mark.width * Math.cos(angle) + mark.height * Math.sin(angle)
  const rotatedHeight = mark.width * Math.sin(angle) + mark.height * Math.cos(angle)
  return DIAGONAL_SHARE * Math.min(page.width / rotatedWidth, page.height / rotatedHeight)
}

function textDrawing(
  text: string,
  position: Position,
  page: Size,
  minSize: number,
  setter: TextSetter,
  typesetter: Typesetter,
): Drawing {
  const short = Math.min(page.width, page.height)
  const measured = typesetter.measure(text)
  const setLines = (maxWidth: number): Line[] =>
    typesetter.breakLines(measured, maxWidth).map((line) => typesetter.setLine(line.text, line.direction))
  if (position === 'diagonal') {
    const lines = setLines(Number.POSITIVE_INFINITY)
    const size = Math.min(diagonalScale(extent(lines), page), MAX_DIAGONAL_TEXT * short)
    return drawLines(lines, size, 'center', setter)
  }
  const anchor = position === 'center' ? 'center' : 'corner'
  const box = { width: TEXT_BOX[anchor].width * page.width, height: TEXT_BOX[anchor].height * page.height }
  let size = Math.max(minSize, TEXT_SIZE[anchor] * short)
  let lines = setLines(box.width / size)
  while (extent(lines).height * size > box.height && size > minSize) {
    size = Math.max(minSize, size * 0.9)
    lines = setLines(box.width / size)
  }
  return drawLines(
    lines,
    size,
    position.endsWith('right') ? 'right' : position === 'center' ? 'center' : 'left',
    setter,
  )
}

/** Size of the text block as shares of the font size. */
const extent = (lines: readonly Line[]): Size => ({
  width: largest(lines.map(({ width }) => width)),
  height: (lines.length - 1) * LINE_HEIGHT + ASCENT + DESCENT,
})

function drawLines(
  lines: readonly Line[],
  size: number,
  align: 'left' | 'center' | 'right',
  setter: TextSetter,
): Drawing {
  const { width, height } = extent(lines)
  const share = { left: 0, center: 0.5, right: 1 }[align]
  const shown = lines.map((line, i) => {
    const y = (height - ASCENT - i * LINE_HEIGHT) * size
    return setter.show(line, size, share * (width - line.width) * size, y)
  })
  return { width: width * size, height: height * size, content: `${GREY}\n${shown.join('')}` }
}

function logoDrawing(logo: OpenImage, position: Position, page: Size): Drawing {
  const share = position === 'diagonal' || position === 'center' ? LOGO_BOX.center : LOGO_BOX.corner
  const scale = Math.min((share * page.width) / logo.width, (share * page.height) / logo.height)
  const [width, height] = [logo.width * scale, logo.height * scale]
  return { width, height, content: `q ${width.toFixed(3)} 0 0 ${height.toFixed(3)} 0 0 cm /Logo Do Q` }
}

function positioned({ width, height, content }: Drawing, position: Position, page: Size): string {
  const matrix = (values: readonly number[]): string =>
    `q ${values.map((value) => value.toFixed(5)).join(' ')} cm\n${content}\nQ`
  if (position === 'diagonal') {
    const angle = diagonalAngle(page)
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
    const [x, y] = [page.width / 2, page.height / 2]
    return matrix([cos, sin, -sin, cos, x - (width * cos - height * sin) / 2, y - (width * sin + height * cos) / 2])
  }
  const margin = MARGIN * Math.min(page.width, page.height)
  const x = position.endsWith('left')
    ? margin
    : position.endsWith('right')
      ? page.width - margin - width
      : (page.width - width) / 2
  const y = position.startsWith('bottom')
    ? margin
    : position.startsWith('top')
      ? page.height - margin - height
      : (page.height - height) / 2
  return matrix([1, 0, 0, 1, x, y])
}
