/** Bands of pages whose layout is known, and the text of a page that is read in bands. */
import { expect, test } from 'bun:test'
import { bandOf, bandsOf } from '../../../../src/lib/ocr/bands.ts'
import { type GreyImage, shadesOf } from '../../../../src/lib/ocr/grey-image.ts'
import { seeded } from '../../../support/random.ts'

const [WIDTH, HEIGHT] = [1200, 1700]
const LINE = { height: 20, pitch: 32 }
const THRESHOLD = 128

/** A page of words, each a block of ink; `columns` gives the left and right edge of each column. */
function page(seed: number, columns: readonly (readonly [number, number])[], lineCount: number, gapAfter = -1) {
  const random = seeded(seed)
  const data = new Uint8Array(WIDTH * HEIGHT).fill(255)
  const tops: number[] = []
  let top = 100
  for (let line = 0; line < lineCount; line++) {
    tops.push(top)
    for (const [left, right] of columns)
      for (let x = left; x < right; ) {
        const word = Math.min(right - x, 20 + Math.floor(random() * 80))
        for (let y = top; y < top + LINE.height; y++) data.fill(0, y * WIDTH + x, y * WIDTH + x + word)
        x += word + 6 + Math.floor(random() * 6)
      }
    top += line === gapAfter ? 2 * LINE.pitch : LINE.pitch
  }
  return { image: { data, width: WIDTH, height: HEIGHT } satisfies GreyImage, tops }
}

const inkOf = ({ data }: GreyImage): number => data.reduce((sum, value) => sum + (value < THRESHOLD ? 1 : 0), 0)

test('bands contain whole lines, each line once, and are about equal in number', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const lineCount = 32 + (seed % 10)
    const { image, tops } = page(seed, [[100, 1100]], lineCount)
    const bands = bandsOf(image, THRESHOLD)
    expect({ seed, count: bands.length }).toEqual({ seed, count: 4 })
    const counts = bands.map(({ top, bottom }) => tops.filter((y) => y >= top && y + LINE.height <= bottom).length)
    expect(counts.reduce((a, b) => a + b)).toBe(lineCount)
    for (const count of counts) expect(Math.abs(count - lineCount / 4)).toBeLessThanOrEqual(4)
    expect(bands.reduce((sum, band) => sum + inkOf(bandOf(image, band)), 0)).toBe(inkOf(image))
    expect([bands[0]?.top, bands.at(-1)?.bottom]).toEqual([0, HEIGHT])
  }
})

test('a cut is made between paragraphs where there are some nearby', () => {
  const { image, tops } = page(7, [[100, 1100]], 20, 11)
  const [first, second, ...more] = bandsOf(image, THRESHOLD)
  expect(more).toEqual([])
  expect(second).toEqual({ top: (tops[11] as number) + LINE.height, bottom: HEIGHT })
  expect(first).toEqual({ top: 0, bottom: tops[12] as number })
})

test('between lines whose descenders make gaps differ a little, the parts are equal', () => {
  const { image, tops } = page(8, [[100, 1100]], 32)
  // descenders of the lines: only the gaps below line 9, 13 and 25 stay wide
  for (const [line, top] of tops.entries())
    if (![9, 13, 25].includes(line))
      for (let y = top + LINE.height; y < top + LINE.height + 2; y++)
        image.data.fill(0, y * WIDTH + 300, y * WIDTH + 320)
  const starts = bandsOf(image, THRESHOLD)
    .slice(1)
    .map(({ top }) => tops.findIndex((y) => y >= top))
  expect(starts).toEqual([8, 16, 24])
})

test.each([
  [
    'two columns with a wide gap',
    [
      [100, 560],
      [620, 1100],
    ],
    40,
  ],
  [
    'two columns with a gap of less than a line',
    [
      [100, 590],
      [607, 1100],
    ],
    40,
  ],
  [
    'three columns',
    [
      [100, 400],
      [440, 740],
      [780, 1100],
    ],
    40,
  ],
  ['too few lines', [[100, 1100]], 15],
  ['no line', [], 1],
] as const)('%s: one band', (_name, columns, lineCount) => {
  const { image } = page(3, columns, lineCount)
  expect(bandsOf(image, THRESHOLD)).toEqual([{ top: 0, bottom: HEIGHT }])
})

test('columns below full lines are not cut, the full lines are', () => {
  const [{ image, tops }, below] = [
    page(5, [[100, 1100]], 20),
    page(
      6,
      [
        [100, 560],
        [620, 1100],
      ],
      40,
    ),
  ]
  const half = (tops[19] as number) + LINE.height
  image.data.set(below.image.data.subarray(half * WIDTH), half * WIDTH)
  const bands = bandsOf(image, THRESHOLD)
  expect(bands.length).toBeGreaterThan(1)
  for (const { top } of bands.slice(1)) expect(top).toBeLessThanOrEqual(half)
})

test('dots in separate rows do not count as lines, and are not cut from their lines', () => {
  const { image, tops } = page(9, [[100, 1100]], 20)
  // a dot above each line
  for (const top of tops) for (let y = top - 7; y < top - 3; y++) image.data.fill(0, y * WIDTH + 300, y * WIDTH + 320)
  const bands = bandsOf(image, shadesOf(image).threshold)
  expect(bands).toHaveLength(2)
  for (const { top } of bands.slice(1)) expect(tops.map((y) => y + LINE.height)).toContain(top)
})
