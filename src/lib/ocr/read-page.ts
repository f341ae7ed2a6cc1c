/** Reads the text of a page: turns it upright, recognises its lines, and makes a second attempt at regions left out. */
import { withArabicCommas } from './arabic-punctuation.ts'
import { type Band, bandOf, bandsOf } from './bands.ts'
import { denoised } from './denoise.ts'
import { type GreyImage, inverted, isMostlyDark, type Shades, shadesOf, turned, upsideDown } from './grey-image.ts'
import { leftOutRegions, sharedShare } from './missed-text.ts'
import { type Box, type Language, type Line, recognise } from './recognise.ts'
import { findTilt, type Tilt } from './tilt.ts'

export type ReadPage = {
  lines: Line[]
  /** Mean over the characters, 0 to 100; 0 without text. */
  confidence: number
  /** Clockwise turn that makes the image upright, in degrees; boxes refer to the upright image. */
  turn: number
  upright: { width: number; height: number }
  /** Regions that look like text and could not be read. */
  leftOut: Box[]
}

/** Upright pages have 70 and more, even noisy ones; pages upside down have 30 to 40. */
export const DOUBTFUL = 60
/**
 * Required gain from turning a page upside down: text in another language has nearly the same low confidence both ways
 * up.
 */
const CLEARLY_BETTER = 15
/** Minimum confidence for text found only in the second attempt, which may be a picture. */
const CONVINCING = 60
/** Share of a line; lines with more overlap were recognised already. */
const MAX_OVERLAP_SHARE = 0.3
/** Limits for the second attempt, because pictures fall into many or large regions: number, and share of the page. */
const SECOND_ATTEMPT = { regions: 12, area: 0.25 }

/** Maximum distance of lines within a paragraph, as a multiple of the usual distance. */
const MAX_PITCH = 1.25

/** Reads the bands of an image. @returns the lines of each, with boxes that refer to the band */
export type BandReader = (image: GreyImage, bands: readonly Band[], language: Language) => Promise<Line[][]>

/** One band after the other. */
export const readBands: BandReader = async (image, bands, language) => {
  const read: Line[][] = []
  for (const band of bands) read.push(await recognise(bandOf(image, band), language))
  return read
}

/** A page turned in one of the directions that its text may have. */
type Direction = { shades: Shades; turn: number; upright: GreyImage }
type Attempt = Direction & { lines: Line[] }

/**
 * Light text on a dark page and the direction of lines are heuristics that lists and photographs can fool, so their
 * result is compared with a reading of the unchanged page.
 */
async function bestAttempt(given: GreyImage, language: Language, read: BandReader): Promise<Attempt> {
  const attempts: Attempt[] = []
  const directions: Direction[] = []
  const attempt = async (direction: Direction): Promise<Attempt> => {
    const { upright, shades } = direction
    return { ...direction, lines: await readLines(upright, shades.threshold, language, read) }
  }
  for (const page of isMostlyDark(given) ? [given, inverted(given)] : [given]) {
    const shades = shadesOf(page)
    const image = await denoised(page, shades)
    const directionOf = async ({ quarter, skew }: Tilt): Promise<Direction> => {
      const turn = (quarter ? 270 : 0) - skew
      return { shades, turn, upright: turn === 0 ? image : await turned(image, turn, shades.paper) }
    }
    const { likely, other } = await findTilt(image, shades)
    const first = await attempt(await directionOf(likely))
    attempts.push(first)
    if (isDoubtful(first)) directions.push(first)
    const isUnsure = likely.quarter || isOnSide(first)
    if (!isUnsure && !isDoubtful(first)) continue
    const second = await directionOf(other)
    if (isUnsure || (await isPromising(second, first.lines, language, read))) attempts.push(await attempt(second))
    const last = attempts.at(-1) as Attempt
    if (last === first || isDoubtful(last)) directions.push(second)
  }
  if (isDoubtful(best(attempts)))
    for (const { shades, turn, upright } of directions) {
      const flipped = { shades, turn: turn + 180, upright: upsideDown(upright) }
      const known = attempts.find((made) => made.upright === upright)?.lines ?? best(attempts).lines
      if (!(await isPromising(flipped, known, language, read))) continue
      const made = await attempt(flipped)
      if (confidenceOf(made.lines) > confidenceOf(known) + CLEARLY_BETTER) attempts.push(made)
    }
  return best(attempts)
}

/** A trial reads a part of a page with many lines. */
const TRIAL = { share: 1 / 6, minLines: 48, enoughLines: 4 }

/**
 * Whether reading a page in another direction may be worth its time. Each direction of a dense page takes 15 s, and a page
 * in another language is doubtful in all four.
 * @param known lines that were read in a direction already
 */
async function isPromising(
  { upright }: Direction,
  known: readonly Line[],
  language: Language,
  read: BandReader,
): Promise<boolean> {
  if (known.length < TRIAL.minLines) return true
  const top = Math.round((upright.height * (1 - TRIAL.share)) / 2)
  const [lines = []] = await read(upright, [{ top, bottom: upright.height - top }], language)
  const confidence = confidenceOf(lines)
  return lines.length < TRIAL.enoughLines || confidence >= DOUBTFUL || confidence > confidenceOf(known) + CLEARLY_BETTER
}

const best = (attempts: readonly Attempt[]): Attempt =>
  attempts.reduce((found, next) => (evidenceOf(next.lines) > evidenceOf(found.lines) ? next : found))

const isDoubtful = ({ lines }: Attempt): boolean => lines.length > 0 && confidenceOf(lines) < DOUBTFUL

/** Tesseract also reads lines that run from top to bottom, but places their words outside the lines' boxes. */
const isTall = ({ width, height }: Line): boolean => height > width
const isOnSide = ({ lines }: Attempt): boolean => lines.filter(isTall).length > lines.length / 2

/**
 * The amount of text weighted by confidence. Single letters do not count: parts of a picture and letters on their side
 * are read as such.
 */
const evidenceOf = (lines: readonly Line[]): number =>
  lines
    .flatMap((line) => (isTall(line) ? [] : line.words))
    .reduce((sum, { text, confidence }) => sum + (text.length > 1 ? confidence * text.length : 0), 0)

/** @param read other processes may read some of the bands; the result is the same */
export async function readPage(given: GreyImage, language: Language, read = readBands): Promise<ReadPage> {
  const { shades, turn, upright, lines } = await bestAttempt(given, language, read)
  const leftOut: Box[] = []
  let [attempts, area] = [SECOND_ATTEMPT.regions, SECOND_ATTEMPT.area * upright.width * upright.height]
  for (const region of leftOutRegions(upright, lines, shades.threshold)) {
    const size = region.width * region.height
    const isAffordable = attempts > 0 && size <= area
    if (isAffordable) [attempts, area] = [attempts - 1, area - size]
    const all = isAffordable ? await recogniseRegion(upright, region, language) : []
    const found = all.filter((line) => !lines.some((known) => sharedShare(line, known) > MAX_OVERLAP_SHARE))
    if (confidenceOf(found) >= CONVINCING) insert(lines, found)
    else leftOut.push(region)
  }
  restoreCommas(lines)
  const { width, height } = upright
  return {
    lines,
    confidence: confidenceOf(lines),
    turn: ((turn % 360) + 360) % 360,
    upright: { width, height },
    leftOut,
  }
}

async function readLines(image: GreyImage, threshold: number, language: Language, read: BandReader): Promise<Line[]> {
  const bands = bandsOf(image, threshold)
  const found = (await read(image, bands, language)).map((lines, i) =>
    lines.map((line) => ({ ...moved(line, 0, (bands[i] as Band).top), paragraph: `${i}.${line.paragraph}` })),
  )
  joinParagraphs(found)
  return found.flat()
}

/** Joins a paragraph that continues in the next band. */
function joinParagraphs(bands: readonly Line[][]): void {
  const pitches = bands.flatMap((lines) =>
    lines.slice(1).flatMap((line, i) => {
      const before = lines[i] as Line
      return line.paragraph === before.paragraph ? [pitchOf(before, line)] : []
    }),
  )
  const usual = pitches.toSorted((a, b) => a - b)[pitches.length >> 1] ?? 0
  for (const [i, below] of bands.slice(1).entries()) {
    const [last, first] = [bands[i]?.at(-1), below[0]]
    if (last === undefined || first === undefined || pitchOf(last, first) > MAX_PITCH * usual) continue
    const { paragraph } = first
    for (const line of below) if (line.paragraph === paragraph) line.paragraph = last.paragraph
  }
}

const pitchOf = (above: Box, below: Box): number => below.top + below.height / 2 - (above.top + above.height / 2)

/** Moves a line from coordinates of a part to coordinates of the image. */
const moved = (line: Line, right: number, down: number): Line => {
  const place = <T extends Box>(box: T): T => ({ ...box, left: box.left + right, top: box.top + down })
  return { ...place(line), words: line.words.map(place) }
}

/** Weighted by characters, so that a stray sign does not count like a word. */
export function confidenceOf(lines: readonly Line[]): number {
  let [sum, characters] = [0, 0]
  for (const { text, confidence } of lines.flatMap(({ words }) => words)) {
    sum += confidence * text.length
    characters += text.length
  }
  return characters === 0 ? 0 : Math.round((10 * sum) / characters) / 10
}

async function recogniseRegion(page: GreyImage, region: Box, language: Language): Promise<Line[]> {
  const { left, top, width, height } = region
  const data = new Uint8Array(width * height)
  for (let y = 0; y < height; y++) {
    const start = (top + y) * page.width + left
    data.set(page.data.subarray(start, start + width), y * width)
  }
  const lines = await recognise({ data, width, height }, language, 'block')
  return lines.map((line) => ({ ...moved(line, left, top), paragraph: `${left},${top}.${line.paragraph}` }))
}

/** Puts lines before the first line that lies below them and in the same columns. */
function insert(lines: Line[], found: readonly Line[]): void {
  const [first] = found
  if (first === undefined) return
  const middle = first.top + first.height / 2
  const at = lines.findIndex(
    ({ left, top, width }) => top > middle && left < first.left + first.width && first.left < left + width,
  )
  lines.splice(at === -1 ? lines.length : at, 0, ...found)
}

/** Lines in reading order, with an empty line between paragraphs. */
export function textOf(lines: readonly Line[]): string {
  let text = ''
  for (const [i, { words, paragraph }] of lines.entries()) {
    if (i > 0) text += lines[i - 1]?.paragraph === paragraph ? '\n' : '\n\n'
    text += words.map((word) => word.text).join(' ')
  }
  return text
}

/** The replacements do not change the length of the text. */
function restoreCommas(lines: readonly Line[]): void {
  const words = lines.flatMap((line) => line.words)
  const text = withArabicCommas(words.map((word) => word.text).join(' '))
  let at = 0
  for (const word of words) {
    word.text = text.slice(at, at + word.text.length)
    at += word.text.length + 1
  }
}
