/** Whether a text can be an external id, or the name of a channel: 1 to 200 characters that PostgreSQL can store. */
const MAX_CHARACTERS = 200

export function isStorableName(text: string): boolean {
  // a character takes at most two units
  if (text.length > MAX_CHARACTERS * 2 || !text.isWellFormed() || text.includes('\0') || !/\S/.test(text)) return false
  return text.length <= MAX_CHARACTERS || [...text].length <= MAX_CHARACTERS
}
