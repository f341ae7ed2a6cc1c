/**
 * Separates unmapped glyphs that do not form words: bullets, and the pieces from which old programs composed lines,
 * arrows and large brackets. Bullets become standard bullets, and the others become part of the drawings.
 */
import type { PageContent, Run } from './page-content.ts'

/** Number of different glyphs in a run, or in a font, from which they count as letters. */
const WORD = 3
const ALPHABET = 8
const BULLET = '•'
/** Distances of a bullet from the text after it, and to anything before it, as shares of the font size. */
const AFTER = { from: 0.15, to: 3 }
const BEFORE = 2
/** Minimum letters of the text after a bullet; labels of drawings are shorter. */
const MIN_ITEM = 10

export function separateSigns({ runs, shapes }: PageContent): void {
  const unmappedIn = (run: Run): number[] =>
    run.letters.flatMap(({ code, isUnmapped }) => (isUnmapped ? [code ?? -1] : []))
  const codes = new Map<string, Set<number>>()
  const alphabets = new Set<string>()
  for (const run of runs) {
    const found = unmappedIn(run)
    const font = codes.get(run.face.id) ?? new Set()
    for (const code of found) font.add(code)
    codes.set(run.face.id, font)
    if (new Set(found).size >= WORD || font.size >= ALPHABET) alphabets.add(run.face.id)
  }
  for (const run of [...runs]) {
    if (unmappedIn(run).length === 0 || alphabets.has(run.face.id)) continue
    if (run.letters.length === 1 && isBullet(run, runs)) {
      Object.assign(run, {
        text: BULLET,
        letters: run.letters.map(({ left, right }) => ({ left, right, text: BULLET })),
      })
      continue
    }
    const { left, right, top, bottom } = run
    shapes.push({ left, right, top, bottom, isFree: true, isRule: false })
    const letters = run.letters.filter(({ isUnmapped }) => !isUnmapped)
    if (letters.some(({ text }) => text.trim() !== ''))
      Object.assign(run, { letters, text: letters.map(({ text }) => text).join('') })
    else runs.splice(runs.indexOf(run), 1)
  }
}

function isBullet(run: Run, runs: readonly Run[]): boolean {
  const { size } = run
  const line = runs.filter((other) => other !== run && Math.abs(other.baseline - run.baseline) < 0.4 * size)
  const isBefore = line.some(({ left, right }) => left < run.left && right > run.left - BEFORE * size)
  const after = line.filter(({ left }) => left > run.right + AFTER.from * size)
  const letters = after.reduce((sum, { text }) => sum + text.length, 0)
  return !isBefore && letters >= MIN_ITEM && after.some(({ left }) => left < run.right + AFTER.to * size)
}
