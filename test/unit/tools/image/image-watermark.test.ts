/** Image watermarks: position, opacity and shaping of text. */
import { describe, expect, test } from 'bun:test'
import { identify, picture, pngOfSize, rgba } from '../../../support/formats/images.ts'
import { refusal, runTool } from '../../../support/workers/engine.ts'

const [WIDTH, HEIGHT] = [400, 300]
const ground = (colour = '#3060a0') => picture('ground.png', '-size', `${WIDTH}x${HEIGHT}`, `xc:${colour}`, 'PNG24:')

type Box = { left: number; top: number; right: number; bottom: number }

/** Difference of each pixel from the background, and the bounding box of the different pixels. */
function marks(path: string, colour = [0x30, 0x60, 0xa0]): { off: (x: number, y: number) => number; box: Box } {
  const { data, width, height } = rgba(path)
  const off = (x: number, y: number): number =>
    Math.max(...colour.map((value, i) => Math.abs((data[(y * width + x) * 4 + i] as number) - value)))
  const box = { left: width, top: height, right: -1, bottom: -1 }
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if (off(x, y) > 6) {
        box.left = Math.min(box.left, x)
        box.right = Math.max(box.right, x)
        box.top = Math.min(box.top, y)
        box.bottom = Math.max(box.bottom, y)
      }
  return { off, box }
}

describe.each(['text', 'image'])('%s', (mode) => {
  const mark = mode === 'text' ? { text: 'Groundwave' } : { wm_mode: 'image', logo: 'logo.png' }

  test.each([
    [
      'top-left',
      (b: Box) => b.left < WIDTH / 4 && b.top < HEIGHT / 4 && b.right < WIDTH * 0.6 && b.bottom < HEIGHT / 2,
    ],
    [
      'top-right',
      (b: Box) => b.right > WIDTH * 0.75 && b.top < HEIGHT / 4 && b.left > WIDTH * 0.4 && b.bottom < HEIGHT / 2,
    ],
    [
      'bottom-left',
      (b: Box) => b.left < WIDTH / 4 && b.bottom > HEIGHT * 0.75 && b.right < WIDTH * 0.6 && b.top > HEIGHT / 2,
    ],
    [
      'bottom-right',
      (b: Box) => b.right > WIDTH * 0.75 && b.bottom > HEIGHT * 0.75 && b.left > WIDTH * 0.4 && b.top > HEIGHT / 2,
    ],
    ['center', (b: Box) => Math.abs(b.left + b.right - WIDTH) < 8 && Math.abs(b.top + b.bottom - HEIGHT) < 12],
    [
      'diagonal',
      (b: Box) =>
        Math.abs(b.left + b.right - WIDTH) < 12 &&
        Math.abs(b.top + b.bottom - HEIGHT) < 12 &&
        b.bottom - b.top > HEIGHT / 4,
    ],
  ] as const)('is placed %s, inside the image', async (position, holds) => {
    const { path, data } = await runTool('image.image-watermark', { file: ground(), ...mark, position, opacity: 1 })
    expect(data).toEqual({ width: WIDTH, height: HEIGHT, format: 'png' })
    const { box } = marks(path)
    expect({ ...box, holds: holds(box) }).toEqual({ ...box, holds: true })
  })

  test('opacity scales the watermark in proportion', async () => {
    const strengths = await Promise.all(
      [1, 0.5, 0.1].map(async (opacity) => {
        const { path } = await runTool('image.image-watermark', {
          file: ground('black'),
          ...mark,
          position: 'center',
          opacity,
        })
        const { data } = rgba(path)
        return data.reduce((sum, value, i) => (i % 4 === 3 ? sum : sum + value), 0)
      }),
    )
    const [full = 0, half = 0, tenth = 0] = strengths
    expect(half / full).toBeCloseTo(0.5, 1)
    expect(tenth / full).toBeCloseTo(0.1, 1)
  })
})

type Shape = { left: number; height: number }

/** Connected shapes of ink, from left to right: joined letters are one shape, a separate dot is another. */
async function shapesOf(text: string): Promise<Shape[]> {
  const dark = picture('dark.png', '-size', '1600x500', 'xc:black', 'PNG24:')
  const { path } = await runTool('image.image-watermark', { file: dark, text, position: 'center', opacity: 1 })
  const { data, width } = rgba(path)
  const ink = Uint8Array.from({ length: data.length / 4 }, (_, i) => ((data[4 * i] as number) > 128 ? 1 : 0))
  const shapes: Shape[] = []
  for (let start = ink.indexOf(1); start >= 0; start = ink.indexOf(1, start)) {
    const open = [start]
    ink[start] = 0
    let [left, top, bottom] = [width, Infinity, 0]
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const [x, y] = [at % width, Math.floor(at / width)]
      left = Math.min(left, x)
      top = Math.min(top, y)
      bottom = Math.max(bottom, y)
      for (const next of [-width - 1, -width, -width + 1, -1, 1, width - 1, width, width + 1].map((step) => at + step))
        if (ink[next] === 1) {
          ink[next] = 0
          open.push(next)
        }
    }
    shapes.push({ left, height: bottom - top })
  }
  return shapes.sort((a, b) => a.left - b.left)
}

test.each([
  ['opaque', 'PNG24:', 'srgb'],
  ['transparent', 'PNG32:', 'srgba'],
])('a picture that is %s stays so', async (_, form, channels) => {
  const file = picture('a.png', '-size', '40x25', 'xc:gray40', form)
  const { path } = await runTool('image.image-watermark', { file, text: 'x' })
  expect(identify(path, '%[channels]')).toBe(channels)
})

test.each(['image-watermark', 'enhance-quality'])('%s keeps the transparency of a BMP', async (name) => {
  const glass = ['-alpha', 'set', '-channel', 'A', '-evaluate', 'set', '40%', '+channel']
  const file = picture('glass.bmp', '-size', '64x48', 'xc:#3060a0', ...glass, 'BMP:')
  const { path, data, warnings } = await runTool(
    `image.${name}`,
    name === 'image-watermark' ? { file, text: 'x' } : { file },
  )
  expect(data.format).toBe('png')
  expect(warnings).toEqual(['The result is PNG because BMP is written without transparency.'])
  // the mark is in the bottom right corner
  expect(rgba(path).data[3]).toBe(102)
  const opaque = picture('opaque.bmp', '-size', '64x48', 'xc:#3060a0', 'BMP3:')
  expect((await runTool('image.enhance-quality', { file: opaque })).data.format).toBe('bmp')
})

test('Arabic letters are joined and run from right to left', async () => {
  // two groups of joined letters and a dot; unjoined it would be five letters and a dot
  expect((await shapesOf('مرحبا')).length).toBe(3)
  expect((await shapesOf('م\u200cر\u200cح\u200cب\u200cا')).length).toBe(6)
  // the tall alef is read first, so it is to the right of the flat dot
  const [left, right] = await shapesOf('ا.')
  expect((left?.height ?? 0) < (right?.height ?? 0)).toBe(true)
  // in Latin text the dot is last, to the right
  const [first, last] = await shapesOf('l.')
  expect((first?.height ?? 0) > (last?.height ?? 0)).toBe(true)
})

test('markup characters are drawn like any others', async () => {
  expect((await shapesOf('<b>&amp;</b>')).length).toBeGreaterThan(8)
})

test('a long text is wrapped and shrunk until it fits; a tiny image gets a watermark too', async () => {
  const text = 'All rights reserved, whatever may come of it, '.repeat(4).trim()
  for (const position of ['top-left', 'diagonal']) {
    const { box } = marks((await runTool('image.image-watermark', { file: ground(), text, position, opacity: 1 })).path)
    expect(box.right - box.left).toBeGreaterThan(100)
    expect([box.left > 0, box.top > 0, box.right < WIDTH - 1, box.bottom < HEIGHT - 1]).toEqual([
      true,
      true,
      true,
      true,
    ])
  }
  const tiny = picture('tiny.png', '-size', '3x2', 'xc:red', 'PNG24:')
  for (const position of ['diagonal', 'center', 'top-left'])
    expect((await runTool('image.image-watermark', { file: tiny, text, position })).data).toMatchObject({
      width: 3,
      height: 2,
    })
})

test('an image of 81 megapixels gets a watermark', async () => {
  const large = picture('large.png', '-size', '9000x9000', 'xc:#3060a0', 'PNG24:')
  const { data } = await runTool('image.image-watermark', { file: large, text: 'Groundwave', position: 'diagonal' })
  expect(data).toMatchObject({ width: 9000, height: 9000 })
}, 120_000)

describe('rejects', () => {
  const file = 'dull.jpg'
  const logo = 'logo.png'
  test.each([
    ['neither text nor logo', { file }, 'text', 'exactlyOne'],
    ['both', { file, text: 'a', logo }, 'text', 'exactlyOne'],
    ['a logo in the mode for text', { file, logo }, 'wm_mode', 'mode'],
    ['text in the mode for images', { file, text: 'a', wm_mode: 'image' }, 'wm_mode', 'mode'],
    ['10,000 characters', { file, text: 'a'.repeat(10_000) }, 'text', 'maxLength'],
    ['an opacity of 0', { file, text: 'a', opacity: 0 }, 'opacity', 'minimum'],
    ['an opacity of 2', { file, text: 'a', opacity: 2 }, 'opacity', 'maximum'],
    ['another position', { file, text: 'a', position: 'middle' }, 'position', 'enum'],
  ])('%s', async (_what, input, field, rule) => {
    expect(await refusal('image.image-watermark', input)).toMatchObject({ code: 'VALIDATION_FAILED', field, rule })
  })

  test('invisible or unsupported text, and invalid logos, name their field', async () => {
    expect(await refusal('image.image-watermark', { file, text: ' \u200f ' })).toMatchObject({
      code: 'VALIDATION_FAILED',
      field: 'text',
      rule: 'blank',
    })
    expect(await refusal('image.image-watermark', { file, text: 'ab漢' })).toMatchObject({
      field: 'text',
      rule: 'glyphs',
    })
    const broken = { name: 'logo.png', content: 'no picture'.padEnd(100) }
    for (const [sent, rule] of [
      [broken, 'format'],
      [pngOfSize(40, 40), 'truncated'],
    ] as const)
      expect(await refusal('image.image-watermark', { file, wm_mode: 'image', logo: sent })).toMatchObject({
        code: 'INPUT_UNREADABLE',
        field: 'logo',
        rule,
      })
  })
})
