/** Contrast of the portal's colours by WCAG 2.2, 1.4.3 and 1.4.11, computed from the tokens of the style. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'

type Colours = Record<string, string>

const css = await Bun.file(join(import.meta.dir, '../../../src/portal/ui/style/tokens.css')).text()

function coloursOf(selector: string): Colours {
  const start = css.indexOf(`${selector} {`)
  const block = css.slice(start, css.indexOf('}', start))
  return Object.fromEntries([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name, value]))
}

const light = coloursOf(':root')
const dark = { ...light, ...coloursOf(':root[data-theme="dark"]') }
const automatic = { ...light, ...coloursOf(':root[data-theme="auto"]') }

/** Relative luminance (WCAG 2.2, glossary). */
function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const c = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

const STATES = ['sending', 'late', 'silent', 'refused', 'held', 'off', 'new'].map((state) => `state-${state}`)
const BACKGROUNDS = ['page', 'surface', 'raised', 'sunken']

for (const [name, colours] of [
  ['light', light],
  ['dark', dark],
] as const) {
  const ratio = (a: string, b: string): number => contrast(colours[a] as string, colours[b] as string)

  test(`text has a contrast of 4.5 on every background (${name})`, () => {
    const weak = ['text', 'text-weak', 'accent', 'danger', ...STATES].flatMap((text) =>
      BACKGROUNDS.filter((background) => ratio(text, background) < 4.5).map(
        (background) => `${text} on ${background}: ${ratio(text, background).toFixed(2)}`,
      ),
    )
    expect(weak).toEqual([])
  })

  test(`text on coloured backgrounds has a contrast of 4.5 (${name})`, () => {
    const pairs = [
      ['on-accent', 'accent'],
      ['on-accent', 'accent-hover'],
      ['on-danger', 'danger'],
      ['accent', 'accent-soft'],
      ['danger', 'danger-soft'],
      ['text', 'danger-soft'],
    ] as const
    expect(pairs.filter(([text, background]) => ratio(text, background) < 4.5)).toEqual([])
  })

  test(`borders of controls, focus and lines of charts have a contrast of 3 (${name})`, () => {
    const series = Array.from({ length: 6 }, (_, i) => `series-${i + 1}`)
    const weak = ['line-strong', 'focus', ...series].filter((line) =>
      ['page', 'surface'].some((background) => ratio(line, background) < 3),
    )
    expect(weak).toEqual([])
  })

  test(`lines of charts differ in lightness (${name})`, () => {
    const values = Array.from({ length: 6 }, (_, i) => luminance(colours[`series-${i + 1}`] as string))
    expect(new Set(values.map((value) => value.toFixed(3))).size).toBe(6)
  })
}

test('the theme of the device has the colours of the dark theme', () => {
  expect(automatic).toEqual(dark)
})
