/** The text of XML files: reading it in blocks, and escaping it. */

import { closeSync, openSync, readSync } from 'node:fs'
import type { SaxesParser } from 'saxes'
import { fieldText } from '../../../field-texts/field-text.ts'
import { InputError } from '../../input-error.ts'

const BLOCK_BYTES = 1 << 20

/** The text of a file in blocks, in the encoding that it declares. @throws InputError `encoding` */
export function* decoded(path: string): Generator<string> {
  const block = Buffer.alloc(BLOCK_BYTES)
  const fd = openSync(path, 'r')
  try {
    let decoder: TextDecoder | undefined
    for (let length = readSync(fd, block); length > 0; length = readSync(fd, block)) {
      decoder ??= decoderFor(block.toString('latin1', 0, 200))
      yield decoder.decode(block.subarray(0, length), { stream: true })
    }
    yield decoder?.decode() ?? ''
  } catch (cause) {
    if (cause instanceof InputError || !(cause instanceof TypeError)) throw cause
    throw new InputError('encoding', fieldText('textEncoding'), cause)
  } finally {
    closeSync(fd)
  }
}

function decoderFor(head: string): TextDecoder {
  const label = /^\W*<\?xml[^>]*encoding\s*=\s*["']([\w.-]+)["']/.exec(head)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(label as Bun.Encoding, { fatal: true })
  } catch (cause) {
    throw new InputError('encoding', fieldText('encodingUnknown', { encoding: label.slice(0, 40) }), cause)
  }
}

/** Hands the text of a file to a parser. @throws InputError */
export function parseXml(path: string, parser: Pick<SaxesParser, 'write' | 'close'>): void {
  try {
    for (const text of decoded(path)) parser.write(text)
    parser.close()
  } catch (error) {
    if (error instanceof InputError) throw error
    throw new InputError('xml', fieldText('xmlInvalid', { reason: (error as Error).message.slice(0, 120) }), error)
  }
}

export const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\r': '&#13;' }

/** A text for an element or an attribute, without the control characters that XML 1.0 cannot hold. */
export const escaped = (text: string): string =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters in question
    .replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '')
    .replace(/[&<>"\r]/g, (character) => ENTITIES[character] as string)
