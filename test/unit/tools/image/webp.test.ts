/** The container of WebP files, which libvips and ImageMagick read. */
import { expect, test } from 'bun:test'
import sharp from 'sharp'
import { difference, identify, picture, rgba } from '../../../support/formats/images.ts'
import { runTool } from '../../../support/workers/engine.ts'

test.each([
  ['opaque', 'PNG24:', 'Groundwave'],
  ['opaque, odd length', 'PNG24:', 'Groundwave.'],
  ['transparent', 'PNG32:', 'Groundwave'],
  ['transparent, odd length', 'PNG32:', 'Groundwave.'],
])('an upright picture keeps its EXIF data in WebP: %s', async (_, form, owner) => {
  const source = picture('a.png', '-size', '40x25', 'gradient:rgba(200,0,0,1)-rgba(0,0,200,0.2)', form)
  const content = await sharp(source.content)
    .withExif({ IFD0: { Copyright: owner, Model: 'N1' } })
    .png()
    .toBuffer()
  const { path } = await runTool('image.convert-format', { file: { name: 'a.png', content }, target_format: 'webp' })
  expect(identify(path, '%[EXIF:Copyright] %[EXIF:Model] %w %h')).toBe(`${owner} N1 40 25`)
  expect(difference(rgba(source.path), rgba(path)).mean).toBeLessThan(3)
  // the length in the header equals the file's length, and libwebp finds all chunks whole
  const bytes = Buffer.from(await Bun.file(path).arrayBuffer())
  expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8)
  expect((await sharp(path).metadata()).hasAlpha).toBe(form === 'PNG32:')
})

test('a colour profile is kept in WebP', async () => {
  const source = picture('a.png', '-size', '40x25', 'gradient:red-blue', 'PNG24:')
  const content = await sharp(source.content).withIccProfile('p3').jpeg({ quality: 100 }).toBuffer()
  const { path } = await runTool('image.convert-format', { file: { name: 'a.jpg', content }, target_format: 'webp' })
  expect((await sharp(path).metadata()).icc).toEqual((await sharp(content).metadata()).icc as Buffer)
})

test.each([
  ['grey', 'grey.png', ['-depth', '8']],
  ['grey JPEG', 'grey.jpg', ['-quality', '100']],
  ['grey of 16 bits', 'deep.png', ['-depth', '16']],
  ['grey with transparency', 'glass.png', ['-depth', '8', '-alpha', 'set', '-channel', 'A', '-evaluate', 'set', '40%']],
])('%s becomes WebP', async (_, name, options) => {
  const source = picture(name, '-size', '97x61', 'gradient:', '-colorspace', 'Gray', ...options)
  const to = { target_format: 'webp' }
  const { path, data } = await runTool('image.convert-format', { file: source, ...to })
  expect(data).toEqual({ width: 97, height: 61, format: 'webp' })
  expect(difference(rgba(source.path), rgba(path)).mean).toBeLessThan(2)
  // the other tools that write the format of their source
  const webp = { name: 'a.webp', content: await Bun.file(path).bytes() }
  for (const [tool, input] of [
    ['image.enhance-quality', {}],
    ['image.image-watermark', { text: 'x' }],
  ] as const)
    expect((await runTool(tool, { file: webp, ...input })).data).toEqual({ width: 97, height: 61, format: 'webp' })
})
