/** Draws the glyphs of a Type 1 font program (Adobe Type 1 Font Format, chapters 6 and 8) as paths, without its hints. */
import type { Type1Program } from './program.ts'
import { STANDARD_ENCODING } from './standard-names.ts'

/** Absolute positions; every path is closed. */
export type Segment =
  | { kind: 'move' | 'line'; x: number; y: number }
  | { kind: 'curve'; x1: number; y1: number; x2: number; y2: number; x: number; y: number }
export type Outline = { width: number; segments: Segment[] }

const MAX_DEPTH = 10
const MAX_STEPS = 100_000
const MAX_ARGUMENTS = 24
const FLEX_POINTS = 7
/** Added to the second byte of the operators that have two. */
const ESCAPE = 256
const [CALLSUBR, RETURN, ENDCHAR] = [10, 11, 14]
const [SEAC, DIV, CALLOTHERSUBR, POP] = [ESCAPE + 6, ESCAPE + 12, ESCAPE + 16, ESCAPE + 17]
/** hstem, vstem, dotsection, vstem3 and hstem3; setcurrentpoint follows a flex, whose end is known. */
const IGNORED = new Set([1, 3, ESCAPE, ESCAPE + 1, ESCAPE + 2, ESCAPE + 33])

/** A charstring that does not follow the format, or uses what only PostScript interpreters have. */
class UnsupportedGlyph extends Error {}

/** @returns undefined for a glyph that is missing or damaged */
export function outlineOf(program: Type1Program, name: string): Outline | undefined {
  try {
    return draw(program, name, undefined)
  } catch (error) {
    if (error instanceof UnsupportedGlyph) return undefined
    throw error
  }
}

/** @param origin of a part of an accented letter */
function draw(program: Type1Program, name: string, origin: { x: number; y: number } | undefined): Outline {
  const charstring = program.charstrings.get(name)
  if (charstring === undefined) throw new UnsupportedGlyph(`no glyph ${name}`)
  const segments: Segment[] = []
  let [x, y, width, bearing] = [0, 0, 0, 0]
  let state: 'closed' | 'moved' | 'open' = 'closed'
  let steps = 0
  let stack: number[] = []
  /** Of the PostScript interpreter, which OtherSubrs leave results on. */
  const results: number[] = []
  let flex: { x: number; y: number }[] | undefined

  const at = (i: number): number => {
    const value = stack[i]
    if (value === undefined) throw new UnsupportedGlyph('a number is missing')
    return value
  }
  const take = (): number => {
    const value = stack.pop()
    if (value === undefined) throw new UnsupportedGlyph('a number is missing')
    return value
  }
  const result = (): number => {
    const value = results.pop()
    if (value === undefined) throw new UnsupportedGlyph('nothing to pop')
    return value
  }
  const moveBy = (dx: number, dy: number): void => {
    x += dx
    y += dy
    if (flex === undefined) state = 'moved'
  }
  const begin = (): void => {
    // readers differ about where a path without a beginning starts
    if (state === 'closed') throw new UnsupportedGlyph('a path has no beginning')
    if (state === 'moved') segments.push({ kind: 'move', x, y })
    state = 'open'
  }
  const lineBy = (dx: number, dy: number): void => {
    begin()
    x += dx
    y += dy
    segments.push({ kind: 'line', x, y })
  }
  const curveBy = (dx1: number, dy1: number, dx2: number, dy2: number, dx3: number, dy3: number): void => {
    begin()
    const [x1, y1] = [x + dx1, y + dy1]
    const [x2, y2] = [x1 + dx2, y1 + dy2]
    x = x2 + dx3
    y = y2 + dy3
    segments.push({ kind: 'curve', ...{ x1, y1, x2, y2, x, y } })
  }
  /** A flex is drawn as two curves at every size. */
  const endFlex = (): void => {
    if (flex?.length !== FLEX_POINTS) throw new UnsupportedGlyph('a flex is not complete')
    for (const i of [1, 4]) {
      const [one, two, end] = flex.slice(i, i + 3) as [Point, Point, Point]
      segments.push({ kind: 'curve', x1: one.x, y1: one.y, x2: two.x, y2: two.y, x: end.x, y: end.y })
    }
    flex = undefined
  }
  function callOther(): void {
    const number = take()
    const count = take()
    if (!(count >= 0 && count <= MAX_ARGUMENTS)) throw new UnsupportedGlyph('too many arguments')
    const values = Array.from({ length: count }, take)
    switch (number) {
      case 0:
        endFlex()
        results.push(y, x)
        break
      case 1:
        begin()
        flex = []
        break
      case 2:
        if (flex === undefined) throw new UnsupportedGlyph('a flex has no beginning')
        flex.push({ x, y })
        break
      case 3: // replaces hints
        results.push(values[0] ?? 3)
        break
      case 12: // counts hints
      case 13:
        break
      default:
        throw new UnsupportedGlyph(`OtherSubrs ${number}`)
    }
  }
  function startAt(sbx: number, sby: number, wx: number): void {
    bearing = sbx
    width = wx
    x = (origin?.x ?? 0) + sbx
    y = (origin?.y ?? 0) + sby
  }
  /** Standard-encoding accented character. */
  function compose(): void {
    if (origin !== undefined) throw new UnsupportedGlyph('accented letters within each other')
    const [asb, adx, ady, base, accent] = [at(0), at(1), at(2), at(3), at(4)]
    const parts = [
      { code: base, origin: { x: 0, y: 0 } },
      { code: accent, origin: { x: bearing + adx - asb, y: ady } },
    ]
    for (const { code, origin } of parts)
      for (const segment of draw(program, STANDARD_ENCODING.get(code) ?? '', origin).segments) segments.push(segment)
  }

  const operators: Record<number, () => void> = {
    4: () => moveBy(0, at(0)),
    5: () => lineBy(at(0), at(1)),
    6: () => lineBy(at(0), 0),
    7: () => lineBy(0, at(0)),
    8: () => curveBy(at(0), at(1), at(2), at(3), at(4), at(5)),
    9: () => {
      state = 'closed'
    },
    13: () => startAt(at(0), 0, at(1)),
    21: () => moveBy(at(0), at(1)),
    22: () => moveBy(at(0), 0),
    30: () => curveBy(0, at(0), at(1), at(2), at(3), 0),
    31: () => curveBy(at(0), 0, at(1), at(2), 0, at(3)),
    [ESCAPE + 7]: () => startAt(at(0), at(1), at(2)),
  }
  /** @returns whether the glyph has ended */
  function run(code: Uint8Array, depth: number): boolean {
    if (depth > MAX_DEPTH) throw new UnsupportedGlyph('subroutines within each other')
    for (let i = 0; i < code.length; ) {
      if (++steps > MAX_STEPS) throw new UnsupportedGlyph('too long')
      const first = code[i] as number
      if (first >= 32) {
        const [value, length] = numberAt(code, i)
        stack.push(value)
        i += length
        continue
      }
      const operator = first === 12 ? ESCAPE + (code[i + 1] ?? 255) : first
      i += first === 12 ? 2 : 1
      if (operator === ENDCHAR) return true
      if (operator === RETURN) return false
      if (operator === SEAC) {
        compose()
        return true
      }
      if (operator === CALLSUBR) {
        const subroutine = program.subroutines.get(take())
        if (subroutine === undefined) throw new UnsupportedGlyph('a subroutine is missing')
        if (run(subroutine, depth + 1)) return true
      } else if (operator === CALLOTHERSUBR) callOther()
      else if (operator === POP) stack.push(result())
      else if (operator === DIV) {
        const divisor = take()
        stack.push(take() / divisor)
      } else {
        const path = operators[operator]
        if (path === undefined && !IGNORED.has(operator)) throw new UnsupportedGlyph(`operator ${operator}`)
        path?.()
        stack = []
      }
    }
    return false
  }
  run(charstring, 0)
  if (
    !isInRange(width) ||
    !segments.every((segment) => Object.values(segment).every((value) => value === segment.kind || isInRange(value)))
  )
    throw new UnsupportedGlyph('a position is out of range')
  return { width, segments }
}

type Point = { x: number; y: number }
const isInRange = (value: unknown): boolean => typeof value === 'number' && Math.abs(value) < 16_000

/** @returns the number, and how many bytes it takes */
function numberAt(code: Uint8Array, i: number): [value: number, bytes: number] {
  const first = code[i] as number
  const second = code[i + 1] ?? 0
  if (first <= 246) return [first - 139, 1]
  if (first <= 250) return [(first - 247) * 256 + second + 108, 2]
  if (first <= 254) return [-(first - 251) * 256 - second - 108, 2]
  if (i + 5 > code.length) throw new UnsupportedGlyph('a number is cut off')
  return [new DataView(code.buffer, code.byteOffset).getInt32(i + 1), 5]
}
