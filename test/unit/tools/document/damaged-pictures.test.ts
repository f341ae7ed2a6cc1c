/** PDFs with JPEG pictures whose data is damaged: the tools that show or rewrite them warn. */
import { expect, test } from 'bun:test'
import { photo, pictures, sized } from '../../../support/formats/image-pdfs.ts'
import { runTool } from '../../../support/workers/engine.ts'

const SMALL = { width: 300, height: 200 }
const encoded = (progressive: boolean): Promise<Buffer> =>
  photo().resize(SMALL).jpeg({ quality: 80, progressive }).toBuffer()
/** Noise in the middle of the compressed data, after which decoders continue. */
const withNoise = (jpeg: Buffer): Buffer =>
  Buffer.from(jpeg).fill(0x5a, Math.floor(jpeg.length / 2), Math.floor(jpeg.length / 2) + 12)
const sound = await encoded(false)
const damaged = withNoise(sound)

const dict = `${sized(SMALL.width, SMALL.height)} /ColorSpace /DeviceRGB`
const plain = (bytes: Buffer): [string, Uint8Array] => [`${dict} /Filter /DCTDecode`, bytes]
const asHex = (bytes: Buffer): [string, Uint8Array] => [
  `${dict} /Filter [/ASCIIHexDecode /DCTDecode]`,
  Buffer.from(`${bytes.toString('hex')}>`),
]

const INPUTS: Record<string, Record<string, unknown>> = {
  'document.pdf-to-images': { dpi: '72' },
  'document.compress-pdf': {},
  'document.pdf-to-word': {},
  'document.ocr': { lang: 'eng' },
}

const warningsOf = async (tool: string, ...given: [string, Uint8Array][]): Promise<string[]> =>
  (await runTool(tool, { ...INPUTS[tool], file: pictures(...given) })).warnings.filter((one) => one.includes('JPEG'))

test.each(Object.keys(INPUTS))('%s', async (tool) => {
  expect(await warningsOf(tool, plain(damaged))).toEqual([
    'A JPEG picture of the file is damaged: parts may be shifted or have other colours.',
  ])
  expect(await warningsOf(tool, plain(sound))).toEqual([])
})

test('pictures with further filters, and several pictures', async () => {
  const tool = 'document.pdf-to-images'
  expect(await warningsOf(tool, asHex(sound), asHex(damaged), plain(sound), plain(damaged))).toEqual([
    '2 JPEG pictures of the file are damaged: parts may be shifted or have other colours.',
  ])
})

test('progressive', async () => {
  const tool = 'document.pdf-to-images'
  const progressive = await encoded(true)
  expect(await warningsOf(tool, plain(progressive))).toEqual([])
  // a marker where codes are expected, about which libjpeg warns
  const marked = Buffer.from(progressive)
  marked.writeUInt16BE(0xffd3, Math.floor(progressive.length / 2))
  expect(await warningsOf(tool, plain(marked))).toHaveLength(1)
})
