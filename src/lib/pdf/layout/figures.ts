/**
 * Finds figures: groups of drawings, beyond ruled lines, frames and panels, with the labels in and around them. They
 * become pictures, so that labels do not appear between the words of the text.
 */
import { boundingBox } from './lines.ts'
import type { PageContent, PageImage, Run, Shape } from './page-content.ts'
import { area, type Box, grown, intersection, isWithin, touches } from './page-geometry.ts'
import type { Grid } from './tables.ts'

export type Figure = Box & { labels: Run[]; images: PageImage[] }

/** Maximum distance in points between drawings of a group. */
const MAX_DRAWING_GAP = 9
const MIN_SIDE = 20
/** Minimum number of free shapes, or areas, in a figure. */
const MIN_FREE = 2
const MIN_AREAS = 3
/** A drawing that covers this share of the page is a background. */
const BACKGROUND = 0.6
/** Share of a group covered by text from which it is running text; labels cover less. */
const MAX_TEXT = 0.3
/** Labels around a figure: distance and size as shares of the font size, and their length unless they are small. */
const MAX_LABEL_GAP = 1.6
const SMALL_LABEL = 0.93
const MAX_LABEL_LETTERS = 12
const MAX_SMALL_LETTERS = 40
const CAPTION = /^(fig(ure|\.)?|table|tab\.|chart|plate|abb(ildung|\.)?|الشكل|شكل|جدول|رسم)\s*[\d٠-٩]/iu
const MAX_GROUPED = 4_000

export function figuresOf(
  { width, height, runs, pictures, shapes }: PageContent,
  grids: readonly Grid[],
  bodySize: number,
): Figure[] {
  const pageArea = width * height
  const inTable = (shape: Shape): boolean => grids.some((grid) => !shape.isFree && isWithin(shape, grown(grid, 2)))
  const drawn = shapes.filter(
    (shape) => area(shape) < BACKGROUND * pageArea && !inTable(shape) && !isPanel(shape, runs),
  )
  const images = pictures.filter((picture) => area(picture) < BACKGROUND * pageArea)
  const groups = drawn.length > MAX_GROUPED ? [] : grouped([...drawn, ...images])
  const figures = groups.flatMap((members): Figure[] => {
    const box = boundingBox(members)
    const own = members.filter((member): member is Shape => 'isFree' in member)
    const inside = images.filter((image) => members.includes(image))
    const labels = runs.filter((run) => !run.hidden && isWithin(run, box))
    return isFigure(box, own, inside, labels) ? [{ ...box, labels, images: inside }] : []
  })
  return merged(figures).map((figure) => withLabels(figure, runs, bodySize))
}

/** A filled area behind running text. */
function isPanel(shape: Shape, runs: readonly Run[]): boolean {
  if (shape.isFree || shape.isRule) return false
  const text = runs.filter((run) => isWithin(run, shape))
  return text.length > 0 && textShare(shape, text) > MAX_TEXT
}

const textShare = (box: Box, runs: readonly Run[]): number =>
  runs.reduce((sum, run) => sum + area(intersection(run, box)), 0) / Math.max(1, area(box))

function isFigure(box: Box, shapes: readonly Shape[], images: readonly PageImage[], labels: readonly Run[]): boolean {
  if (Math.min(box.right - box.left, box.bottom - box.top) < MIN_SIDE) return false
  const free = shapes.filter(({ isFree }) => isFree)
  if (images.length > 0 && (labels.length > 0 || free.length > 0)) return textShare(box, labels) <= MAX_TEXT
  // areas with text in them are cells or panels
  const areas = shapes.filter((shape) => !shape.isFree && !shape.isRule && !labels.some((run) => isWithin(run, shape)))
  const isLargeShape = free.some((shape) => Math.min(shape.right - shape.left, shape.bottom - shape.top) > MIN_SIDE)
  if (!isLargeShape && free.length < MIN_FREE && areas.length < MIN_AREAS) return false
  // decorated text, such as a box with round corners, stays text
  return textShare(box, labels) <= MAX_TEXT
}

/** Groups boxes that are near each other. */
function grouped<T extends Box>(boxes: readonly T[]): T[][] {
  const sorted = boxes.toSorted((a, b) => a.left - b.left)
  const group = sorted.map((_, i) => i)
  const root = (i: number): number => {
    let at = i
    while (group[at] !== at) at = group[at] = group[group[at] as number] as number
    return at
  }
  for (const [i, one] of sorted.entries())
    for (let j = i + 1; j < sorted.length; j++) {
      const other = sorted[j] as T
      if (other.left > one.right + MAX_DRAWING_GAP) break
      if (touches(grown(one, MAX_DRAWING_GAP), other)) group[root(j)] = root(i)
    }
  const members = new Map<number, T[]>()
  for (const [i, box] of sorted.entries()) {
    const list = members.get(root(i)) ?? []
    list.push(box)
    members.set(root(i), list)
  }
  return [...members.values()]
}

function merged(figures: readonly Figure[]): Figure[] {
  return grouped(figures).map((group) => ({
    ...boundingBox(group),
    labels: [...new Set(group.flatMap(({ labels }) => labels))],
    images: group.flatMap(({ images }) => images),
  }))
}

/** Adds labels around a figure, such as axis labels, from the nearest outwards. */
function withLabels(figure: Figure, runs: readonly Run[], bodySize: number): Figure {
  const labels = new Set(figure.labels)
  let box: Box = figure
  // a word is a label only if the whole text beside it is
  const pieces = piecesOf(runs.filter((run) => !labels.has(run)))
  for (let isGrowing = true; isGrowing; ) {
    isGrowing = false
    for (const piece of pieces) {
      const [first] = piece.runs as [Run]
      if (labels.has(first) || !isLabel(piece, bodySize)) continue
      if (!touches(grown(box, MAX_LABEL_GAP * first.size), piece)) continue
      const middle = (piece.left + piece.right) / 2
      const isBeside = piece.top < figure.bottom && piece.bottom > figure.top
      if (
        !isBeside &&
        (middle < figure.left - piece.right + piece.left || middle > figure.right + piece.right - piece.left)
      )
        continue
      for (const run of piece.runs) labels.add(run)
      box = boundingBox([box, piece])
      isGrowing = true
    }
  }
  return { ...box, labels: [...labels], images: figure.images }
}

type Piece = Box & { runs: Run[]; text: string }

function isLabel({ runs, text }: Piece, bodySize: number): boolean {
  const [{ rotated, size, hidden }] = runs as [Run]
  if (hidden || CAPTION.test(text.trim())) return false
  const isSmall = size < SMALL_LABEL * bodySize && text.length <= MAX_SMALL_LETTERS
  return rotated || isSmall || text.length <= MAX_LABEL_LETTERS
}

/** Runs on one line without a wide gap between them. */
function piecesOf(runs: readonly Run[]): Piece[] {
  const pieces: Piece[] = []
  for (const run of runs.toSorted((a, b) => a.baseline - b.baseline || a.left - b.left)) {
    const near = pieces.findLast((piece) => {
      const [first] = piece.runs as [Run]
      if (run.rotated || first.rotated || Math.abs(first.baseline - run.baseline) > 0.5 * run.size) return false
      return run.left - piece.right < 1.2 * run.size && piece.left - run.right < 1.2 * run.size
    })
    if (near === undefined) pieces.push({ ...boundingBox([run]), runs: [run], text: run.text })
    else
      Object.assign(near, { ...boundingBox([near, run]), runs: [...near.runs, run], text: `${near.text} ${run.text}` })
  }
  return pieces
}
