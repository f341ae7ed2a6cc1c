/** Forms are split as busboy splits them, wherever their bytes are cut into chunks. */
import { expect, test } from 'bun:test'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import busboy from 'busboy'
import { boundaryOf, FormError, FormParts, readPart } from '../../../src/http/body/form-parts.ts'
import { seeded } from '../../support/random.ts'

const BOUNDARY = '--b-b'
const DELIMITER = `\r\n--${BOUNDARY}`

type Part = { field: string | undefined; filename: string | undefined; content: string }

/** @param cuts returns the size of each chunk */
async function split(body: Buffer, cuts: () => number): Promise<Part[]> {
  const parts: Part[] = []
  const form = new FormParts(BOUNDARY, (head) => {
    const part = readPart(BOUNDARY, head)
    const chunks: Buffer[] = []
    return {
      write: (bytes) => void chunks.push(Buffer.from(bytes)),
      end() {
        if (part === undefined) return
        const content = Buffer.concat(chunks)
        const text = readPart(BOUNDARY, head, content)
        const value = text?.kind === 'text' ? text.value : content.toString('latin1')
        parts.push({ field: part.field, filename: part.kind === 'file' ? part.filename : undefined, content: value })
      },
    }
  })
  for (let at = 0; at < body.length; ) {
    const length = Math.max(1, cuts())
    // each in a separate buffer, like chunks of a socket, which is freed afterwards
    const chunk = Buffer.from(new Uint8Array(body.subarray(at, at + length)).buffer)
    await form.add(chunk)
    chunk.fill(0)
    at += length
  }
  form.end()
  return parts
}

async function splitByBusboy(body: Buffer): Promise<Part[]> {
  const parts: Part[] = []
  const parser = busboy({
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    defParamCharset: 'utf8',
  })
  parser.on('file', (field, stream, { filename }) => {
    const part: Part = { field, filename, content: '' }
    parts.push(part)
    stream.on('data', (chunk: Buffer) => {
      part.content += chunk.toString('latin1')
    })
  })
  parser.on('field', (field, content) => parts.push({ field, filename: undefined, content }))
  const read = finished(parser)
  Readable.from([body]).pipe(parser)
  await read
  return parts
}

const HEADS = [
  'content-disposition: form-data; name="file"; filename="a.tif"\r\ncontent-type: image/tiff',
  'Content-Disposition: form-data; name=text',
  'content-disposition: form-data; name="latin"\r\ncontent-type: text/plain; charset=iso-8859-1',
  `content-disposition: form-data; name="خريطة"; filename="C:\\x\\نقاط.geojson"`,
  `content-disposition: form-data; name="file"; filename*=UTF-8''%d9%86.tif`,
  'content-disposition: form-data; name="a \\"quoted\\" name"; filename=""',
  'content-disposition: form-data;\r\n name="folded"',
  'content-disposition: attachment; name="skipped"',
  'content-type: text/plain',
]

test('reads random forms in chunks of every size', async () => {
  const random = seeded(77)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const content = (): string =>
    Array.from({ length: Math.floor(random() * 12) }, () =>
      pick(['\r', '\n', '\r\n', '-', '--', DELIMITER.slice(0, 3 + Math.floor(random() * 5)), 'x', '\xe9', '\0', 'yy']),
    )
      .join('')
      .replaceAll(DELIMITER, '')
  const wanted: Part[] = []
  for (let round = 0; round < 400; round++) {
    const parts = Array.from({ length: Math.floor(random() * 5) }, () => ({ head: pick(HEADS), content: content() }))
    const bytes = parts.flatMap(({ head, content }, i) => [
      Buffer.from(`${i === 0 ? pick([DELIMITER.slice(2), DELIMITER]) : DELIMITER}\r\n${head}\r\n\r\n`),
      // a line before the boundary keeps it from being parsed as part of the head
      Buffer.from(`z${content}`, 'latin1'),
    ])
    const first = parts.length === 0 ? DELIMITER.slice(2) : DELIMITER
    const body = Buffer.concat([...bytes, Buffer.from(`${first}--${pick(['', '\r\n', `\r\n${DELIMITER}\r\nmore`])}`)])
    const expected = await splitByBusboy(body)
    wanted.push(...expected)
    for (const largest of [1, 2, 7, 40, 1_000]) {
      const found = await split(body, () => Math.ceil(random() * largest))
      expect({ body: body.toString('latin1'), found }).toEqual({ body: body.toString('latin1'), found: expected })
    }
  }
  expect(wanted.length).toBeGreaterThan(500)
  expect(new Set(wanted.map(({ field }) => field))).toEqual(
    new Set(['file', 'text', 'latin', 'خريطة', 'a "quoted" name', 'folded']),
  )
})

const part = (head: string, content = ''): string => `--${BOUNDARY}\r\n${head}\r\n\r\n${content}`
test.each([
  ['nothing', ''],
  ['no boundary', 'text'],
  ['no end', part(HEADS[0] as string, 'content')],
  ['an end without its dashes', `${part(HEADS[0] as string, 'content')}${DELIMITER}`],
  ['a boundary with more text', `${part(HEADS[0] as string, 'content')}${DELIMITER}x\r\n\r\n${DELIMITER}--`],
  ['a head without a colon', `${part('content-disposition')}${DELIMITER}--`],
  ['a boundary in a head', `${part(`content-disposition: form-data${DELIMITER}`)}${DELIMITER}--`],
  ['an empty head', `--${BOUNDARY}\r\n\r\n\r\ncontent${DELIMITER}--`],
  ['a long head', `${part(`content-disposition: form-data; name="${'x'.repeat(17_000)}"`)}${DELIMITER}--`],
  ['a head that never ends', `--${BOUNDARY}\r\n${'x: y\r\n'.repeat(10_000)}`],
])('refuses a form with %s', async (_what, text) => {
  for (const size of [1, 3, 100_000]) await expect(split(Buffer.from(text), () => size)).rejects.toThrow(FormError)
})

test('reads boundaries of media types', () => {
  const of = (parameters: string) => boundaryOf(`multipart/form-data${parameters}`)
  expect(of('; boundary=----x')).toBe('----x')
  expect(of(';Boundary="a b\'c"; charset=utf-8')).toBe("a b'c")
  expect(of('; boundary=a; boundary=b')).toBe('a')
  for (const refused of ['', '; boundary=', '; boundary=""', '; boundary=é', `; boundary=${'x'.repeat(201)}`])
    expect(of(refused)).toBeUndefined()
  expect(boundaryOf('multipart/form-data, multipart/form-data; boundary=x')).toBeUndefined()
})
