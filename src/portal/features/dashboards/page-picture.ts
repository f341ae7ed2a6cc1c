/**
 * Paints a part of the page onto a canvas as CSS has laid it out: backgrounds, borders, canvases, shapes and lines of
 * text, in either direction. What is scrolled out of view is cut, as on the screen.
 */

export type PagePicture = {
  context: CanvasRenderingContext2D
  /** Content of canvases that cannot be read directly. */
  copies: ReadonlyMap<HTMLCanvasElement, HTMLCanvasElement>
  /** Elements that are left out, such as buttons. */
  without: string
}

const SIDES = ['Top', 'Right', 'Bottom', 'Left'] as const
/** Lines of one text are further apart. */
const SAME_LINE_PX = 3

/** The context must be translated so that the page's viewport starts at its origin. */
export function paint(picture: PagePicture, element: Element, room?: DOMRect): void {
  const { context } = picture
  const style = getComputedStyle(element)
  const box = element.getBoundingClientRect()
  if (style.visibility === 'hidden' || style.opacity === '0' || element.matches(picture.without)) return
  context.save()
  paintBox(context, style, box)
  if (element instanceof HTMLCanvasElement) {
    const source = picture.copies.get(element) ?? element
    if (source.width > 0 && source.height > 0) context.drawImage(source, box.x, box.y, box.width, box.height)
  } else if (element instanceof SVGSVGElement) paintShapes(context, element, box)
  else {
    const isCut = style.overflowX !== 'visible' || style.overflowY !== 'visible'
    if (isCut) {
      context.beginPath()
      context.rect(box.x, box.y, box.width, box.height)
      context.clip()
    }
    const inner = isCut && style.textOverflow === 'ellipsis' ? box : room
    for (const child of element.childNodes)
      if (child instanceof Element) paint(picture, child, inner)
      else if (child instanceof Text) paintText(context, child, style, inner)
  }
  context.restore()
}

function paintBox(context: CanvasRenderingContext2D, style: CSSStyleDeclaration, box: DOMRect): void {
  const radius = Number.parseFloat(style.borderTopLeftRadius) || 0
  context.beginPath()
  context.roundRect(box.x, box.y, box.width, box.height, radius)
  context.fillStyle = style.backgroundColor
  context.fill()
  const widths = SIDES.map((side) =>
    style[`border${side}Style`] === 'none' ? 0 : Number.parseFloat(style[`border${side}Width`]),
  ) as [number, number, number, number]
  const [top, right, bottom, left] = widths
  if (radius > 0 && Math.min(...widths) > 0) {
    context.strokeStyle = style.borderTopColor
    context.lineWidth = top
    context.stroke()
    return
  }
  const edge = (colour: string, x: number, y: number, width: number, height: number): void => {
    context.fillStyle = colour
    context.fillRect(x, y, width, height)
  }
  edge(style.borderTopColor, box.x, box.y, box.width, top)
  edge(style.borderBottomColor, box.x, box.bottom - bottom, box.width, bottom)
  edge(style.borderLeftColor, box.x, box.y, left, box.height)
  edge(style.borderRightColor, box.right - right, box.y, right, box.height)
}

const numberIn = (element: Element, name: string): number => Number(element.getAttribute(name) ?? 0)

/** Circles, lines and paths, which are all that the states and the legends are made of. */
function paintShapes(context: CanvasRenderingContext2D, svg: SVGSVGElement, box: DOMRect): void {
  const { width, height, x, y } = svg.viewBox.baseVal
  if (width === 0 || height === 0) return
  const scale = Math.min(box.width / width, box.height / height)
  context.translate(box.x + (box.width - width * scale) / 2, box.y + (box.height - height * scale) / 2)
  context.scale(scale, scale)
  context.translate(-x, -y)
  for (const shape of svg.querySelectorAll('circle, line, path')) {
    const style = getComputedStyle(shape)
    const path = new Path2D(shape.getAttribute('d') ?? undefined)
    if (shape.tagName === 'circle')
      path.arc(numberIn(shape, 'cx'), numberIn(shape, 'cy'), numberIn(shape, 'r'), 0, 2 * Math.PI)
    if (shape.tagName === 'line') {
      path.moveTo(numberIn(shape, 'x1'), numberIn(shape, 'y1'))
      path.lineTo(numberIn(shape, 'x2'), numberIn(shape, 'y2'))
    }
    if (style.fill !== 'none') {
      context.fillStyle = style.fill
      context.fill(path)
    }
    if (style.stroke !== 'none') {
      context.strokeStyle = style.stroke
      context.lineWidth = Number.parseFloat(style.strokeWidth)
      context.setLineDash(
        style.strokeDasharray === 'none' ? [] : style.strokeDasharray.split(/[ ,]+/).map(Number.parseFloat),
      )
      context.stroke(path)
    }
  }
}

type Line = { text: string; left: number; top: number }

/** The lines of a text as they are broken on the page. A word of both directions has several boxes in a line. */
function linesOf(node: Text): Line[] {
  const range = document.createRange()
  const lines: Line[] = []
  for (const { 0: word, index } of node.data.matchAll(/\S+\s*/g)) {
    range.setStart(node, index)
    range.setEnd(node, index + word.trimEnd().length)
    const boxes = [...range.getClientRects()].filter(({ width }) => width > 0)
    const [first] = boxes
    if (first === undefined) continue
    const isSame = ({ top }: { top: number }): boolean => Math.abs(top - first.top) < SAME_LINE_PX
    const left = Math.min(...boxes.filter(isSame).map((box) => box.left))
    const line = lines.at(-1)
    if (line === undefined || !isSame(line)) lines.push({ text: word, left, top: first.top })
    else {
      line.text += word
      line.left = Math.min(line.left, left)
    }
  }
  return lines
}

function paintText(context: CanvasRenderingContext2D, node: Text, style: CSSStyleDeclaration, room?: DOMRect): void {
  context.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`
  context.fillStyle = style.color
  context.direction = style.direction === 'rtl' ? 'rtl' : 'ltr'
  context.textAlign = 'left'
  for (const { text, left, top } of linesOf(node)) {
    let shown = text.replaceAll(/\s+/g, ' ').trimEnd()
    let x = left
    if (room !== undefined && context.measureText(shown).width > room.width + 1) {
      while (shown !== '' && context.measureText(`${shown}…`).width > room.width) shown = shown.slice(0, -1)
      shown += '…'
      x = style.direction === 'rtl' ? room.right - context.measureText(shown).width : room.left
    }
    context.fillText(shown, x, top + context.measureText(shown).fontBoundingBoxAscent)
  }
}
