/** Frames of GIFs that become WebP, compared with ImageMagick's. */
import { expect, test } from 'bun:test'
import { identify, magick, picture } from '../../../support/formats/images.ts'
import { runTool } from '../../../support/workers/engine.ts'

const toWebp = (file: { name: string; content: Uint8Array }) =>
  runTool('image.convert-format', { file, target_format: 'webp' })

test('an area that libvips fills with the background, and viewers clear, has a warning', async () => {
  const cleared = ['-dispose', 'Background', '-delay', '10', '-size', '10x10', 'xc:red', '-loop', '0']
  const small = picture('small.gif', ...cleared, '(', '-size', '4x4', 'xc:blue', '-repage', '10x10+3+3', ')')
  const whole = picture('whole.gif', ...cleared, '-size', '10x10', 'xc:blue')
  // in ImageMagick's picture of the second frame, the corner is transparent
  const corner = (path: string) => [...magick(path, '-coalesce', '-delete', '0', '-depth', 8, 'rgba:-').subarray(0, 4)]
  expect(corner(small.path)[3]).toBe(0)
  const { path, warnings } = await toWebp(small)
  expect(corner(path)[3]).toBe(255)
  expect(warnings).toEqual([
    'Areas that viewers of the GIF show as transparent were filled with its background colour.',
  ])
  const covered = await toWebp(whole)
  expect(covered.warnings).toEqual([])
  expect(corner(covered.path)).toEqual(corner(whole.path))
})

test('a frame without a delay is shown for 100 ms, as in viewers', async () => {
  const { path } = await toWebp(picture('fast.gif', '-delay', '0', '-size', '4x4', 'xc:red', 'xc:blue'))
  expect(identify(path, '%T ').trim()).toBe('10 10')
})
