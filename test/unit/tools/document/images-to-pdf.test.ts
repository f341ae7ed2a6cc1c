/** Images to PDF: Poppler's extracted images and rendering, compared with the images. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import sharp from 'sharp'
import { difference, picture, pngOfSize, rgba } from '../../../support/formats/images.ts'
import { freshPath, isSound, pagesOf, run } from '../../../support/formats/pdfs.ts'
import { refusal, runTool } from '../../../support/workers/engine.ts'
import { FIXTURES } from '../../../support/workers/tools.ts'

const make = (files: unknown[], page_mode?: string) =>
  runTool('document.images-to-pdf', { files, ...(page_mode && { page_mode }) })

/** A page rendered by Poppler at 96 dots per inch, so that one pixel of the image is one of the page. */
function drawn(path: string, page: number) {
  const out = freshPath('drawn')
  run('pdftoppm', '-png', '-r', 96, '-f', page, '-l', page, '-singlefile', path, out)
  return rgba(`${out}.png`)
}

test('on pages of the image’s size, images are reproduced pixel by pixel', async () => {
  const files = [
    picture('a.png', '-size', '120x80', 'gradient:red-blue', '-depth', '8', 'PNG24:'),
    picture('b.bmp', '-size', '64x100', 'plasma:', '-seed', '3', '-depth', '8', 'BMP3:'),
    picture('c.tiff', '-size', '90x90', 'radial-gradient:white-green', '-depth', '8', 'TIFF:'),
    picture('d.gif', '-size', '50x40', 'xc:orange', 'GIF:'),
    picture('e.jpg', '-size', '100x60', 'gradient:gold-navy', '-quality', '95', 'JPEG:'),
  ]
  const { data, path, filename } = await make(files, 'fit')
  expect({ data, filename }).toEqual({ data: { pageCount: 5, fileCount: 5 }, filename: 'a.pdf' })
  expect(isSound(path)).toBe(true)
  expect(pagesOf(path).map(({ width, height }) => [width, height])).toEqual([
    [90, 60],
    [48, 75],
    [68, 68],
    [38, 30],
    [75, 45],
  ])
  for (const [i, file] of files.entries()) {
    const [mine, theirs] = [drawn(path, i + 1), rgba(file.path)]
    expect([mine.width, mine.height]).toEqual([theirs.width, theirs.height])
    // Poppler may place an image half a pixel off
    expect(difference(mine, theirs).mean).toBeLessThan(6)
  }
})

test('on A4 the page has the orientation of the image, which is complete and centred', async () => {
  const wide = picture('wide.png', '-size', '400x100', 'xc:red', 'PNG24:')
  const tall = picture('tall.png', '-size', '100x400', 'xc:red', 'PNG24:')
  const { path } = await make([wide, tall])
  expect(pagesOf(path).map(({ width, height }) => [width, height])).toEqual([
    [842, 595],
    [595, 842],
  ])
  for (const page of [1, 2]) {
    const { data, width, height } = drawn(path, page)
    const isRed = (x: number, y: number) => data[(y * width + x) * 4 + 1] === 0
    expect([isRed(width >> 1, height >> 1), isRed(5, 5), isRed(width - 5, height - 5)]).toEqual([true, false, false])
    const row = Array.from({ length: width }, (_, x) => isRed(x, height >> 1))
    expect(Math.abs(row.indexOf(true) - (width - 1 - row.lastIndexOf(true)))).toBeLessThanOrEqual(1)
  }
})

test('a JPEG is embedded byte by byte; a rotated or CMYK one is converted and looks right', async () => {
  const photo = picture('photo.jpg', '-size', '200x120', 'plasma:', '-seed', '9', '-quality', '85', 'JPEG:')
  const { path } = await make([photo], 'fit')
  const folder = freshPath('taken')
  run('pdfimages', '-all', path, folder)
  expect(await Bun.file(`${folder}-000.jpg`).bytes()).toEqual(new Uint8Array(photo.content))
  const turned = await sharp(photo.content).withMetadata({ orientation: 6 }).jpeg({ quality: 95 }).toBuffer()
  const cmyk = picture('cmyk.jpg', photo.path, '-colorspace', 'CMYK', '-quality', '95', 'JPEG:')
  const both = await make([{ name: 'turned.jpg', content: turned }, cmyk], 'fit')
  expect(pagesOf(both.path).map(({ width, height }) => [width, height])).toEqual([
    [90, 150],
    [150, 90],
  ])
  expect(difference(drawn(both.path, 1), rgba(photo.path, '-rotate', '90')).mean).toBeLessThan(6)
  expect(difference(drawn(both.path, 2), rgba(photo.path)).mean).toBeLessThan(25)
})

test('pixels and transparency are exact', async () => {
  const { path } = await make(
    ['logo.png', picture('b.bmp', '-size', '33x17', 'plasma:', '-depth', '8', 'BMP3:')],
    'fit',
  )
  const folder = freshPath('samples')
  run('pdfimages', '-png', path, folder)
  const logo = join(FIXTURES, 'logo.png')
  const opaque = (from: string): { data: Buffer } => rgba(from, '-alpha', 'off')
  expect(difference(opaque(`${folder}-000.png`), opaque(logo)).max).toBe(0)
  expect(difference(opaque(`${folder}-001.png`), rgba(logo, '-alpha', 'extract')).max).toBe(0)
  expect(rgba(`${folder}-002.png`)).toMatchObject({ width: 33, height: 17 })
})

test('rejects no image, twenty-one images and invalid ones, naming the field', async () => {
  expect(await refusal('document.images-to-pdf', { files: [] })).toMatchObject({ field: 'files' })
  const many = Array.from({ length: 21 }, () => 'logo.png')
  expect(await refusal('document.images-to-pdf', { files: many })).toMatchObject({ field: 'files', rule: 'items' })
  expect(await refusal('document.images-to-pdf', { files: ['logo.png', 'report.pdf'] })).toMatchObject({
    field: 'files.1',
    rule: 'format',
  })
  expect(await refusal('document.images-to-pdf', { files: [pngOfSize(40, 40)] })).toMatchObject({
    field: 'files',
    rule: 'truncated',
  })
})
