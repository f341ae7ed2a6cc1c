/** Photos below each other: encoded one by one and put together, they are the same picture as when encoded in one piece. */
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { arrange, compositeImages, writeArranged } from '../../../src/lib/image/arrangement.ts'
import { writeImage } from '../../../src/lib/image/encode.ts'
import { type OpenImage, openImage } from '../../../src/lib/image/image.ts'
import { hasDamagedData } from '../../../src/lib/image/jpeg-damage.ts'
import { stackerOf } from '../../../src/lib/image/stack-jpegs.ts'
import { refusal } from '../../support/engine.ts'
import { difference, magick, picture, rgba } from '../../support/images.ts'
import { runProgram } from '../../support/program.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-stack-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
let made = 0

const photo = (width: number, height: number, ...more: string[]) =>
  picture('a.jpg', '-size', `${width}x${height}`, '-seed', String(++made), 'plasma:fractal', ...more)
const opened = ({ path }: { path: string }): Promise<OpenImage> => openImage(path, { maxPixels: 1e8 })
const progress = (): void => undefined

type Kind = [name: string, width: number, heights: number[], options: string[]]
const KINDS: Kind[] = [
  ['two of one size', 1_600, [1_304, 1_304], []],
  ['three of several heights, the last one with an incomplete row of blocks', 1_601, [1_008, 16, 1_603], []],
  ['five, whose restart markers are renumbered', 2_003, [408, 416, 424, 432, 440], []],
  ['progressive ones with subsampling', 1_600, [1_304, 1_301], ['-interlace', 'JPEG', '-sampling-factor', '2x2']],
]

describe.each(KINDS)('%s', (_name, width, heights, options) => {
  test('are the same picture as in one piece', async () => {
    const images = await Promise.all(heights.map((height) => opened(photo(width, height, ...options))))
    const arrangement = arrange(images, 'vertical')
    expect(await stackerOf(images, arrangement)).toBeDefined()
    const [stacked, composed] = [join(home, `${made}-stacked.jpg`), join(home, `${made}-composed.jpg`)]
    const total = heights.reduce((sum, height) => sum + height)
    expect(await writeArranged(images, arrangement, 'jpeg', stacked, progress)).toEqual({ width, height: total })
    await writeImage(await compositeImages(images, arrangement, progress), 'jpeg', composed)
    expect(rgba(stacked).height).toBe(total)
    expect(difference(rgba(stacked), rgba(composed)).max).toBe(0)
    // libjpeg warns of markers that it does not expect
    expect(runProgram('/usr/bin/convert', [stacked, 'null:']).stderr).not.toContain('jpeg.c')
    expect(hasDamagedData(readFileSync(stacked))).toBeFalse()
    expect(readdirSync(home).filter((name) => name.includes('part'))).toEqual([])
  })
})

test('each part is at its place, as ImageMagick appends them', async () => {
  const parts = ['red-blue', 'green-white'].map((colours) =>
    picture('a.jpg', '-size', '1600x1304', `gradient:${colours}`, '-quality', '98', '-sampling-factor', '1x1'),
  )
  const images = await Promise.all(parts.map(opened))
  const path = join(home, 'placed.jpg')
  await writeArranged(images, arrange(images, 'vertical'), 'jpeg', path, progress)
  const expected = magick(...parts.map((part) => part.path), '-append', '-depth', '8', 'rgba:-')
  expect(difference({ data: expected }, rgba(path)).max).toBeLessThan(12)
})

test.each([
  ['of other widths', () => [photo(1_600, 1_304), photo(1_608, 1_304)]],
  ['with an incomplete row of blocks between them', () => [photo(1_600, 1_303), photo(1_600, 1_304)]],
  ['that are small', () => [photo(160, 104), photo(160, 104)]],
  ['of which one is grey', () => [photo(1_600, 1_304), photo(1_600, 1_304, '-colorspace', 'Gray')]],
  ['of which one is PNG', () => [photo(1_600, 1_304), picture('a.png', '-size', '1600x1304', 'xc:red', 'PNG24:')]],
] as const)('photos %s are drawn in one piece', async (_name, pair) => {
  const images = await Promise.all(pair().map(opened))
  expect(await stackerOf(images, arrange(images, 'vertical'))).toBeUndefined()
})

test('a truncated photo among them is named', async () => {
  const [whole, cut] = [photo(1_600, 1_304), photo(1_600, 1_304)]
  const half = { name: 'half.jpg', content: cut.content.subarray(0, cut.content.length / 2) }
  expect(await refusal('image.merge-images', { files: [whole, half] })).toMatchObject({
    code: 'INPUT_UNREADABLE',
    rule: 'truncated',
  })
})

test('no part of a result stays when it cannot be written', async () => {
  const images = await Promise.all([photo(1_600, 1_304), photo(1_600, 1_304)].map(opened))
  const target = join(home, 'no-folder/a.jpg')
  await expect(writeArranged(images, arrange(images, 'vertical'), 'jpeg', target, progress)).rejects.toThrow('ENOENT')
  writeFileSync((images[1] as OpenImage).path, 'no JPEG')
  const path = join(home, 'lost.jpg')
  await expect(writeArranged(images, arrange(images, 'vertical'), 'jpeg', path, progress)).rejects.toThrow('jpegload')
})
