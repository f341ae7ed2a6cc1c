/** The names of fonts, for people. */
import type { PDFDict } from '@cantoo/pdf-lib'

/** Encodings of font names in these collections from before names were UTF-8 (ISO 32000-1, 7.3.5). */
const LEGACY: Readonly<Record<string, Bun.Encoding>> = {
  GB1: 'gbk',
  CNS1: 'big5',
  Japan1: 'shift_jis',
  Korea1: 'euc-kr',
}

/**
 * @param ordering of the collection of a composite font
 * @returns printable characters only, without the prefix of a subset
 */
export function fontName(bytes: Uint8Array, ordering = ''): string {
  const legacy = Object.hasOwn(LEGACY, ordering) ? LEGACY[ordering] : undefined
  const name = decoded(bytes, 'utf-8') ?? (legacy && decoded(bytes, legacy)) ?? Buffer.from(bytes).toString('latin1')
  return name.replace(/^[A-Z]{6}\+/, '').replace(/[^\p{L}\p{N}\p{P} ]/gu, '')
}

function decoded(bytes: Uint8Array, encoding: Bun.Encoding): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    // in another encoding
    return undefined
  }
}

/** The collection of characters that a descendant of a composite font numbers; empty without one. */
export async function orderingOf(descendant: PDFDict): Promise<string> {
  const { PDFDict, PDFHexString, PDFName, PDFString } = await import('@cantoo/pdf-lib')
  const system = descendant.lookup(PDFName.of('CIDSystemInfo'))
  const value = system instanceof PDFDict ? system.lookup(PDFName.of('Ordering')) : undefined
  return value instanceof PDFString || value instanceof PDFHexString ? value.decodeText() : ''
}
