/** PDFs of images in any encoding, and the similarity of two renderings of a page. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { runTool } from '../workers/engine.ts'
import { FIXTURES } from '../workers/tools.ts'
import { rgba } from './images.ts'
import { drawn, freshPath, handMade, run, stream } from './pdfs.ts'

export type PdfFile = ReturnType<typeof handMade>

export const SIDE = { width: 1_800, height: 1_200 }
/** A photo of six by four inches at 300 dots per inch. */
export const photo = () =>
  sharp(join(FIXTURES, 'dull.jpg'))
    .resize({ ...SIDE, fit: 'fill' })
    .removeAlpha()
    .toColourspace('srgb')

/** A page of six by four inches for each image, given by its dictionary and bytes; a stencil paints blue. */
export function pictures(...given: [string, Uint8Array][]): PdfFile {
  const size = `/Type /XObject /Subtype /Image`
  return handMade([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${given.length} /Kids [${given.map((_, i) => `${4 + 2 * i} 0 R`).join(' ')}] >>`,
    stream('0.1 0.2 0.5 rg q 432 0 0 288 40 40 cm /Im Do Q'),
    ...given.flatMap(([dict, bytes], i) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 512 368] /Contents 3 0 R /Resources << /XObject << /Im ${5 + 2 * i} 0 R >> >> >>`,
      stream(Buffer.from(bytes).toString('latin1'), `${size} ${dict}`),
    ]),
  ])
}
export const sized = (width = SIDE.width, height = SIDE.height, bits = 8) =>
  `/Width ${width} /Height ${height} /BitsPerComponent ${bits}`

export type Listed = { width: number; height: number; colour: string; encoding: string; dpi: number }
export const imagesOf = (path: string): Listed[] =>
  run('pdfimages', '-list', path)
    .split('\n')
    .slice(2)
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const cells = line.trim().split(/\s+/)
      return {
        width: Number(cells[3]),
        height: Number(cells[4]),
        colour: String(cells[5]),
        encoding: String(cells[8]),
        dpi: Number(cells[12]),
      }
    })

/** Peak signal-to-noise ratio of two renderings of a page, in decibels. */
export function likeness(a: string, b: string, page = 1): number {
  const [x, y] = [drawn(a, page, 100), drawn(b, page, 100)]
  let sum = 0
  for (let i = 0; i < x.data.length; i++) sum += ((x.data[i] as number) - (y.data[i] as number)) ** 2
  return 10 * Math.log10(255 ** 2 / (sum / x.data.length))
}

/** A photo in four inks, encoded by ImageMagick, which marks inverted inks as Adobe does. */
export async function inkJpeg(image = photo()): Promise<Buffer> {
  const [from, to] = [freshPath('photo.png'), freshPath('inks.jpg')]
  await image.png().toFile(from)
  run('/usr/bin/convert', from, '-colorspace', 'CMYK', '-quality', 93, to)
  return readFileSync(to)
}

/** The first page as our renderer draws it. */
export async function pagePixels(path: string): Promise<Buffer> {
  const { path: zip } = await runTool('document.pdf-to-images', {
    file: { name: 'a.pdf', content: readFileSync(path) },
    dpi: '150',
  })
  const folder = freshPath('pages')
  run('unzip', '-q', zip, '-d', folder)
  return rgba(`${folder}/a_1.png`).data
}
