/** PDFs whose streams decode to far more than their size. */
import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import { decodedBytes } from '../../../src/lib/pdf/structure/filter-sizes.ts'
import { checkChainedStreams, checkDecodedSizes } from '../../../src/lib/pdf/structure/stream-sizes.ts'
import { ENCODERS, lzwOfZeros } from '../../support/formats/filters.ts'
import { freshPath, run } from '../../support/formats/pdfs.ts'
import { refusal, runTool } from '../../support/workers/engine.ts'

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

test('a doubly compressed file is refused also by tools that do not change the content', async () => {
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

test('streams of real documents pass', async () => {
  const text = 'BT /F1 12 Tf 72 700 Td (Some text) Tj ET\n'
  const content = deflateSync(Buffer.from(text.repeat(500_000)))
  await checkDecodedSizes(pdfWith(FLATE, content), 1)
  // one filter in a list, and a text filter in front of another one
  await checkChainedStreams(pdfWith('/Filter [ /FlateDecode ]', content))
  await checkChainedStreams(pdfWith('/Filter[/ASCII85Decode/FlateDecode]', Buffer.from('Gar8O>=u0k~>')))
  const { data } = await runTool('document.rotate-pages', {
    file: { name: 'a.pdf', content: pdfWith(FLATE, content) },
    operations: { rotations: { 0: 90 } },
  })
  expect(data.pageCount).toBe(1)
})

/** Chains of filters, and for each a small file that decodes to far more than the limits. */
const CHAINS: Record<string, () => [entries: string, data: Buffer]> = {
  LZW: () => ['/Filter/LZWDecode', lzwOfZeros(100).data],
  'LZW in ASCII85': () => ['/Filter[/ASCII85Decode/LZWDecode]', encode('ASCII85Decode', lzwOfZeros(100).data)],
  'LZW under its short name, with escaped characters': () => ['/#46ilter/LZ#57', lzwOfZeros(100).data],
  'LZW behind a dictionary of 5,000 bytes': () => [
    `/Filter/LZWDecode/X(${'x'.repeat(5_000)} 9 0 obj)`,
    lzwOfZeros(100).data,
  ],
  'LZW among other lists of filters': () => [
    '/Filter/LZWDecode/X<</Filter/FlateDecode>>/Y<</Filter[/ASCIIHexDecode]>>',
    lzwOfZeros(100).data,
  ],
  'Flate in LZW': () => ['/Filter[/LZWDecode/FlateDecode]', encode('LZWDecode', deflateSync(spaces(300 * MB)))],
  'Flate in ASCII85': () => [
    '/Filter[/ASCII85Decode/FlateDecode]',
    encode('ASCII85Decode', deflateSync(spaces(300 * MB))),
  ],
  'run lengths in Flate': () => [
    '/Filter[/FlateDecode/RunLengthDecode]',
    deflateSync(Buffer.alloc(2 * 2_500_000, Buffer.from([129, 32]))),
  ],
  'run lengths in Flate in hexadecimal digits': () => [
    '/Filter[/AHx /Fl /RL]',
    encode('ASCIIHexDecode', deflateSync(Buffer.alloc(2 * 2_500_000, Buffer.from([129, 32])))),
  ],
}
const encode = (name: string, data: Buffer): Buffer => (ENCODERS[name] as (bytes: Buffer) => Buffer)(data)

test('LZW decodes to as many zeros as in qpdf', async () => {
  const { data, bytes } = lzwOfZeros(3)
  const path = freshPath('lzw.pdf')
  writeFileSync(path, pdfWith('/Filter/LZWDecode', data))
  expect(run('qpdf', '--show-object=4', '--filtered-stream-data', path).length).toBe(bytes)
  expect(await decodedBytes(data, ['LZWDecode'], 1e9, 1e9)).toBe(bytes)
})

test.each(Object.keys(CHAINS))('%s is rejected by every tool that decodes it, at once', async (name) => {
  const [entries, data] = (CHAINS[name] as () => [string, Buffer])()
  const content = pdfWith(entries, data)
  expect(content.length).toBeLessThan(2 * MB)
  const startedMs = performance.now()
  for (const [id, more] of Object.entries(TOOLS))
    expect([id, await refusal(id, { file: { name: 'a.pdf', content }, ...more })]).toMatchObject([
      id,
      { code: 'FILE_TOO_LARGE', rule: 'decodedBytes' },
    ])
  expect(performance.now() - startedMs).toBeLessThan(20_000)
})
const TOOLS: Record<string, object> = {
  'document.compress-pdf': {},
  'document.pdf-to-images': {},
  'document.pdf-to-word': {},
  'document.ocr': {},
  'document.rotate-pages': { operations: { rotations: { 0: 90 } } },
  'document.split-pdf': { ranges: '1' },
  'document.pdf-watermark': { text: 'x' },
  'document.fill-pdf': { values: { a: 'b' } },
  'document.document-sign': { signature: 'logo.png', placements: [{ page: 0, x: 0, y: 0, w: 0.5, h: 0.5 }] },
}

test('the same with a password that only restricts changes, where sizes show after decryption', async () => {
  const [plain, locked] = [freshPath('bomb.pdf'), freshPath('locked.pdf')]
  writeFileSync(plain, pdfWith('/Filter/LZWDecode', lzwOfZeros(100).data))
  run('qpdf', '--stream-data=preserve', '--encrypt', '', 'owner', 256, '--', plain, locked)
  const file = { name: 'a.pdf', content: readFileSync(locked) }
  for (const [id, more] of Object.entries(TOOLS))
    expect([id, await refusal(id, { file, ...more })]).toMatchObject([id, { rule: 'decodedBytes' }])
})

test('an image with far more data than pixels is not decoded', async () => {
  const image = `${FLATE}/Type/XObject/Subtype/Image/Width 60/Height 40/BitsPerComponent 8/ColorSpace/DeviceGray`
  const data = deflateSync(Buffer.alloc(600 * MB), { level: 9 })
  const content = pdfWith('', Buffer.from('/I0 Do'), [[image, data]])
  for (const id of ['document.compress-pdf', 'document.pdf-to-images'])
    expect(await refusal(id, { file: { name: 'a.pdf', content } })).toMatchObject({ rule: 'decodedBytes' })
})

test('data that contains the keyword that ends streams', async () => {
  // a stored block of deflate, not marked as the last one, before the blocks with the spaces
  const block = Buffer.from(deflateSync(Buffer.from('endstream'), { level: 0 }).subarray(0, -4))
  block[2] = 0
  const data = Buffer.concat([block, deflateSync(spaces(300 * MB), { level: 9 }).subarray(2)])
  await expect(checkDecodedSizes(pdfWith(FLATE, data), 1)).rejects.toMatchObject({ rule: 'decodedBytes' })
})

test('filters that another object names, and ones that an object stream hides', async () => {
  const { data } = lzwOfZeros(100)
  const hidden = pdfWith('/Filter 90 0 R', data)
  const named = Buffer.concat([hidden, Buffer.from('\n90 0 obj [/LZWDecode] endobj\n')])
  for (const file of [hidden, named])
    await expect(checkChainedStreams(file)).rejects.toMatchObject({ rule: 'decodedBytes' })
  const flate = Buffer.concat([
    pdfWith('/Filter 90 0 R', deflateSync(spaces(1_000))),
    Buffer.from('90 0 obj /FlateDecode'),
  ])
  await checkChainedStreams(flate)
})

test('a file of many streams whose lengths are objects is checked in time that grows with its size', async () => {
  const seconds = async (count: number): Promise<number> => {
    const parts = Array.from({ length: count }, (_, i) => {
      const [stream, length] = [2 * i + 1, 2 * i + 2]
      return `${stream} 0 obj <</Length ${length} 0 R/Filter[/ASCIIHexDecode]>> stream\n00>\nendstream endobj\n${length} 0 obj 3 endobj\n`
    })
    const file = Buffer.from(parts.join(''))
    const startedMs = performance.now()
    await checkChainedStreams(file)
    return (performance.now() - startedMs) / 1_000
  }
  await seconds(1_000)
  const [few, many] = [await seconds(10_000), await seconds(80_000)]
  expect(many / few).toBeLessThan(8 ** 1.5)
  // lists of filters that never end
  const open = Buffer.from(`1 0 obj << ${'/Filter['.repeat(500_000)} >> stream\nx\nendstream`)
  const startedMs = performance.now()
  await checkChainedStreams(open)
  expect(performance.now() - startedMs).toBeLessThan(5_000)
})

test('counting the decoded bytes of chained streams costs about as much as decoding them', async () => {
  const page = Array.from({ length: 46 }, (_, i) => `BT 1 0 0 1 72 ${780 - 15 * i} Tm (Line ${i} of the page) Tj ET\n`)
  const data = encode('ASCII85Decode', deflateSync(Buffer.from(page.join(''))))
  const chain = '/Filter [ /ASCII85Decode /FlateDecode ]'
  const file = pdfWith(chain, data, Array(300).fill([chain, data]))
  const { PDFDocument, PDFRawStream, decodePDFRawStream } = await import('@cantoo/pdf-lib')
  const document = await PDFDocument.load(file)
  const decoded = (): number => {
    const objects = document.context.enumerateIndirectObjects().map(([, object]) => object)
    const streams = objects.filter((object) => object instanceof PDFRawStream)
    for (const stream of streams) decodePDFRawStream(stream).decode()
    return streams.length
  }
  expect(decoded()).toBe(301)
  const cpuOf = async (work: () => unknown): Promise<number> => {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  // the minimum of several runs, because compilation and garbage collection would count otherwise
  const least = async (work: () => unknown): Promise<number> => {
    const times: number[] = []
    for (let i = 0; i < 4; i++) times.push(await cpuOf(work))
    return Math.min(...times)
  }
  // 64 MB for each stream took a hundred times as long
  expect(await least(() => checkChainedStreams(file))).toBeLessThan(5 * (await least(decoded)))
})

test('documents of a program that writes pages in Flate and ASCII85', async () => {
  const content = readFileSync(new URL('../../fixtures/field-cases/170-five-pages.pdf', import.meta.url))
  const file = { name: 'five.pdf', content }
  const { data, path, warnings } = await runTool('document.merge-pdf', { files: Array(20).fill(file) })
  expect([data.pageCount, warnings]).toEqual([100, []])
  expect(run('pdftotext', path, '-').split('\f')).toHaveLength(101)
  expect((await runTool('document.pdf-to-images', { file, dpi: '72' })).data.pageCount).toBe(5)
})
