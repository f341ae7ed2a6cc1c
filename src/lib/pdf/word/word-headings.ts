/** Decides which paragraphs are headings: by font size, by the outline, or as a numbered line in bold. */
import type { Block } from '../layout/blocks.ts'
import type { TextBlock } from '../layout/paragraphs.ts'

export type Fonts = { bodySize: number; headings: number[]; titles: Map<string, number> }

const HEADING_RATIO = 1.14
const MAX_HEADING_LETTERS = 160
export const MAX_LEVELS = 6
const MAX_NUMBERED_LETTERS = 100
/** The number of a section, such as 2, 2.1 or IV. */
const SECTION_NUMBER = /^((\d{1,2})((?:\.\d{1,2}){0,4})|[IVX]{1,5}|[A-Z])[.)]?\s+(?=\p{L})/u

/** Normalises text for comparing titles. */
export const normaliseTitle = (text: string): string => text.replace(/\s+/g, ' ').trim().toLowerCase()

const textsOf = (blocks: readonly Block[]): TextBlock[] =>
  blocks.flatMap((block) =>
    block.shape === 'text'
      ? [block]
      : block.shape === 'table'
        ? textsOf(block.rows.flat().flatMap((cell) => cell.blocks))
        : [],
  )

/** Finds the body font size, and the larger sizes of short paragraphs, which are headings. */
export function fontsOf(blocks: readonly Block[], titles: Map<string, number>): Fonts {
  const lettersBySize = new Map<number, number>()
  const round = (size: number): number => Math.round(size * 2) / 2
  for (const { spans } of textsOf(blocks))
    for (const { text, size } of spans)
      lettersBySize.set(round(size), (lettersBySize.get(round(size)) ?? 0) + text.length)
  const [[bodySize] = [11]] = [...lettersBySize].toSorted((a, b) => b[1] - a[1])
  const topLevel = blocks.filter((block) => block.shape === 'text')
  const sizes = new Set(
    topLevel.filter((block) => isShort(block) && block.size >= HEADING_RATIO * bodySize).map(({ size }) => round(size)),
  )
  return { bodySize, headings: [...sizes].toSorted((a, b) => b - a), titles }
}

/** The text of a paragraph, including a number that was parsed as a list number. */
function numbered({ spans, list }: TextBlock): string {
  const text = spans.map((span) => span.text).join('')
  return list?.kind === 'number' ? `${list.pattern.replace('%1', String(list.value))} ${text}` : text
}

const isShort = (block: TextBlock): boolean =>
  numbered(block).length <= MAX_HEADING_LETTERS && /\p{L}/u.test(numbered(block))

/** @returns a level, from 0, and the paragraph with the number of its section */
export function headingOf(block: TextBlock, fonts: Fonts): { level: number; block: TextBlock } | undefined {
  const level = levelOf(block, fonts)
  if (level === undefined) return undefined
  const [first, ...others] = block.spans
  if (block.list?.kind !== 'number' || first === undefined) return { level, block }
  const { list, ...plain } = block
  const number = `${list.pattern.replace('%1', String(list.value))} `
  return {
    level,
    block: { ...plain, spans: [{ ...first, text: number + first.text }, ...others], indent: 0, firstLine: 0 },
  }
}

function levelOf(block: TextBlock, { bodySize, headings, titles }: Fonts): number | undefined {
  if (!isShort(block) || block.list?.kind === 'bullet') return undefined
  const size = Math.round(block.size * 2) / 2
  if (block.size >= HEADING_RATIO * bodySize) return Math.min(MAX_LEVELS - 1, Math.max(0, headings.indexOf(size)))
  if (!block.spans.every(({ face, text }) => face.bold || text.trim() === '')) return undefined
  const text = numbered(block)
  const inOutline = titles.get(normaliseTitle(text)) ?? titles.get(normaliseTitle(text.replace(SECTION_NUMBER, '')))
  const [, , arabic, deeper] = SECTION_NUMBER.exec(text) ?? []
  const isNumbered = SECTION_NUMBER.test(text) && text.length <= MAX_NUMBERED_LETTERS && !/[.;,:]$/.test(text.trim())
  const depth = inOutline ?? (isNumbered ? (arabic === undefined ? 0 : (deeper?.match(/\./g)?.length ?? 0)) : undefined)
  return depth === undefined ? undefined : Math.min(MAX_LEVELS - 1, headings.length + depth)
}
