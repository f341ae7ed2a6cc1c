/** Image enhancement, measured with ImageMagick: required improvements, and properties that must not change. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { identify, magick, picture, rgba } from '../../../support/formats/images.ts'
import { refusal, runTool } from '../../../support/workers/engine.ts'
import { FIXTURES } from '../../../support/workers/tools.ts'

const deviation = (path: string): number =>
  Number(magick(path, '-colorspace', 'Gray', '-format', '%[fx:standard_deviation]', 'info:'))
/** Strength of edges: the mean response of a Laplacian. */
const sharpness = (path: string): number =>
  Number(
    magick(path, '-colorspace', 'Gray', '-morphology', 'Convolve', 'Laplacian:0', '-format', '%[fx:mean]', 'info:'),
  )

test('a dull photo gains contrast and sharpness and keeps its hues', async () => {
  const { path, data, filename } = await runTool('image.enhance-quality', { file: 'dull.jpg' })
  expect({ data, filename }).toEqual({
    data: { width: 451, height: 300, format: 'jpeg' },
    filename: 'dull_enhanced.jpg',
  })
  const before = join(FIXTURES, 'dull.jpg')
  expect(deviation(path) / deviation(before)).toBeWithin(1.15, 2)
  expect(sharpness(path) / sharpness(before)).toBeGreaterThan(1.3)
  const hue = (from: string): number => {
    const [r = 0, g = 0, b = 0] = rgba(from, '-resize', '1x1!').data
    return Math.atan2(Math.sqrt(3) * (g - b), 2 * r - g - b)
  }
  expect(Math.abs(hue(path) - hue(before))).toBeLessThan(0.15)
})

test('a smooth ramp stays smooth: no large gaps, no inversions', async () => {
  const ramp = picture('ramp.png', '-size', '64x1024', 'gradient:black-white', '-rotate', '90', '-depth', '8', 'PNG24:')
  const { path } = await runTool('image.enhance-quality', { file: ramp })
  const { data, width } = rgba(path)
  const row = Array.from({ length: width }, (_, x) => data[(32 * width + x) * 4] as number)
  const steps = row.slice(1).map((value, i) => Math.abs(value - (row[i] as number)))
  expect(Math.max(...steps)).toBeLessThanOrEqual(4)
  expect(new Set(row).size).toBeGreaterThan(150)
  const direction = Math.sign((row.at(-1) as number) - (row[0] as number))
  const back = row.slice(8).filter((value, i) => (value - (row[i] as number)) * direction < -2)
  expect(back).toEqual([])
})

test('noise in flat areas is not amplified beyond the contrast limit', async () => {
  const flat = picture(
    'flat.png',
    '-seed',
    '3',
    '-size',
    '400x300',
    'xc:gray50',
    '-attenuate',
    '0.08',
    '+noise',
    'Gaussian',
    '-depth',
    '8',
    'PNG24:',
  )
  const { path } = await runTool('image.enhance-quality', { file: flat })
  expect(deviation(path) / deviation(flat.path)).toBeLessThan(2)
})

test('upscaling doubles both sides and keeps the content', async () => {
  const { path, data } = await runTool('image.enhance-quality', { file: 'dull.jpg', upscale: true })
  expect(data).toEqual({ width: 902, height: 600, format: 'jpeg' })
  const plain = picture('plain.png', join(FIXTURES, 'dull.jpg'), '-filter', 'Lanczos', '-resize', '200%')
  const structure = Number(
    magick(plain.path, path, '-metric', 'NCC', '-compare', '-format', '%[distortion]', 'info:').toString(),
  )
  expect(structure).toBeGreaterThan(0.93)
})

test('alpha and greyscale are kept', async () => {
  const glass = picture(
    'glass.png',
    '-size',
    '64x64',
    'gradient:red-blue',
    '-alpha',
    'set',
    '-channel',
    'A',
    '-evaluate',
    'set',
    '40%',
    'PNG32:',
  )
  const { path } = await runTool('image.enhance-quality', { file: glass })
  expect(new Set(rgba(path).data.filter((_, i) => i % 4 === 3))).toEqual(new Set([102]))
  const grey = picture('grey.png', '-size', '64x64', 'gradient:', '-colorspace', 'Gray', '-depth', '8')
  expect(identify((await runTool('image.enhance-quality', { file: grey })).path, '%[colorspace]')).toBe('Gray')
})

test('the free plan gets at most 2 megapixels and no upscaling', async () => {
  const large = picture('large.jpg', '-size', '2400x1600', 'plasma:', '-quality', '70')
  const { data } = await runTool('image.enhance-quality', { file: large }, 'free')
  expect((data.width as number) * (data.height as number)).toBeWithin(1_990_000, 2_000_001)
  expect((await runTool('image.enhance-quality', { file: large }, 'plus')).data).toMatchObject({
    width: 2400,
    height: 1600,
  })
  expect(await refusal('image.enhance-quality', { file: 'dull.jpg', upscale: true }, 'free')).toMatchObject({
    code: 'GIS_TIER_REQUIRED',
  })
})

test('the first frame of an animation is processed, as PNG, with a warning', async () => {
  const moving = picture('moving.gif', '-size', '30x20', 'xc:red', 'xc:green')
  const { data, warnings } = await runTool('image.enhance-quality', { file: moving })
  expect(data).toMatchObject({ format: 'png' })
  expect(warnings).toEqual([expect.stringContaining('first of 2 frames'), expect.stringContaining('PNG')])
})

test('rejects too large a result before any processing', async () => {
  const large = picture('large.png', '-size', '6000x5000', 'xc:red')
  const startedMs = performance.now()
  expect(await refusal('image.enhance-quality', { file: large, upscale: true })).toMatchObject({
    code: 'FILE_TOO_LARGE',
    field: 'upscale',
    rule: 'pixels',
  })
  expect(performance.now() - startedMs).toBeLessThan(2_000)
  expect(readFileSync(large.path).length).toBeGreaterThan(0)
})
