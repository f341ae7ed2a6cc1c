/**
 * Splits a multipart form (RFC 7578) into its parts as it arrives. Boundaries are searched natively: busboy, which
 * reads the heads, would look at the content of a file in JavaScript, which takes longer than the rest of an upload.
 */

import { MIMEType } from 'node:util'
import busboy from 'busboy'
import type { FieldText } from '../../field-texts/bilingual.ts'
import { fieldText } from '../../field-texts/field-text.ts'

/** A malformed form. */
export class FormError extends Error {
  readonly text: FieldText
  constructor(text: FieldText, options?: ErrorOptions) {
    super(text.en, options)
    this.text = text
  }
}

/** @param field undefined for a part without a name */
export type PartHead =
  | { kind: 'file'; field: string | undefined; filename: string | undefined }
  | { kind: 'text'; field: string | undefined; value: string }

export type PartTarget = {
  /** The target takes ownership of bytes that are the whole of their buffer. */
  write(bytes: Buffer): Promise<void> | void
  end(): Promise<void> | void
}

const END_OF_HEAD = Buffer.from('\r\n\r\n')
const MAX_HEAD_BYTES = 16 * 1024
const [SPACE, TAB] = [0x20, 0x09]
const MAX_PADDING_BYTES = 1_000
const NOTHING = Buffer.alloc(0)

/**
 * @param content of a text field; UTF-8 unless its head names another charset
 * @returns undefined for a part that is no form field
 * @throws FormError
 */
export function readPart(boundary: string, head: Buffer, content: Buffer = NOTHING): PartHead | undefined {
  const coding = CODED.exec(head.toString('latin1'))?.[1]
  if (coding !== undefined) throw new FormError(fieldText('formCoding', { coding: coding.toLowerCase() }))
  const found: PartHead[] = []
  let failure: unknown
  const fieldSize = content.length + 1
  const parser = busboy({
    headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    defParamCharset: 'utf8',
    limits: { fieldSize },
  })
  parser.on('error', (error) => {
    failure ??= error
  })
  parser.on('file', (field: string | undefined, stream, { filename }: { filename: string | undefined }) => {
    stream.resume()
    found.push({ kind: 'file', field, filename })
  })
  parser.on('field', (field: string | undefined, value) => found.push({ kind: 'text', field, value }))
  const [begin, end] = [`--${boundary}\r\n`, `\r\n--${boundary}--`].map((text) => Buffer.from(text)) as [Buffer, Buffer]
  parser.write(Buffer.concat([begin, head, END_OF_HEAD, content, end]))
  parser.destroy()
  if (failure !== undefined || found.length > 1) throw new FormError(fieldText('formHead'), { cause: failure })
  return found[0]
}

/**
 * Transfer encodings of RFC 2045 that change the bytes. RFC 7578 has none, so the encoded text would be stored as the
 * file.
 */
const CODED = /^content-transfer-encoding:\s*(base64|quoted-printable)/im

/** Printable ASCII that needs no escapes. */
const BOUNDARY = /^[ !#-[\]-~]{1,200}$/

/** @returns undefined for a media type without a usable boundary */
export function boundaryOf(contentType: string): string | undefined {
  try {
    const boundary = new MIMEType(contentType).params.get('boundary')
    return boundary !== null && BOUNDARY.test(boundary) ? boundary : undefined
  } catch {
    // not a media type
    return undefined
  }
}

/** How many bytes at the end may be the beginning of the delimiter. */
function heldBack(bytes: Buffer, delimiter: Buffer): number {
  for (let at = Math.max(0, bytes.length - delimiter.length + 1); ; at++) {
    at = bytes.indexOf(delimiter[0] as number, at)
    if (at < 0) return 0
    if (delimiter.subarray(0, bytes.length - at).equals(bytes.subarray(at))) return bytes.length - at
  }
}

export class FormParts {
  private readonly delimiter: Buffer
  private state: 'content' | 'mark' | 'head' | 'end' = 'content'
  /** Undefined before the first part. */
  private target: PartTarget | undefined
  /**
   * Held bytes that may belong to an incomplete delimiter or head. The first delimiter needs no line break before it.
   */
  private held: Buffer = Buffer.from('\r\n')

  /** @param begin called with the head of each part; its content goes to the target */
  constructor(
    boundary: string,
    private readonly begin: (head: Buffer) => Promise<PartTarget> | PartTarget,
  ) {
    this.delimiter = Buffer.from(`\r\n--${boundary}`)
  }

  /** @throws FormError, and any error of a target */
  async add(chunk: Buffer): Promise<void> {
    let rest = await this.join(chunk)
    while (rest.length > 0 && this.state !== 'end') {
      const next = await this.step(rest)
      if (next === undefined) return
      rest = next
    }
  }

  /** @throws FormError when the form has not ended */
  end(): void {
    if (this.state !== 'end') throw new FormError(fieldText('formIncomplete'))
  }

  /** Prepends the held bytes to the chunk, which is copied only when it continues a delimiter or a head. */
  private async join(chunk: Buffer): Promise<Buffer> {
    const { held, delimiter } = this
    if (held.length === 0) return chunk
    this.held = NOTHING
    const mayContinue = Buffer.concat([held, chunk.subarray(0, delimiter.length)])
    if (this.state !== 'content' || chunk.length < delimiter.length || mayContinue.includes(delimiter))
      return Buffer.concat([held, chunk])
    await this.target?.write(held)
    return chunk
  }

  /** @returns the rest, or undefined when more has to arrive */
  private async step(rest: Buffer): Promise<Buffer | undefined> {
    if (this.state === 'content') return this.readContent(rest)
    if (this.state === 'mark') return this.readMark(rest)
    const end = rest.indexOf(END_OF_HEAD)
    if (Math.max(end, end < 0 ? rest.length : 0) > MAX_HEAD_BYTES)
      throw new FormError(fieldText('formHeadBytes', { most: MAX_HEAD_BYTES }))
    if (end < 0) return this.hold(rest)
    if (rest.subarray(0, end).includes(this.delimiter)) throw new FormError(fieldText('formBoundaryInHead'))
    this.target = await this.begin(Buffer.from(rest.subarray(0, end)))
    this.state = 'content'
    return rest.subarray(end + END_OF_HEAD.length)
  }

  /** The end of a boundary's line; white space may precede it (RFC 2046, 5.1.1). */
  private readMark(rest: Buffer): Buffer | undefined {
    let start = 0
    while (rest[start] === SPACE || rest[start] === TAB) start++
    if (start > MAX_PADDING_BYTES) throw new FormError(fieldText('formBoundary'))
    if (rest.length < start + 2) return this.hold(rest)
    const mark = rest.toString('latin1', start, start + 2)
    if (mark !== '\r\n' && (mark !== '--' || start > 0)) throw new FormError(fieldText('formBoundary'))
    this.state = mark === '--' ? 'end' : 'head'
    return rest.subarray(start + 2)
  }

  private async readContent(rest: Buffer): Promise<Buffer | undefined> {
    const { target, delimiter } = this
    const at = rest.indexOf(delimiter)
    if (at < 0) {
      const length = rest.length - heldBack(rest, delimiter)
      if (length < rest.length) this.hold(rest.subarray(length))
      if (length > 0) await target?.write(rest.subarray(0, length))
      return undefined
    }
    if (at > 0) await target?.write(rest.subarray(0, at))
    await target?.end()
    this.target = undefined
    this.state = 'mark'
    return rest.subarray(at + delimiter.length)
  }

  /** A copy, because the chunk's memory may be freed. */
  private hold(rest: Buffer): undefined {
    this.held = Buffer.from(rest)
  }
}
