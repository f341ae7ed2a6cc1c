/** Contrast-limited equalisation compared with the formula written out, and with pictures whose result is known. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { equaliseContrast } from '../../../../src/lib/image/contrast.ts'
import { runs } from '../../../support/fuzz.ts'
import { seeded } from '../../../support/random.ts'

type Picture = { data: Uint8Array; width: number; height: number; channels: 3 | 4 }

/** Noise over a slope, of few or many levels, so that tiles differ. */
const pictures: fc.Arbitrary<Picture> = fc
  .record({
    seed: fc.nat(),
    width: fc.integer({ min: 1, max: 160 }),
    height: fc.integer({ min: 1, max: 130 }),
    channels: fc.constantFrom(3 as const, 4 as const),
    low: fc.nat({ max: 255 }),
    range: fc.nat({ max: 255 }),
  })
  .map(({ seed, width, height, channels, low, range }) => {
    const random = seeded(seed)
    const data = Uint8Array.from({ length: width * height * channels }, (_, i) =>
      Math.min(255, low + range * random() * ((Math.floor(i / channels) % width) / width)),
    )
    return { data, width, height, channels }
  })
const slope = fc.integer({ min: 10, max: 80 }).map((tenths) => tenths / 10)

const equalised = (picture: Picture, maxSlope: number, share: number): Uint8Array => {
  const data = picture.data.slice()
  equaliseContrast({ ...picture, data }, maxSlope, share)
  return data
}

/** ITU-R BT.709. */
const brightnessAt = (data: Uint8Array, at: number): number =>
  Math.round(0.2126 * (data[at] as number) + 0.7152 * (data[at + 1] as number) + 0.0722 * (data[at + 2] as number))

test('a share of 0 changes nothing; alpha and black never change', () => {
  fc.assert(
    fc.property(pictures, slope, (picture, maxSlope) => {
      expect(equalised(picture, maxSlope, 0)).toEqual(picture.data)
      const { data, channels } = picture
      const result = equalised(picture, maxSlope, 1)
      for (let at = 0; at < data.length; at += channels) {
        if (channels === 4) expect(result[at + 3]).toBe(data[at + 3] as number)
        if (data[at] === 0 && data[at + 1] === 0 && data[at + 2] === 0)
          expect([...result.subarray(at, at + 3)]).toEqual([0, 0, 0])
      }
    }),
    runs(60),
  )
})

test('colours keep their hue: all channels of a pixel are scaled by the same factor', () => {
  fc.assert(
    fc.property(pictures, slope, (picture, maxSlope) => {
      const { data, channels } = picture
      const result = equalised(picture, maxSlope, 1)
      for (let at = 0; at < data.length; at += channels) {
        const before = [0, 1, 2].map((i) => data[at + i] as number)
        const after = [0, 1, 2].map((i) => result[at + i] as number)
        const top = before.indexOf(Math.max(...before))
        if (before[top] === 0) continue
        // each channel is rounded by up to half a level
        const [least, most] = [-0.5, 0.5].map((half) => ((after[top] as number) + half) / (before[top] as number))
        for (const i of [0, 1, 2])
          expect(
            (after[i] as number) >= (before[i] as number) * (least as number) - 0.5001 &&
              (after[i] as number) <= (before[i] as number) * (most as number) + 0.5001,
          ).toBe(true)
      }
    }),
    runs(30),
  )
})

/** The curve of one tile: counts above the limit are spread over all levels, then summed up to the middle of each level. */
function curveOf(levels: readonly number[], maxSlope: number): number[] {
  const counts = Array.from({ length: 256 }, (_, level) => levels.filter((one) => one === level).length)
  const limit = Math.max(1, (maxSlope * levels.length) / 256)
  const cut = counts.map((count) => Math.min(count, limit))
  const spread = (levels.length - cut.reduce((sum, count) => sum + count, 0)) / 256
  let below = 0
  return cut.map((count) => {
    const middle = below + (count + spread) / 2
    below += count + spread
    return (255 * middle) / levels.length
  })
}

test('an image of one tile follows the curve of its histogram', () => {
  const small = pictures.filter(({ width, height }) => width < 96 && height < 96)
  fc.assert(
    fc.property(small, slope, fc.constantFrom(0.5, 1), (picture, maxSlope, share) => {
      const { data, channels } = picture
      const grey = data.slice()
      for (let at = 0; at < grey.length; at += channels) grey.fill(grey[at] as number, at, at + 3)
      const levels = Array.from({ length: grey.length / channels }, (_, i) => brightnessAt(grey, i * channels))
      const curve = curveOf(levels, maxSlope)
      const result = equalised({ ...picture, data: grey }, maxSlope, share)
      for (const [i, level] of levels.entries()) {
        const wanted = level === 0 ? 0 : level + ((curve[level] as number) - level) * share
        expect(Math.abs((result[i * channels] as number) - Math.min(255, wanted))).toBeLessThanOrEqual(0.501)
      }
    }),
    runs(40),
  )
})

test('an image whose tiles have every level equally often does not change', () => {
  // tiles of 64 × 64 pixels, in which each level occurs 16 times
  const [width, height] = [512, 512]
  const level = (i: number): number => (i % 64) + 64 * (Math.floor(i / width) % 4)
  const data = Uint8Array.from({ length: width * height * 3 }, (_, at) => level(Math.floor(at / 3)))
  const result = equalised({ data, width, height, channels: 3 }, 4, 1)
  expect(result.every((value, at) => Math.abs(value - (data[at] as number)) <= 1)).toBe(true)
})
