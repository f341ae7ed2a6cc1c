/** Parses content streams (ISO 32000-1, 7.8.2) into operators and their operands. */

export type Operand = number | string | Uint8Array | Operand[] | undefined
/** Names are text with the leading slash, strings are bytes; dictionaries are skipped. */
export type Operation = { operator: string; operands: Operand[] }

const SPACE = new Set([0, 9, 10, 12, 13, 32])
const DELIMITERS = new Set([...'()<>[]{}/%'].map((sign) => sign.charCodeAt(0)))
const MAX_OPERANDS = 4_096
const ESCAPED: Record<number, number> = { 110: 10, 114: 13, 116: 9, 98: 8, 102: 12 }
const ARRAY_END = Symbol('array end')

type Token = Operand | typeof ARRAY_END | { operator: string }

const isRegular = (byte: number | undefined): byte is number =>
  byte !== undefined && !SPACE.has(byte) && !DELIMITERS.has(byte)

export function* operationsOf(bytes: Uint8Array): Generator<Operation> {
  let at = 0

  function skipSpace(): void {
    while (at < bytes.length) {
      if (bytes[at] === 0x25) while (at < bytes.length && bytes[at] !== 10 && bytes[at] !== 13) at++
      else if (SPACE.has(bytes[at] as number)) at++
      else return
    }
  }
  function literal(): Uint8Array {
    const out: number[] = []
    at++
    for (let depth = 1; at < bytes.length; at++) {
      let byte = bytes[at] as number
      if (byte === 0x28) depth++
      else if (byte === 0x29 && --depth === 0) break
      else if (byte === 0x5c) {
        byte = bytes[++at] as number
        if (byte >= 0x30 && byte <= 0x37) {
          let code = byte - 0x30
          for (let i = 0; i < 2 && (bytes[at + 1] as number) >= 0x30 && (bytes[at + 1] as number) <= 0x37; i++)
            code = code * 8 + (bytes[++at] as number) - 0x30
          out.push(code & 255)
          continue
        }
        if (byte === 10) continue
        if (byte === 13) {
          if (bytes[at + 1] === 10) at++
          continue
        }
        byte = ESCAPED[byte] ?? byte
      }
      out.push(byte)
    }
    at++
    return Uint8Array.from(out)
  }
  function hexadecimal(): Uint8Array {
    const end = bytes.indexOf(0x3e, at)
    const digits = Buffer.from(bytes.subarray(at + 1, end < 0 ? bytes.length : end))
      .toString('latin1')
      .replace(/[^0-9A-Fa-f]/g, '')
    at = end < 0 ? bytes.length : end + 1
    return new Uint8Array(Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, 'hex'))
  }
  function skipDictionary(): undefined {
    let depth = 0
    while (at < bytes.length) {
      if (bytes[at] === 0x28) literal()
      else if (bytes[at] === 0x3c && bytes[at + 1] === 0x3c) {
        depth++
        at += 2
      } else if (bytes[at] === 0x3e && bytes[at + 1] === 0x3e) {
        at += 2
        if (--depth === 0) return undefined
      } else at++
    }
    return undefined
  }
  function token(): Token {
    const byte = bytes[at] as number
    if (byte === 0x28) return literal()
    if (byte === 0x3c) return bytes[at + 1] === 0x3c ? skipDictionary() : hexadecimal()
    if (byte === 0x5b) return array()
    if (byte === 0x5d) {
      at++
      return ARRAY_END
    }
    const start = at++
    if (byte !== 0x2f && !isRegular(byte)) return undefined
    while (isRegular(bytes[at])) at++
    const word = Buffer.from(bytes.buffer, bytes.byteOffset + start, at - start).toString('latin1')
    if (byte === 0x2f)
      return word.replace(/#([0-9A-Fa-f]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    const number = Number(word)
    if (word !== '' && !Number.isNaN(number)) return number
    return /^(true|false|null)$/.test(word) ? undefined : { operator: word }
  }
  function array(): Operand[] {
    const items: Operand[] = []
    at++
    for (skipSpace(); at < bytes.length; skipSpace()) {
      const item = token()
      if (item === ARRAY_END) break
      if (typeof item !== 'object' || Array.isArray(item) || item instanceof Uint8Array) items.push(item as Operand)
    }
    return items
  }
  /** ISO 32000-1, 8.9.7: the data of an inline image ends with the operator EI. */
  function skipInlineImage(): void {
    for (at++; at < bytes.length; at++) {
      const isEnd = bytes[at] === 0x45 && bytes[at + 1] === 0x49 && SPACE.has(bytes[at - 1] as number)
      if (isEnd && !isRegular(bytes[at + 2])) {
        at += 2
        return
      }
    }
  }

  let operands: Operand[] = []
  for (skipSpace(); at < bytes.length; skipSpace()) {
    const next = token()
    if (next === ARRAY_END) continue
    if (typeof next === 'object' && 'operator' in next) {
      if (next.operator === 'ID') skipInlineImage()
      else yield { operator: next.operator, operands }
      operands = []
    } else if (operands.length < MAX_OPERANDS) operands.push(next as Operand)
  }
}
