/** Whether a text can be an external id, or the name of a channel: 1 to 200 characters that PostgreSQL can store. */
import { isStorableText } from '../../json-text.ts'

const MAX_CHARACTERS = 200

export function isStorableName(text: string): boolean {
  // a character takes at most two units
  if (text.length > MAX_CHARACTERS * 2 || !isStorableText(text) || !/\S/.test(text)) return false
  return text.length <= MAX_CHARACTERS || [...text].length <= MAX_CHARACTERS
}
