/** Reducing an image to 256 colours, against a search through all colours of the result. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { loadSharp, openImage } from '../../../src/lib/image/image.ts'
import { reducePalette } from '../../../src/lib/image/palette.ts'
import { runs } from '../../support/fuzz.ts'
import { seeded, whole } from '../../support/random.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-palette-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const [WIDTH, HEIGHT] = [160, 120]
const PIXELS = WIDTH * HEIGHT

type Colour = readonly [red: number, green: number, blue: number]

/** Pixels before and after. */
async function reduce(colourAt: (i: number) => Colour): Promise<{ before: Uint8Array; after: Uint8Array }> {
  const sharp = await loadSharp()
  const before = new Uint8Array(3 * PIXELS)
  for (let i = 0; i < PIXELS; i++) before.set(colourAt(i), 3 * i)
  const path = join(home, 'image.png')
  await sharp(before, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
    .png()
    .toFile(path)
  const pipeline = await reducePalette(await openImage(path, { maxPixels: 1e6 }))
  const { data, info } = await pipeline.raw().toBuffer({ resolveWithObject: true })
  expect([info.width, info.height, info.channels]).toEqual([WIDTH, HEIGHT, 3])
  return { before, after: data }
}

const coloursOf = (data: Uint8Array): Colour[] => {
  const keys = new Set<number>()
  for (let at = 0; at < data.length; at += 3)
    keys.add(Buffer.from(data.buffer, data.byteOffset + at, 3).readUIntBE(0, 3))
  return [...keys].map((key) => [key >> 16, (key >> 8) & 255, key & 255])
}

/** Distance with the weights that the eye gives to red, green and blue. */
const distance = ([r, g, b]: Colour, data: Uint8Array, at: number): number =>
  Math.sqrt(
    3 * (r - (data[at] as number)) ** 2 + 6 * (g - (data[at + 1] as number)) ** 2 + (b - (data[at + 2] as number)) ** 2,
  )

test('at most 256 colours, and for every pixel about the nearest of them', async () => {
  // colours that agree in 6 bits a channel share an entry: each is off by up to 3, once here and once there
  const tolerance = 2 * Math.sqrt(3 * 9 + 6 * 9 + 9)
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 64 }), async (seed, noise) => {
      const random = seeded(seed)
      const { before, after } = await reduce((i) => {
        const base = [i % WIDTH, Math.floor(i / WIDTH), 255 - (i % WIDTH)]
        return base.map((level) => Math.min(255, level + whole(random, noise))) as unknown as Colour
      })
      const palette = coloursOf(after)
      expect(palette.length).toBeLessThanOrEqual(256)
      for (let at = 0; at < before.length; at += 3 * 37) {
        const chosen: Colour = [after[at] as number, after[at + 1] as number, after[at + 2] as number]
        const nearest = Math.min(...palette.map((colour) => distance(colour, before, at)))
        expect(distance(chosen, before, at)).toBeLessThanOrEqual(nearest + tolerance)
      }
    }),
    runs(5),
  )
})

test('an image of few colours keeps them to within one level', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 32 }), async (seed, count) => {
      const random = seeded(seed)
      const level = (): number => 8 * whole(random, 32)
      const colours = Array.from({ length: count }, (): Colour => [level(), level(), level()])
      const { before, after } = await reduce(() => colours[whole(random, count)] as Colour)
      expect(after.every((value, at) => Math.abs(value - (before[at] as number)) <= 1)).toBe(true)
    }),
    runs(5),
  )
})
