/** Writes glyphs as a CFF font (Adobe Technical Notes 5176 and 5177), which readers take in place of a Type 1 program. */
import type { Outline, Segment } from './outline.ts'
import { STANDARD_COUNT, STANDARD_NAMES } from './standard-names.ts'

/** The code is that of the font's own encoding. */
export type CffGlyph = { name: string; code: number | undefined; outline: Outline }
type Face = { name: string; matrix: readonly number[]; bounds: readonly number[] }

const DEFAULT_MATRIX = [0.001, 0, 0, 0.001, 0, 0]
/** Numbers that a charstring may have on its stack. */
const MAX_OPERANDS = 48
const FIXED_ONE = 65_536
const [RLINETO, HLINETO, VLINETO, RRCURVETO, ENDCHAR] = [5, 6, 7, 8, 14]
const [RMOVETO, HMOVETO, VMOVETO] = [21, 22, 4]
const [VVCURVETO, HHCURVETO, VHCURVETO, HVCURVETO] = [26, 27, 30, 31]
/** Operators of the dictionaries. */
const [BOUNDS, CHARSET, ENCODING, CHARSTRINGS, PRIVATE, DEFAULT_WIDTH] = [[5], [15], [16], [17], [18], [20]]
const MATRIX = [12, 7]

/** An integer of a charstring or dictionary: technical note 5176, table 3. */
function integer(value: number): number[] {
  const size = Math.abs(value)
  if (size <= 107) return [value + 139]
  if (size > 1_131) return [28, (value >> 8) & 255, value & 255]
  const rest = size - 108
  return [(value > 0 ? 247 : 251) + (rest >> 8), rest & 255]
}

/** @param value in units of 1/65,536 */
function fixed(value: number): number[] {
  if (value % FIXED_ONE === 0) return integer(value / FIXED_ONE)
  return [255, (value >> 24) & 255, (value >> 16) & 255, (value >> 8) & 255, value & 255]
}

/** A number of a dictionary as packed decimal digits: technical note 5176, table 5. */
function real(value: number): number[] {
  // the digits a to f stand for the point, E, E-, nothing, the minus sign and the end
  const digits = String(value).replace('e-', 'c').replace(/e\+?/, 'b').replace('-', 'e').replace('.', 'a')
  return [30, ...Buffer.from(digits.length % 2 === 0 ? `${digits}ff` : `${digits}f`, 'hex')]
}
const numeric = (value: number): number[] =>
  Number.isInteger(value) && Math.abs(value) < 32_768 ? integer(value) : real(value)
/** Five bytes for every value, so that the length of a dictionary is known before its offsets. */
const offset = (value: number): number[] => [
  29,
  (value >>> 24) & 255,
  (value >>> 16) & 255,
  (value >>> 8) & 255,
  value & 255,
]

function index(items: readonly (readonly number[] | Uint8Array)[]): number[] {
  if (items.length === 0) return [0, 0]
  const total = items.reduce((sum, { length }) => sum + length, 1)
  const bytes = total < 1 << 8 ? 1 : total < 1 << 16 ? 2 : total < 1 << 24 ? 3 : 4
  const out = [items.length >> 8, items.length & 255, bytes]
  let end = 1
  for (const { length } of [[], ...items]) {
    end += length
    for (let i = bytes - 1; i >= 0; i--) out.push((end >>> (8 * i)) & 255)
  }
  for (const item of items) for (const byte of item) out.push(byte)
  return out
}

/** Operands of the run that is being written, for one operator. */
type Run = { operator: number; values: number[]; last: 'h' | 'v' | '' }

/** @param width left out when it is the default */
function charstringOf({ segments }: Outline, width: number | undefined): number[] {
  const out = width === undefined ? [] : fixed(Math.round(width * FIXED_ONE))
  let [x, y] = [0, 0]
  let run: Run | undefined
  const flush = (): void => {
    if (run === undefined) return
    for (const value of run.values) out.push(...fixed(value))
    out.push(run.operator)
    run = undefined
  }
  /** Adds operands to the run, which may hold one operation after another. */
  const add = (operator: number, values: readonly number[], last: Run['last'], follows: boolean): void => {
    if (run !== undefined && follows && run.values.length + values.length <= MAX_OPERANDS) {
      run.values.push(...values)
      run.last = last
    } else {
      flush()
      run = { operator, values: [...values], last }
    }
  }
  /** @returns the way from the last position, after which this one is the last */
  const step = (toX: number, toY: number): [number, number] => {
    const [nextX, nextY] = [Math.round(toX * FIXED_ONE), Math.round(toY * FIXED_ONE)]
    const way: [number, number] = [nextX - x, nextY - y]
    x = nextX
    y = nextY
    return way
  }
  const isRun = (...operators: number[]): boolean => run !== undefined && operators.includes(run.operator)
  function line(dx: number, dy: number): void {
    if (dx !== 0 && dy !== 0) add(RLINETO, [dx, dy], '', isRun(RLINETO))
    else if (dy === 0) add(HLINETO, [dx], 'h', isRun(HLINETO, VLINETO) && run?.last === 'v')
    else add(VLINETO, [dy], 'v', isRun(HLINETO, VLINETO) && run?.last === 'h')
  }
  function curve(segment: Extract<Segment, { kind: 'curve' }>): void {
    const [dx1, dy1] = step(segment.x1, segment.y1)
    const [dx2, dy2] = step(segment.x2, segment.y2)
    const [dx3, dy3] = step(segment.x, segment.y)
    const alternates = isRun(HVCURVETO, VHCURVETO)
    if (dy1 === 0 && dx3 === 0) add(HVCURVETO, [dx1, dx2, dy2, dy3], 'v', alternates && run?.last === 'h')
    else if (dx1 === 0 && dy3 === 0) add(VHCURVETO, [dy1, dx2, dy2, dx3], 'h', alternates && run?.last === 'v')
    else if (dy1 === 0 && dy3 === 0) add(HHCURVETO, [dx1, dx2, dy2, dx3], '', isRun(HHCURVETO))
    else if (dx1 === 0 && dx3 === 0) add(VVCURVETO, [dy1, dx2, dy2, dy3], '', isRun(VVCURVETO))
    else add(RRCURVETO, [dx1, dy1, dx2, dy2, dx3, dy3], '', isRun(RRCURVETO))
  }
  for (const segment of segments) {
    if (segment.kind === 'curve') {
      curve(segment)
      continue
    }
    const [dx, dy] = step(segment.x, segment.y)
    if (segment.kind === 'line') line(dx, dy)
    else if (dy === 0) add(HMOVETO, [dx], '', false)
    else if (dx === 0) add(VMOVETO, [dy], '', false)
    else add(RMOVETO, [dx, dy], '', false)
  }
  flush()
  return [...out, ENDCHAR]
}

/** The width that most glyphs have. */
function commonWidth(glyphs: readonly CffGlyph[]): number {
  const counts = new Map<number, number>()
  for (const { outline } of glyphs) counts.set(outline.width, (counts.get(outline.width) ?? 0) + 1)
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), [0, 0])[0]
}

/** @param glyphs the first of which is .notdef, which has no code */
export function writeCff({ name, matrix, bounds }: Face, glyphs: readonly CffGlyph[]): Uint8Array {
  const [notdef, ...others] = glyphs
  // the encoding lists codes in the order of the glyphs, and ends with the last glyph that has one
  const ordered = [
    ...others.filter(({ code }) => code !== undefined),
    ...others.filter(({ code }) => code === undefined),
  ]
  const names: string[] = []
  const numberOf = (glyph: string): number => {
    const known = STANDARD_NAMES.indexOf(glyph)
    return known >= 0 ? known : STANDARD_COUNT + names.push(glyph) - 1
  }
  const charset = [0, ...ordered.flatMap(({ name }) => two(numberOf(name)))]
  const codes = ordered.flatMap(({ code }) => (code === undefined ? [] : [code]))
  const encoding = [0, codes.length, ...codes]
  const width = Math.round(commonWidth(glyphs))
  const drawn = notdef === undefined ? ordered : [notdef, ...ordered]
  const charstrings = index(
    drawn.map(({ outline }) => charstringOf(outline, outline.width === width ? undefined : outline.width)),
  )
  const settings = [...numeric(width), ...DEFAULT_WIDTH]
  const isUsual = matrix.every((value, i) => value === DEFAULT_MATRIX[i])
  const head = (at: { charset: number; encoding: number; charstrings: number; settings: number }): number[] => [
    ...[1, 0, 4, 4],
    ...index([Buffer.from(name, 'latin1')]),
    ...index([
      [
        ...(isUsual ? [] : [...matrix.flatMap(numeric), ...MATRIX]),
        ...[...bounds.flatMap(numeric), ...BOUNDS],
        ...[...offset(at.charset), ...CHARSET, ...offset(at.encoding), ...ENCODING],
        ...[...offset(at.charstrings), ...CHARSTRINGS],
        ...[...integer(settings.length), ...offset(at.settings), ...PRIVATE],
      ],
    ]),
    ...index(names.map((one) => Buffer.from(one, 'latin1'))),
    ...index([]),
  ]
  const start = head({ charset: 0, encoding: 0, charstrings: 0, settings: 0 }).length
  const at = { charset: start, encoding: start + charset.length, charstrings: 0, settings: 0 }
  at.charstrings = at.encoding + encoding.length
  at.settings = at.charstrings + charstrings.length
  return Uint8Array.from([...head(at), ...charset, ...encoding, ...charstrings, ...settings])
}

const two = (value: number): number[] => [value >> 8, value & 255]
