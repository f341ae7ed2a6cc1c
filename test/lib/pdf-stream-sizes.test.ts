/** PDFs whose streams decode to far more than they are. */
import { expect, test } from 'bun:test'
import { deflateSync } from 'node:zlib'
import { checkDecodedSizes, checkNestedStreams } from '../../src/lib/pdf/stream-sizes.ts'
import { refusal, runTool } from '../support/engine.ts'

const MB = 2 ** 20

/** One page with the given content stream, as the dictionary's entries and the data. */
function pdfWith(entries: string, data: Uint8Array, more: readonly [string, Uint8Array][] = []): Buffer {
  const dictionary = (text: string): Buffer => Buffer.from(text)
  const stream = ([text, bytes]: readonly [string, Uint8Array]): Buffer =>
    Buffer.concat([Buffer.from(`<</Length ${bytes.length}${text}>>\nstream\n`), bytes, Buffer.from('\nendstream')])
  const names = more.map((_, i) => `/I${i} ${5 + i} 0 R`).join('')
  const objects = [
    dictionary('<</Type/Catalog/Pages 2 0 R>>'),
    dictionary('<</Type/Pages/Kids[3 0 R]/Count 1>>'),
    dictionary(`<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Resources<</XObject<<${names}>>>>/Contents 4 0 R>>`),
    stream([entries, data]),
    ...more.map(stream),
  ]
  const parts: Buffer[] = [Buffer.from('%PDF-1.5\n')]
  const offsets: number[] = []
  let at = parts[0]?.length ?? 0
  for (const [i, object] of objects.entries()) {
    const part = Buffer.concat([Buffer.from(`${i + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')])
    offsets.push(at)
    at += part.length
    parts.push(part)
  }
  const entry = (offset: number): string => `${String(offset).padStart(10, '0')} 00000 n \n`
  const size = objects.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.map(entry).join('')}`
  parts.push(Buffer.from(`${table}trailer<</Size ${size}/Root 1 0 R>>\nstartxref\n${at}\n%%EOF\n`))
  return Buffer.concat(parts)
}

const FLATE = '/Filter/FlateDecode'
const spaces = (bytes: number): Buffer => Buffer.alloc(bytes, ' ')
const bomb = (): Buffer => pdfWith(FLATE, deflateSync(spaces(300 * MB), { level: 9 }))

test.each([
  ['document.pdf-to-images', {}],
  ['document.pdf-to-word', {}],
  ['document.ocr', {}],
  ['document.compress-pdf', {}],
] as const)('%s refuses a small file whose page content is 300 MB', async (id, more) => {
  const content = bomb()
  expect(content.length).toBeLessThan(400_000)
  expect(await refusal(id, { file: { name: 'a.pdf', content }, ...more })).toMatchObject({
    code: 'FILE_TOO_LARGE',
    field: 'file',
    rule: 'decodedBytes',
  })
})

test('a file that is compressed twice is refused by tools that leave content as it is, too', async () => {
  const twice = deflateSync(deflateSync(spaces(300 * MB), { level: 9 }), { level: 9 })
  const content = pdfWith('/Filter[/FlateDecode /FlateDecode]', twice)
  expect(content.length).toBeLessThan(10_000)
  const input = { file: { name: 'a.pdf', content }, operations: { rotations: { 0: 90 } } }
  expect(await refusal('document.rotate-pages', input)).toMatchObject({ code: 'FILE_TOO_LARGE', rule: 'decodedBytes' })
})

test('many images of a page that are large together', async () => {
  const pixels = deflateSync(Buffer.alloc((20_000 * 20_000) / 8), { level: 9 })
  const image = `${FLATE}/Type/XObject/Subtype/Image/Width 20000/Height 20000/BitsPerComponent 1/ColorSpace/DeviceGray`
  const content = pdfWith(FLATE, deflateSync(Buffer.from('')), Array(3).fill([image, pixels]))
  await expect(checkDecodedSizes(content, 1)).rejects.toMatchObject({ rule: 'pixels' })
  await checkDecodedSizes(content, 2)
})

test('what real documents contain passes', async () => {
  const text = 'BT /F1 12 Tf 72 700 Td (Some text) Tj ET\n'
  const content = deflateSync(Buffer.from(text.repeat(500_000)))
  await checkDecodedSizes(pdfWith(FLATE, content), 1)
  // one filter in a list, and a text filter in front of another one
  await checkNestedStreams(pdfWith('/Filter [ /FlateDecode ]', content))
  await checkNestedStreams(pdfWith('/Filter[/ASCII85Decode/FlateDecode]', Buffer.from('Gar8O>=u0k~>')))
  const { data } = await runTool('document.rotate-pages', {
    file: { name: 'a.pdf', content: pdfWith(FLATE, content) },
    operations: { rotations: { 0: 90 } },
  })
  expect(data.pageCount).toBe(1)
})
