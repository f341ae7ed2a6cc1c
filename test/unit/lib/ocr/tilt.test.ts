/** Angles of pages that sharp rotated by known angles. */
import { expect, test } from 'bun:test'
import sharp from 'sharp'
import { type GreyImage, shadesOf } from '../../../../src/lib/ocr/grey-image.ts'
import { findTilt } from '../../../../src/lib/ocr/tilt.ts'
import { ARABIC, ENGLISH, printedPage } from '../../../support/formats/scanned-pages.ts'
import { seeded, whole } from '../../../support/random.ts'

async function turnedPage(page: Buffer, degrees: number): Promise<GreyImage> {
  const { data, info } = await sharp(page)
    .rotate(degrees, { background: '#ffffff' })
    .extractChannel(0)
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

test.each([
  ['Arabic', ARABIC, 'amiri'],
  ['English', ENGLISH, 'latin'],
] as const)(
  '%s: the skew within a twentieth of a degree, and the direction of the lines',
  async (_, text, face) => {
    const page = await printedPage(text, face, { dpi: 100, points: 12 })
    for (const [skew, quarter] of [
      [0, false],
      [0.7, false],
      [-2, true],
      [9, false],
    ] as const) {
      const image = await turnedPage(page, skew + (quarter ? 90 : 0))
      const { likely: found } = await findTilt(image, shadesOf(image))
      expect(found.quarter).toBe(quarter)
      expect(Math.abs(found.skew - skew)).toBeLessThan(0.05)
    }
  },
  60_000,
)

test('an empty page and a page of noise are not rotated', async () => {
  const [width, height] = [600, 800]
  const empty = { data: new Uint8Array(width * height).fill(255), width, height }
  expect((await findTilt(empty, shadesOf(empty))).likely).toEqual({ quarter: false, skew: 0 })
  const random = seeded(7)
  const data = Uint8Array.from({ length: width * height }, () => whole(random, 256))
  const noise = { data, width, height }
  expect((await findTilt(noise, shadesOf(noise))).likely).toEqual({ quarter: false, skew: 0 })
})
