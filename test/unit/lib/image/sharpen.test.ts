/** Sharpening of edges against the formula written out in floating point, and against edges whose result is known. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { sharpenEdges } from '../../../../src/lib/image/sharpen.ts'
import { runs } from '../../../support/fuzz.ts'
import { seeded } from '../../../support/random.ts'

type Picture = { data: Uint8Array; width: number; height: number; channels: 3 | 4 }

const sharpened = (picture: Picture): Uint8Array => {
  const data = picture.data.slice()
  sharpenEdges({ ...picture, data })
  return data
}

const grey = (width: number, height: number, level: (x: number, y: number) => number): Picture => ({
  data: Uint8Array.from({ length: width * height * 3 }, (_, i) => {
    const pixel = Math.floor(i / 3)
    return level(pixel % width, Math.floor(pixel / width))
  }),
  width,
  height,
  channels: 3,
})

/** ITU-R BT.709. */
const brightnessAt = (data: Uint8Array, at: number): number =>
  Math.round(0.2126 * (data[at] as number) + 0.7152 * (data[at + 1] as number) + 0.0722 * (data[at + 2] as number))

/**
 * The difference between brightness and its average, in levels, with the weights of a binomial filter of five by five.
 */
function difference({ data, width, height, channels }: Picture, x: number, y: number): number {
  const weights = [1, 4, 6, 4, 1]
  const within = (value: number, size: number): number => Math.min(Math.max(value, 0), size - 1)
  let average = 0
  for (const [i, down] of weights.entries())
    for (const [k, across] of weights.entries()) {
      const at = within(y + i - 2, height) * width + within(x + k - 2, width)
      average += (down * across * brightnessAt(data, at * channels)) / 256
    }
  return brightnessAt(data, (y * width + x) * channels) - average
}

/** Nothing below 4 % of the range; above it 1.6 times the excess, at most 12 % brighter or 16 % darker. */
function change(distance: number): number {
  const over = 1.6 * Math.max(0, Math.abs(distance) - 10.2)
  return distance > 0 ? Math.min(over, 30.6) : -Math.min(over, 40.8)
}

test('each pixel changes by the formula, and alpha never', () => {
  const pictures = fc.record({
    seed: fc.nat(),
    width: fc.integer({ min: 1, max: 24 }),
    height: fc.integer({ min: 1, max: 24 }),
    channels: fc.constantFrom(3 as const, 4 as const),
  })
  fc.assert(
    fc.property(pictures, ({ seed, ...size }) => {
      const random = seeded(seed)
      const length = size.width * size.height * size.channels
      const picture = { ...size, data: Uint8Array.from({ length }, () => 256 * random()) }
      const result = sharpened(picture)
      for (let y = 0; y < size.height; y++)
        for (let x = 0; x < size.width; x++) {
          const at = (y * size.width + x) * size.channels
          const by = change(difference(picture, x, y))
          for (let channel = 0; channel < 3; channel++) {
            const wanted = Math.min(255, Math.max(0, (picture.data[at + channel] as number) + by))
            // brightness is rounded with other constants, which is 1.6 levels on the slope, and then the result
            expect(Math.abs((result[at + channel] as number) - wanted)).toBeLessThanOrEqual(2.2)
          }
          if (size.channels === 4) expect(result[at + 3]).toBe(picture.data[at + 3] as number)
        }
    }),
    runs(60),
  )
})

test('a step of 64 levels gets the overshoot that the weights give', () => {
  const result = sharpened(grey(12, 9, (x) => (x < 6 ? 96 : 160)))
  // of the weights of a row, 5 of 16 lie beyond the step: 20 levels, so 1.6 × (20 − 10.2) = 15.68
  const row = [96, 96, 96, 96, 96, 80, 176, 160, 160, 160, 160, 160]
  for (let y = 0; y < 9; y++) for (let x = 0; x < 12; x++) expect(result[(y * 12 + x) * 3]).toBe(row[x] as number)
})

test('black, white and differences that may be noise stay as they are', () => {
  const random = seeded(11)
  for (const picture of [
    grey(20, 20, () => 0),
    grey(20, 20, () => 255),
    grey(20, 20, () => 120 + 10 * random()),
    grey(200, 1, (x) => x),
  ])
    expect(sharpened(picture)).toEqual(picture.data)
})
