/** Regions without a recognised line, on pages whose lines of text are drawn as rows of bars. */
import { expect, test } from 'bun:test'
import { leftOutRegions } from '../../../../src/lib/ocr/missed-text.ts'
import type { Box, Line } from '../../../../src/lib/ocr/recognise.ts'

const [WIDTH, HEIGHT, LINE, THRESHOLD] = [1_000, 800, 40, 128]

/** Bars of four pixels with gaps of six, which cover as much as letters do. */
function page(rows: readonly Box[]) {
  const data = new Uint8Array(WIDTH * HEIGHT).fill(255)
  for (const { left, top, width, height } of rows)
    for (let y = top; y < top + height; y++)
      for (let x = left; x < left + width; x++) if (x % 10 < 4) data[y * WIDTH + x] = 0
  return { data, width: WIDTH, height: HEIGHT }
}
const row = (top: number, left = 100, width = 800): Box => ({ left, top, width, height: LINE })
const line = (box: Box): Line => ({ ...box, paragraph: '1.1', words: [{ ...box, text: 'x', confidence: 90 }] })

test('finds exactly the line that was not recognised', () => {
  const rows = [row(100), row(180), row(260)]
  const [region, ...others] = leftOutRegions(
    page(rows),
    [rows[0], rows[2]].map((box) => line(box as Box)),
    THRESHOLD,
  )
  expect(others).toEqual([])
  const { left, top, width, height } = region as Box
  // the region encloses the line and does not reach its neighbours
  expect(left <= 100 && left + width >= 900).toBe(true)
  expect(top <= 180 && top > 100 + LINE).toBe(true)
  expect(top + height >= 180 + LINE && top + height < 260).toBe(true)
})

test('finds the end of a line that was cut off', () => {
  const [region] = leftOutRegions(page([row(100), row(180)]), [line(row(100)), line(row(180, 100, 400))], THRESHOLD)
  expect(region?.left).toBeGreaterThan(400)
})

test('takes neither recognised lines, nor specks, rules, frames and dark areas for text', () => {
  const rows = [row(100), row(180)]
  const image = page(rows)
  for (let x = 100; x < 900; x++) for (const y of [300, 301]) image.data[y * WIDTH + x] = 0
  // a frame around the second line
  for (let x = 60; x < 940; x++) for (const y of [160, 161, 162, 163, 236, 237, 238, 239]) image.data[y * WIDTH + x] = 0
  for (let y = 160; y < 240; y++) for (const x of [60, 61, 62, 63, 936, 937, 938, 939]) image.data[y * WIDTH + x] = 0
  for (let y = 400; y < 600; y++) image.data.fill(0, y * WIDTH + 100, y * WIDTH + 900)
  for (let i = 0; i < image.data.length; i += 997) image.data[i] = 0
  expect(leftOutRegions(image, rows.map(line), THRESHOLD)).toEqual([])
})
