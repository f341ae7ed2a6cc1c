/** Finds tools by words of either language, in any order. */
import { plain } from '../../../text/plain.ts'
import { ARABIC_WORDS } from './arabic-words.ts'
import { GROUPS, type ToolEntry } from './catalogue.ts'

/** Matches in a title weigh more than matches in keywords, which weigh more than matches in a description. */
const TITLE = 9
const KEYWORD = 4
const TEXT = 1

type Indexed = { tool: ToolEntry; titles: string; keywords: string; texts: string }

function indexed(tool: ToolEntry): Indexed {
  const { en, ar } = tool
  return {
    tool,
    titles: plain(`${en.title} ${ar.title}`),
    keywords: plain(
      [...en.keywords, tool.id, en.svc.toolKey, ...en.svc.aliases, ARABIC_WORDS[tool.id] ?? ''].join(' '),
    ),
    texts: plain(`${en.description} ${ar.description}`),
  }
}

const indexes = new WeakMap<readonly ToolEntry[], Indexed[]>()

function scoreOf({ titles, keywords, texts }: Indexed, word: string): number {
  // the start of a word weighs more than its middle
  if (titles.startsWith(word) || titles.includes(` ${word}`)) return TITLE + 1
  if (titles.includes(word)) return TITLE
  if (keywords.includes(word)) return KEYWORD
  return texts.includes(word) ? TEXT : 0
}

/** Without the Arabic article, which is rare in titles. */
const wordsOf = (text: string): string[] =>
  plain(text)
    .split(/\s+/)
    .map((word) => word.replace(/^ال(?=\p{L}{3})/u, ''))
    .filter((word) => word !== '')

/** @returns all tools for an empty text, else those that have every word, the best first */
export function findTools(tools: readonly ToolEntry[], text: string): ToolEntry[] {
  const words = wordsOf(text)
  if (words.length === 0) return tools.toSorted((one, other) => GROUPS.indexOf(one.group) - GROUPS.indexOf(other.group))
  let index = indexes.get(tools)
  if (index === undefined) {
    index = tools.map(indexed)
    indexes.set(tools, index)
  }
  return index
    .map((entry) => {
      const scores = words.map((word) => scoreOf(entry, word))
      return { tool: entry.tool, score: scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0) }
    })
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .map(({ tool }) => tool)
}
