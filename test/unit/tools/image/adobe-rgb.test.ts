/** Photos of cameras in Adobe RGB, which have no profile (DCF 2.0). */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { picture, rgba } from '../../../support/formats/images.ts'
import { outputOf } from '../../../support/program.ts'
import { runTool } from '../../../support/workers/engine.ts'

const convert = (file: { name: string; content: Uint8Array }, target_format: string) =>
  runTool('image.convert-format', { file, target_format })
const colourOf = (path: string): number[] => [...rgba(path).data.subarray(0, 3)]

/** @returns the path of the picture in a ZIP */
async function pageIn(zip: string): Promise<string> {
  const { path } = picture('page.png', 'xc:red')
  await Bun.write(path, outputOf('unzip', ['-p', zip]))
  return path
}

test('Adobe RGB, which EXIF data alone states, is applied', async () => {
  const photo = picture('photo.jpg', '-size', '16x16', 'xc:rgb(180,120,90)', '-quality', 100)
  outputOf('exiftool', ['-q', '-overwrite_original', '-ColorSpace#=65535', '-InteropIndex=R03', photo.path])
  const file = { name: 'photo.jpg', content: readFileSync(photo.path) }
  // Adobe RGB (1998), 4.3.5, and IEC 61966-2-1
  const [r, g, b] = [180, 120, 90].map((value) => (value / 255) ** (2 + 51 / 256)) as [number, number, number]
  const [x, y, z] = [
    0.57667 * r + 0.18556 * g + 0.18823 * b,
    0.29734 * r + 0.62736 * g + 0.07529 * b,
    0.02703 * r + 0.07069 * g + 0.99134 * b,
  ]
  const encoded = (linear: number) => 255 * (1.055 * linear ** (1 / 2.4) - 0.055)
  const expected = [
    encoded(3.2406 * x - 1.5372 * y - 0.4986 * z),
    encoded(-0.9689 * x + 1.8758 * y + 0.0415 * z),
    encoded(0.0557 * x - 0.204 * y + 1.057 * z),
  ]
  // results in JPEG lose a little
  const isExpected = (path: string) => {
    const colour = colourOf(path)
    for (const [i, value] of expected.entries()) expect(Math.abs((colour[i] as number) - value)).toBeLessThan(3)
  }
  isExpected((await convert(file, 'bmp')).path)
  isExpected((await runTool('image.merge-images', { files: [file, file] })).path)
  const pdf = await runTool('document.images-to-pdf', { files: [file], page_mode: 'fit' })
  const drawn = { file: { name: 'a.pdf', content: readFileSync(pdf.path) }, dpi: '72' }
  isExpected(await pageIn((await runTool('document.pdf-to-images', drawn)).path))
  // where the file can hold the profile, the samples stay
  const { path } = await convert(file, 'png')
  expect(colourOf(path)).toEqual(colourOf(photo.path))
  expect((await sharp(path).metadata()).hasProfile).toBe(true)
  expect(readFileSync((await convert(file, 'jpeg')).path)).toEqual(file.content)
})
