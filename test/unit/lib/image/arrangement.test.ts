/** Photos stacked vertically. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { arrange, compositeImages } from '../../../../src/lib/image/arrangement.ts'
import { writeImage } from '../../../../src/lib/image/encode.ts'
import { openImage } from '../../../../src/lib/image/image.ts'
import { difference, magick, picture, rgba } from '../../../support/formats/images.ts'
import { refusal } from '../../../support/workers/engine.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-arrangement-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

test.each([
  ['of one size', [1_304, 1_304], []],
  ['of several heights', [1_008, 16, 1_603], []],
  ['progressive, with subsampling', [1_304, 1_301], ['-interlace', 'JPEG', '-sampling-factor', '2x2']],
] as const)('each photo is at its place, as ImageMagick appends them: %s', async (name, heights, options) => {
  const parts = heights.map((height, i) =>
    picture('a.jpg', '-size', `1600x${height}`, `gradient:${i % 2 === 0 ? 'red-blue' : 'green-white'}`, ...options),
  )
  const images = await Promise.all(parts.map(({ path }) => openImage(path, { maxPixels: 1e8 })))
  const arrangement = arrange(images, 'vertical')
  const path = join(home, `${name}.jpg`)
  const size = await writeImage(await compositeImages(images, arrangement, () => undefined), 'jpeg', path)
  expect([size.width, size.height]).toEqual([1_600, heights.reduce<number>((sum, height) => sum + height, 0)])
  const expected = magick(...parts.map((part) => part.path), '-append', '-depth', '8', 'rgba:-')
  expect(difference({ data: expected }, rgba(path)).max).toBeLessThan(12)
})

test('a truncated photo among several is named', async () => {
  const [whole, cut] = [1, 2].map((seed) => picture('a.jpg', '-size', '1600x1304', '-seed', seed, 'plasma:fractal'))
  const half = { name: 'half.jpg', content: (cut as typeof whole & object).content.subarray(0, 100_000) }
  expect(await refusal('image.merge-images', { files: [whole, half] })).toMatchObject({
    code: 'INPUT_UNREADABLE',
    rule: 'truncated',
  })
})
