/** The directions in which a page is read, with a reader that knows the upright one by its ink. */
import { expect, test } from 'bun:test'
import type { GreyImage } from '../../../../src/lib/ocr/grey-image.ts'
import { type BandReader, readPage } from '../../../../src/lib/ocr/read-page.ts'
import { seeded, whole } from '../../../support/random.ts'

const [WIDTH, HEIGHT, PITCH, INK] = [900, 1_200, 20, 40]

/** Sixty lines with more ink on the left, turned by quarters. */
function page(quarters: number): GreyImage {
  const random = seeded(3)
  const upright = { data: new Uint8Array(WIDTH * HEIGHT).fill(255), width: WIDTH, height: HEIGHT }
  for (let top = 0; top < HEIGHT; top += PITCH)
    // letters of different widths, so that their edges are no columns
    for (let x = 60 + whole(random, 20); x < WIDTH - 80; x += 2 + whole(random, 4)) {
      const end = x + 3 + whole(random, 9)
      for (; x < end; x++) for (let y = top; y < top + (x < WIDTH / 2 ? 12 : 6); y++) upright.data[y * WIDTH + x] = INK
    }
  let turned: GreyImage = upright
  for (let i = 0; i < quarters; i++) {
    const { data, width, height } = turned
    const next = { data: new Uint8Array(data.length), width: height, height: width }
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) next.data[x * height + height - 1 - y] = data[y * width + x] as number
    turned = next
  }
  return turned
}

/** Reads one line for each 20 pixels, and counts the pixels. @param known the confidence of upright text */
function reader(known: number) {
  const read = { pixels: 0 }
  const readBands: BandReader = async (image, bands) =>
    bands.map(({ top, bottom }) => {
      read.pixels += image.width * (bottom - top)
      let [left, right] = [0, 0]
      for (let y = top; y < bottom; y++)
        for (let x = 0; x < image.width; x++)
          if ((image.data[y * image.width + x] as number) < 128) x < image.width / 2 ? left++ : right++
      // equal halves are lines from top to bottom
      const confidence = left > 1.5 * right ? known : 20
      return Array.from({ length: Math.floor((bottom - top) / PITCH) }, (_, i) => {
        const box = { left: 0, top: i * PITCH, width: image.width, height: PITCH }
        return { ...box, paragraph: '1', words: [{ ...box, text: 'line', confidence }] }
      })
    })
  return { readBands, read }
}

test.each([0, 1, 2, 3])('a dense page turned by %i quarters is read upright', async (quarters) => {
  const { readBands } = reader(90)
  const { turn, confidence } = await readPage(page(quarters), 'eng', readBands)
  expect([turn, confidence]).toEqual([(360 - 90 * quarters) % 360, 90])
})

test('a dense page in another language is read once as a whole, and in parts in the other directions', async () => {
  const { readBands, read } = reader(25)
  const { turn } = await readPage(page(0), 'eng', readBands)
  expect(turn).toBe(0)
  expect(read.pixels / (WIDTH * HEIGHT)).toBeWithin(1, 1.7)
})
