/** Content streams of PDF pages: any operations, and the many ways in which the same ones can be written. */
import fc from 'fast-check'
import type { Operand, Operation } from '../../../src/lib/pdf/structure/content-stream.ts'

/** An operand as text, and the value that a reader gets. */
type Written = { text: string; value: Operand }

const SPACES = ['\0', '\t', '\n', '\f', '\r', ' '] as const
const comment = fc
  .string({ unit: fc.constantFrom('a', '(', ')', '<', '>', '[', ' ', 'Tj', '\\') })
  .map((text) => `%${text}\n`)
/** White space or comments between two words; at least one character. */
const space = fc
  .array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...SPACES) }, { weight: 1, arbitrary: comment }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((signs) => signs.join(''))

const number: fc.Arbitrary<Written> = fc.oneof(
  fc.integer().map((value) => ({ text: String(value), value })),
  fc.integer({ min: 0 }).map((value) => ({ text: `+${value}`, value })),
  fc
    .tuple(
      fc.constantFrom('', '-', '+'),
      fc.nat({ max: 9_999 }),
      fc.nat({ max: 999 }),
      fc.constantFrom('both', 'left', 'right'),
    )
    .map(([sign, whole, part, kept]) => {
      const text = `${sign}${kept === 'right' ? '' : whole}.${kept === 'left' ? '' : part}`
      return { text, value: Number(`${sign}${kept === 'right' ? 0 : whole}.${kept === 'left' ? 0 : part}`) }
    }),
)

const DELIMITERS = '()<>[]{}/%#'
const name: fc.Arbitrary<Written> = fc
  .array(fc.tuple(fc.integer({ min: 0x21, max: 0x7e }), fc.boolean()), { maxLength: 6 })
  .map((signs) => {
    let text = '/'
    for (const [code, asCode] of signs) {
      const sign = String.fromCharCode(code)
      text += asCode || DELIMITERS.includes(sign) ? `#${code.toString(16)}` : sign
    }
    return { text, value: `/${String.fromCharCode(...signs.map(([code]) => code))}` }
  })

const ESCAPES: Record<number, string> = { 10: 'n', 13: 'r', 9: 't', 8: 'b', 12: 'f', 40: '(', 41: ')', 92: '\\' }
const octal = (byte: number, digits: number): string => byte.toString(8).padStart(digits, '0')

/** A string in round brackets, each byte unchanged, as an escape letter, or as an octal number. */
const literal: fc.Arbitrary<Written> = fc
  .array(
    fc.tuple(
      fc.oneof(fc.nat({ max: 255 }), fc.constantFrom(10, 13, 40, 41, 92, 48)),
      fc.constantFrom('plain', 'letter', 'octal', 'short octal', 'line'),
    ),
    { maxLength: 10 },
  )
  .map((bytes) => {
    let text = ''
    for (const [i, [byte, way]] of bytes.entries()) {
      const next = bytes[i + 1]?.[0] ?? 0
      // a line break after a backslash is not part of the string
      if (way === 'line') text += '\\\r\n'
      if (way === 'octal') text += `\\${octal(byte, 3)}`
      else if (way === 'short octal' && !(next >= 0x30 && next <= 0x39)) text += `\\${octal(byte, 1)}`
      else if (ESCAPES[byte] !== undefined) text += `\\${ESCAPES[byte]}`
      else text += String.fromCharCode(byte)
    }
    return { text: `(${text})`, value: Uint8Array.from(bytes.map(([byte]) => byte)) }
  })
/** Round brackets within a string need no backslash when they pair. */
const paired: fc.Arbitrary<Written> = fc
  .constantFrom('(a(b)c)', '(())', '(()())', '((((x))))')
  .map((text) => ({ text, value: new Uint8Array(Buffer.from(text.slice(1, -1))) }))
const hexadecimal: fc.Arbitrary<Written> = fc
  .tuple(fc.uint8Array({ maxLength: 6 }), fc.constantFrom('', ' ', '\n'), fc.boolean(), fc.boolean())
  .map(([bytes, gap, upper, odd]) => {
    const digits = Buffer.from(bytes).toString('hex').replace(/../g, `$&${gap}`)
    const ended = odd ? `${digits}7` : digits
    const value = Uint8Array.from(odd ? [...bytes, 0x70] : bytes)
    return { text: `<${upper ? ended.toUpperCase() : ended}>`, value }
  })
const word: fc.Arbitrary<Written> = fc.constantFrom('true', 'false', 'null').map((text) => ({ text, value: undefined }))

const scalar = fc.oneof(number, name, literal, paired, hexadecimal, word)
const SELF_DELIMITING = /^[(<[]/

/** Items in sequence; a space is needed between two words, but not next to a bracket. */
const sequence = (items: readonly Written[], gaps: readonly string[]): string =>
  items.reduce((text, item, i) => {
    const needed =
      text !== '' && !/[)>\]]$/.test(text) && !SELF_DELIMITING.test(item.text) && !item.text.startsWith('/')
    return text + (needed || i % 2 === 0 ? gaps[i % gaps.length] : '') + item.text
  }, '')

const gaps = fc.array(space, { minLength: 1, maxLength: 4 })
const list: fc.Arbitrary<Written> = fc.tuple(fc.array(scalar, { maxLength: 5 }), gaps).map(([items, between]) => ({
  text: `[${sequence(items, between)}]`,
  value: items.map(({ value }) => value),
}))
const listOfLists: fc.Arbitrary<Written> = fc.array(list, { maxLength: 3 }).map((lists) => ({
  text: `[${lists.map(({ text }) => text).join('')}]`,
  value: lists.map(({ value }) => value),
}))
/** A dictionary, which readers skip with all its content. */
const dictionary: fc.Arbitrary<Written> = fc
  .tuple(fc.array(fc.tuple(name, fc.oneof(scalar, list)), { maxLength: 3 }), gaps, fc.boolean())
  .map(([entries, between, nested]) => {
    const inner = sequence(entries.flat(), between)
    const text = `<<${inner}${nested ? `/More<<${inner}>>` : ''}>>`
    return { text, value: undefined }
  })

const OPERATORS = [
  'q',
  'Q',
  'cm',
  'BT',
  'ET',
  'Tf',
  'Tj',
  'TJ',
  "'",
  '"',
  'Do',
  'T*',
  'd0',
  'BDC',
  'EMC',
  're',
  'f*',
] as const

const operation = fc.tuple(
  fc.array(fc.oneof({ weight: 6, arbitrary: scalar }, list, listOfLists, dictionary), { maxLength: 6 }),
  fc.constantFrom(...OPERATORS),
  gaps,
)

/** An inline image: its bytes are not operations, even if they look like some. */
const inlineImage = fc
  .array(fc.constantFrom('Tj', '(', '\x80', 'EIx', 'q ', '<<', '\n', 'BT'), { maxLength: 8 })
  .map((pieces) => `BI /W 4 /H 4 /BPC 8 /CS /G ID ${pieces.join('')}\nEI`)

export type Content = { bytes: Uint8Array; operations: Operation[] }

/** Operations, and a stream that contains them. */
export const contents: fc.Arbitrary<Content> = fc
  .array(fc.tuple(operation, fc.option(inlineImage, { freq: 8 }), space), { maxLength: 8 })
  .map((parts) => {
    const operations: Operation[] = []
    let text = ''
    for (const [[operands, operator, between], picture, gap] of parts) {
      text += `${gap}${sequence([...operands, { text: operator, value: undefined }], between)}`
      operations.push({ operator, operands: operands.map(({ value }) => value) })
      if (picture === null) continue
      text += `${gap}${picture}`
      // its dictionary is between two operators
      operations.push({ operator: 'BI', operands: [] })
    }
    return { bytes: new Uint8Array(Buffer.from(text, 'latin1')), operations }
  })
