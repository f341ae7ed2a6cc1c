/** Names of entries in an archive that are safe to unpack everywhere, made of names that people chose. */

const MAX_LENGTH = 100
/** Windows treats these as devices, with any extension. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i

/**
 * The last part of a path: without folders, control characters, and characters that change the direction of the text or
 * are invisible, which can make a program look like a picture.
 */
export function entryName(filename: string): string {
  const plain = filename
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}/\\:*?"<>|]/gu, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '_')
  const dot = plain.lastIndexOf('.')
  const extension = dot > 0 && plain.length - dot <= 12 ? plain.slice(dot) : ''
  const stem = [...plain.slice(0, plain.length - extension.length)].slice(0, MAX_LENGTH).join('')
  return (stem + extension).replace(DEVICE, '_$1') || '_'
}
