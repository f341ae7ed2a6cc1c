/** Parses content streams (ISO 32000-1, 7.8.2) into operators and their operands. */

export type Operand = number | string | Uint8Array | Operand[] | undefined
/** Names are text with the leading slash, strings are bytes; dictionaries are skipped. */
export type Operation = { operator: string; operands: Operand[] }

const SPACE = new Set([0, 9, 10, 12, 13, 32])
const DELIMITERS = new Set([...'()<>[]{}/%'].map((sign) => sign.charCodeAt(0)))
const MAX_OPERANDS = 4_096
const ESCAPED: Record<number, number> = { 110: 10, 114: 13, 116: 9, 98: 8, 102: 12 }
const [LIST, LIST_END, DICTIONARY, DICTIONARY_END] = [Symbol(), Symbol(), Symbol(), Symbol()]
/** A token without meaning, such as an unmatched closing bracket. */
const STRAY = Symbol()

type Token = Operand | symbol | { operator: string }
type Open = { start: symbol; items: Operand[] }

const NUMBER = /^[-+]?(\d+(?:\.\d*)?|\.\d+)$/

const isOperator = (token: Token): token is { operator: string } =>
  typeof token === 'object' && !Array.isArray(token) && !(token instanceof Uint8Array)
const resultOf = ({ start, items }: Open): Operand => (start === LIST ? items : undefined)

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
        if (++at === bytes.length) break
        byte = bytes[at] as number
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
  function token(): Token {
    const byte = bytes[at] as number
    const isTwice = bytes[at + 1] === byte
    if (byte === 0x28) return literal()
    if (byte === 0x3c && !isTwice) return hexadecimal()
    const start = at++
    if (byte === 0x5b) return LIST
    if (byte === 0x5d) return LIST_END
    if (byte === 0x3c || (byte === 0x3e && isTwice)) {
      at++
      return byte === 0x3c ? DICTIONARY : DICTIONARY_END
    }
    if (byte !== 0x2f && !isRegular(byte)) return STRAY
    while (isRegular(bytes[at])) at++
    const word = Buffer.from(bytes.buffer, bytes.byteOffset + start, at - start).toString('latin1')
    if (byte === 0x2f)
      return word.replace(/#([0-9A-Fa-f]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    if (NUMBER.test(word)) return Number(word)
    return /^(true|false|null)$/.test(word) ? undefined : { operator: word }
  }
  /**
   * Reads an array or dictionary after its opening bracket; iterative, because files may nest brackets without limit.
   */
  function composite(start: symbol): Operand {
    const outermost: Open = { start, items: [] }
    const open = [outermost]
    let dictionaries = start === DICTIONARY ? 1 : 0
    const close = (): void => {
      const closed = open.pop() as Open
      if (closed.start === DICTIONARY) dictionaries--
      open.at(-1)?.items.push(resultOf(closed))
    }
    for (skipSpace(); at < bytes.length && open.length > 0; skipSpace()) {
      const next = token()
      const last = open.at(-1) as Open
      if (next === LIST || next === DICTIONARY) {
        open.push({ start: next, items: [] })
        if (next === DICTIONARY) dictionaries++
      } else if (next === LIST_END) {
        if (last.start === LIST) close()
      } else if (next === DICTIONARY_END) {
        // arrays that are still open end with the dictionary around them
        for (const left = dictionaries - 1; left >= 0 && dictionaries > left; ) close()
      } else if (typeof next !== 'symbol' && !isOperator(next)) last.items.push(next)
    }
    return resultOf(outermost)
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
    if (isOperator(next)) {
      if (next.operator === 'ID') skipInlineImage()
      else yield { operator: next.operator, operands }
      operands = []
    } else {
      const isOpening = next === LIST || next === DICTIONARY
      if (typeof next === 'symbol' && !isOpening) continue
      const operand = isOpening ? composite(next) : (next as Operand)
      if (operands.length < MAX_OPERANDS) operands.push(operand)
    }
  }
}
