/** Thresholds on pages whose ink and paper are known. */
import { expect, test } from 'bun:test'
import { shadesOf } from '../../../../src/lib/ocr/grey-image.ts'
import { seeded } from '../../../support/random.ts'

const [WIDTH, HEIGHT] = [600, 800]

/** @param inkShare of the pixels @param noise half the range around the shade */
function page(inkShare: number, ink: number, paper: number, noise: number) {
  const random = seeded(3)
  const data = Uint8Array.from({ length: WIDTH * HEIGHT }, () => {
    const shade = random() < inkShare ? ink : paper
    return Math.max(0, Math.min(255, Math.round(shade + (random() - 0.5) * 2 * noise)))
  })
  return { data, width: WIDTH, height: HEIGHT }
}

test.each([
  ['black on white', 0.05, 0, 255, 0],
  ['pale ink on grey paper', 0.05, 90, 200, 10],
  ['half a page of ink', 0.5, 20, 240, 10],
  ['a few lines on noisy paper', 0.01, 40, 220, 45],
])('%s', (_, inkShare, ink, paper, noise) => {
  const { threshold, paper: found } = shadesOf(page(inkShare, ink, paper, noise))
  expect(threshold).toBeGreaterThan(ink)
  expect(threshold).toBeLessThanOrEqual(Math.max(ink + 1, paper - noise))
  expect(Math.abs(found - paper)).toBeLessThan(6)
})
