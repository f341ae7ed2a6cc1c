/**
 * Reads the plain part of XML that programs write GML in: elements, attributes, texts and comments. It works on bytes,
 * because a parser that makes strings of everything takes longer than all that is done with them. What is not plain, or
 * not well-formed, is `Unusual`; another parser then decides.
 */
import { GAP_BYTES, GmlBytes, unusual } from './gml-bytes.ts'

/** A name of elements or attributes; there is one object for each name in a file. */
export type Name = {
  bytes: Uint8Array
  text: string
  /** Without its prefix. */
  local: string
  /** Of the element with this local name; 0 by default. */
  kind: number
}

const [TAB, NEWLINE, RETURN, SPACE] = [0x09, 0x0a, 0x0d, 0x20]
const [QUOTE, APOSTROPHE, AMPERSAND, SLASH, LESS, EQUALS, GREATER] = [0x22, 0x27, 0x26, 0x2f, 0x3c, 0x3d, 0x3e]
const [EXCLAMATION, DASH, BRACKET] = [0x21, 0x2d, 0x5d]

/** What a text has in it; from `STOP` on, it ends there. */
const [PLAIN, NOT_ASCII, REFERENCE, NOT_NORMAL, CLOSING, STOP] = [0, 1, 2, 4, 8, 16]
const TEXT_BYTES = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === LESS || (byte < SPACE && byte !== TAB && byte !== NEWLINE && byte !== RETURN)) return STOP
  if (byte === AMPERSAND) return REFERENCE
  if (byte === RETURN) return NOT_NORMAL
  if (byte === GREATER) return CLOSING
  return byte >= 0x80 ? NOT_ASCII : PLAIN
})
const NAME_BYTES = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 || /[\w:.-]/.test(String.fromCharCode(byte)) ? 1 : 0,
)
/** Letters that all versions of XML allow in names, with at most one prefix. */
const NAME = /^(?:[A-Za-z_][\w.-]*:)?[A-Za-z_\u0621-\u063A\u0641-\u064A][\w.\u0621-\u063A\u0641-\u064A-]*$/
const DECLARATION =
  /^(?:\xef\xbb\xbf)?(?:<\?xml[ \t\r\n]+version=(["'])1\.0\1(?:[ \t\r\n]+encoding=(["'])[Uu][Tt][Ff]-8\2)?(?:[ \t\r\n]+standalone=(["'])(?:yes|no)\3)?[ \t\r\n]*\?>)?/

const MAX_SPACE = 1 << 13
const MAX_NAMES = 4_000
const MAX_ATTRIBUTES = 64

const isSpace = (byte: number | undefined): boolean =>
  byte === SPACE || byte === NEWLINE || byte === TAB || byte === RETURN

export class GmlTokens extends GmlBytes {
  /** Whether the last start tag was one of an empty element. */
  isEmpty = false
  attributeCount = 0
  readonly attributeNames: Name[] = []
  private readonly valueStarts: number[] = []
  private readonly valueEnds: number[] = []
  private textStart = 0
  private textFlags = PLAIN
  private readonly kinds: ReadonlyMap<string, number>
  private readonly names = new Map<number, Name>()
  /** @param kinds of elements by their names without prefix */
  constructor(path: string, kinds: ReadonlyMap<string, number>) {
    super(path)
    this.kinds = kinds
  }

  skipDeclaration(): void {
    this.requireGap()
    this.at = DECLARATION.exec(this.bytes.toString('latin1', 0, Math.min(this.end, 200)))?.[0].length ?? 0
  }

  /** Makes the rest of an element available. */
  requireElement({ bytes }: Name): void {
    this.requireEndTag(Buffer.concat([Buffer.from('</'), bytes]), (byte) => NAME_BYTES[byte] === 1)
  }

  get isAtTag(): boolean {
    return this.bytes[this.at] === LESS
  }

  get isAtEndTag(): boolean {
    return this.bytes[this.at] === LESS && this.bytes[this.at + 1] === SLASH
  }

  get isAtComment(): boolean {
    return this.bytes[this.at] === LESS && this.bytes[this.at + 1] === EXCLAMATION
  }

  space(): void {
    const { bytes, at } = this
    let to = at
    while (isSpace(bytes[to])) to++
    if (to - at > MAX_SPACE) unusual()
    this.at = to
  }

  comment(): void {
    const { bytes } = this
    let at = this.at + 2
    if (bytes[at] !== DASH || bytes[at + 1] !== DASH) unusual()
    for (at += 2; bytes[at] !== DASH || bytes[at + 1] !== DASH; at++)
      if (bytes[at] !== LESS && TEXT_BYTES[bytes[at] as number] === STOP) unusual()
    if (bytes[at + 2] !== GREATER) unusual()
    this.at = at + 3
  }

  startTag(): Name {
    const { bytes } = this
    if (bytes[this.at] !== LESS) unusual()
    const name = this.name(this.at + 1)
    this.attributeCount = 0
    if (bytes[this.at] === GREATER) {
      this.at++
      this.isEmpty = false
    } else this.attributes()
    return name
  }

  private name(start: number): Name {
    const { bytes } = this
    let hash = 0
    let at = start
    for (let byte = bytes[at] as number; NAME_BYTES[byte] === 1; byte = bytes[++at] as number)
      hash = (Math.imul(hash, 31) + byte) | 0
    this.at = at
    const known = this.names.get(hash)
    if (known === undefined) return this.newName(hash, start, at)
    const { bytes: expected } = known
    if (expected.length !== at - start) unusual()
    for (let i = 0; i < expected.length; i++) if (expected[i] !== bytes[start + i]) unusual()
    return known
  }

  private newName(hash: number, start: number, end: number): Name {
    const text = this.bytes.toString('utf8', start, end)
    if (!NAME.test(text) || this.names.size >= MAX_NAMES) unusual()
    const local = text.slice(text.indexOf(':') + 1)
    const bytes = Uint8Array.prototype.slice.call(this.bytes, start, end)
    const name = { bytes, text, local, kind: this.kinds.get(local) ?? 0 }
    this.names.set(hash, name)
    return name
  }

  private attributes(): void {
    const { bytes, attributeNames, valueStarts, valueEnds } = this
    for (;;) {
      const before = this.at
      this.space()
      const byte = bytes[this.at]
      if (byte === GREATER || byte === SLASH) {
        this.isEmpty = byte === SLASH
        if (this.isEmpty && bytes[++this.at] !== GREATER) unusual()
        this.at++
        return
      }
      const count = this.attributeCount++
      if (this.at === before || count === MAX_ATTRIBUTES) unusual()
      const name = this.name(this.at)
      for (let i = 0; i < count; i++) if (attributeNames[i] === name) unusual()
      attributeNames[count] = name
      this.space()
      if (bytes[this.at] !== EQUALS) unusual()
      this.at++
      this.space()
      const quote = bytes[this.at]
      if (quote !== QUOTE && quote !== APOSTROPHE) unusual()
      const start = ++this.at
      let to = start
      let flags = PLAIN
      for (let value = bytes[to] as number; value !== quote; value = bytes[++to] as number) {
        const flag = TEXT_BYTES[value] as number
        if (flag === STOP) unusual()
        flags |= flag
      }
      valueStarts[count] = start
      valueEnds[count] = to
      this.at = to + 1
      if ((flags & REFERENCE) !== 0) withoutReferences(this.bytes.toString('latin1', start, to))
    }
  }

  /** The value of an attribute of the last start tag. */
  value(index: number): string {
    const value = this.bytes.toString('utf8', this.valueStarts[index], this.valueEnds[index])
    // white space other than blanks becomes blanks
    return /[&\t\n\r]/.test(value) ? unusual() : value
  }

  attribute(name: string): string | undefined {
    for (let i = 0; i < this.attributeCount; i++) if (this.attributeNames[i]?.text === name) return this.value(i)
    return undefined
  }

  endTag({ bytes: name }: Name): void {
    const { bytes } = this
    let { at } = this
    if (bytes[at] !== LESS || bytes[at + 1] !== SLASH) unusual()
    at += 2
    for (let i = 0; i < name.length; i++, at++) if (bytes[at] !== name[i]) unusual()
    while (isSpace(bytes[at])) at++
    if (bytes[at] !== GREATER) unusual()
    this.at = at + 1
  }

  /** Skips the text up to the next tag. */
  skipText(): void {
    const { bytes, at: start } = this
    let at = start
    let flags = PLAIN
    for (let flag = TEXT_BYTES[bytes[at] as number] as number; flag < STOP; ) {
      flags |= flag
      flag = TEXT_BYTES[bytes[++at] as number] as number
    }
    if (bytes[at] !== LESS) unusual()
    this.textStart = start
    this.textFlags = flags
    this.at = at
    if ((flags & (CLOSING | REFERENCE)) !== 0) this.checkText()
    this.checkLines(start)
  }

  /** Refuses what was read since if it is a text of very many lines. */
  checkLines(start: number): void {
    if (this.at - start > GAP_BYTES && hasManyLines(this.bytes, start, this.at)) unusual()
  }

  private checkText(): void {
    const { bytes, textStart, at } = this
    for (let i = textStart; i < at; i++)
      if (bytes[i] === GREATER && bytes[i - 1] === BRACKET && bytes[i - 2] === BRACKET) unusual()
    if ((this.textFlags & REFERENCE) !== 0) withoutReferences(bytes.toString('latin1', textStart, at))
  }

  get hasText(): boolean {
    return this.at > this.textStart
  }

  /** The text that was skipped last. */
  get text(): string {
    const { bytes, textStart, textFlags, at } = this
    if (textFlags === PLAIN) return bytes.toString('latin1', textStart, at)
    let text = bytes.toString('utf8', textStart, at)
    if ((textFlags & NOT_NORMAL) !== 0) text = text.replace(/\r\n?/g, '\n')
    return (textFlags & REFERENCE) === 0 ? text : withoutReferences(text)
  }
}

/** GDAL stops where a text has a line for nearly every second byte of its buffer. */
const MAX_LINES = 1 << 14

function hasManyLines(bytes: Uint8Array, start: number, end: number): boolean {
  let lines = 0
  for (let at = start; at < end; at++) if (bytes[at] === NEWLINE || bytes[at] === RETURN) lines++
  return lines > MAX_LINES
}

const NAMED = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

function withoutReferences(text: string): string {
  return text.replace(/&(?:([a-z]+)|#(\d{1,7})|#x([\da-fA-F]{1,6}));|&/g, (_, name, decimal, hexadecimal) => {
    if (name !== undefined) return NAMED.get(name) ?? unusual()
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '0', 16) : Number(decimal)
    const isCharacter =
      code === TAB || code === NEWLINE || code === RETURN || (code >= SPACE && code < 0xd800) || code >= 0xe000
    if (!isCharacter || code === 0xfffe || code === 0xffff || code > 0x10ffff) unusual()
    return String.fromCodePoint(code)
  })
}
