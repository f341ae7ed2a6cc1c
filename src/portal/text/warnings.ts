/** Warnings of tools and exports, in the person's language. The API sends English sentences. */
import { language } from '../shell/preferences.ts'
import { formatList } from './format.ts'
import { filled, type Values } from './text.ts'

const NUMBER = /^-?\d+(\.\d+)?$/
/** How lists end that do not name everything. */
const MORE = / and (\d+) more$/

const asValue = (text: string): string | number => (NUMBER.test(text) ? Number(text) : text)

function listText(text: string): string {
  const more = MORE.exec(text)
  const items = text
    .replace(MORE, '')
    .split(', ')
    .map((item) => filled('{item}', { item: asValue(item) }))
  if (more !== null) items.push(filled('{count} غيرها', { count: Number(more[1]) }))
  return formatList(items)
}

/** The field of an input, before the fault. */
const FIELD = /^[a-z_]+(?:\.\d+)?: /

/** A sentence without an Arabic text is shown unchanged. */
export async function warningsInLanguage(sentences: readonly string[]): Promise<string[]> {
  if (language.peek() === 'en' || sentences.length === 0) return [...sentences]
  const { ARABIC_WARNINGS } = await import('./arabic-warnings.ts')
  return sentences.map((whole) => {
    const [field = ''] = FIELD.exec(whole) ?? []
    const sentence = whole.slice(field.length)
    for (const [pattern, arabic] of ARABIC_WARNINGS) {
      const found = pattern.exec(sentence)
      if (found === null) continue
      const values: Values = {}
      for (const [name, text = ''] of Object.entries(found.groups ?? {}))
        values[name] = name === 'list' ? listText(text) : asValue(text)
      return field + filled(arabic, values)
    }
    return whole
  })
}
