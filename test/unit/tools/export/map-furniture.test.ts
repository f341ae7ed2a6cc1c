/** Graticules, arrangement, scales and digits of printed maps; positions are compared with PROJ by gdaltransform. */
import { expect, test } from 'bun:test'
import sharp from 'sharp'
import { drawn, run } from '../../../support/formats/pdfs.ts'
import { runTool } from '../../../support/workers/engine.ts'

const GREEN = '#aaccaa'
const picture = async (width: number, height: number) => ({
  name: 'map.png',
  content: await sharp({ create: { width, height, channels: 3, background: GREEN } })
    .png()
    .toBuffer(),
})
type Block = { extent: [number, number, number, number]; crs: string; [more: string]: unknown }

/** Prints maps whose images have the shape of their extents. */
async function print(maps: Block[], more: object = {}) {
  const image = await Promise.all(
    maps.map(({ extent: [west, south, east, north] }) =>
      picture(600, Math.max(1, Math.round((600 * (north - south)) / (east - west)))),
    ),
  )
  return runTool('export.map-export', { image, spec: { maps, ...more } })
}

type Word = { text: string; left: number; top: number; right: number; bottom: number }
const wordsOf = (path: string): Word[] =>
  [
    ...run('pdftotext', '-bbox', path, '-').matchAll(
      /xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">([^<]+)</g,
    ),
  ].map(([, left, top, right, bottom, text]) => ({
    text: String(text),
    left: Number(left),
    top: Number(top),
    right: Number(right),
    bottom: Number(bottom),
  }))

/** Positions of the maps on the page, in points from its lower left corner. */
const boxesOf = (path: string): [number, number, number, number][] =>
  [
    ...run('qpdf', '--qdf', '--object-streams=disable', path, '-').matchAll(/\/BBox \[\s*([\d.\s]+)\]\s*\/Measure/g),
  ].map(([, numbers]) => String(numbers).trim().split(/\s+/).map(Number) as [number, number, number, number])

const transform = (from: string, to: string, x: number, y: number): [number, number] => {
  // traditional order of axes: easting or longitude first
  const line = run('sh', '-c', `echo ${x} ${y} | gdaltransform -s_srs ${from} -t_srs ${to} -output_xy`)
  return line.trim().split(/\s+/).map(Number) as [number, number]
}

const UTM: Block = { extent: [390_000, 5_810_000, 402_000, 5_818_000], crs: 'EPSG:25833' }
const EUROPE: Block = { extent: [2_500_000, 1_400_000, 7_400_000, 5_500_000], crs: 'EPSG:3035' }
const WORLD: Block = { extent: [-180, -90, 180, 90], crs: 'EPSG:4326' }
const ARCTIC: Block = { extent: [-4e6, -4e6, 4e6, 4e6], crs: 'EPSG:3995' }

test('labels of a graticule are where its meridians meet the frame', async () => {
  const { path } = await print([{ ...UTM, graticule: true }])
  const [[left, , right] = [0, 0, 0]] = boxesOf(path)
  const labels = wordsOf(path).flatMap((word) => {
    const [, degrees, minutes] = /^(\d+)°(\d+)′E$/.exec(word.text) ?? []
    return degrees === undefined ? [] : [{ word, longitude: Number(degrees) + Number(minutes) / 60 }]
  })
  expect(labels.length).toBeGreaterThan(1)
  const [west, south, east] = UTM.extent
  for (const { word, longitude } of labels) {
    const x = west + (((word.left + word.right) / 2 - left) / (right - left)) * (east - west)
    // a point on the sheet is 23 m, or 0.0003 degrees
    expect(Math.abs(transform(UTM.crs, 'EPSG:4326', x, south)[0] - longitude)).toBeLessThan(0.0003)
  }
})

test.each([
  [
    'a curved projection',
    EUROPE,
    [
      [0, 45],
      [0, 50],
      [30, 55],
      [30, 45],
    ],
  ],
  [
    'around a pole',
    ARCTIC,
    [
      [30, 72],
      [120, 75],
      [-60, 80],
      [180, 70],
    ],
  ],
])('lines of a graticule lie where PROJ has them: %s', async (_, block, places) => {
  const { path } = await print([{ ...block, graticule: true }], { page: 'a3' })
  const [[left, bottom, right, top] = [0, 0, 0, 0]] = boxesOf(path)
  const [west, south, east, north] = block.extent
  const pages = drawn(path, 1, 144)
  const perPoint = 2
  const isDrawn = (longitude: number, latitude: number): boolean => {
    const [x, y] = transform('OGC:CRS84', block.crs, longitude, latitude)
    const column = (left + ((x - west) / (east - west)) * (right - left)) * perPoint
    const row = pages.height - (bottom + ((y - south) / (north - south)) * (top - bottom)) * perPoint
    for (let dy = -2; dy <= 2; dy++)
      for (let dx = -2; dx <= 2; dx++)
        if ((pages.data[3 * ((Math.round(row) + dy) * pages.width + Math.round(column) + dx)] as number) < 130)
          return true
    return false
  }
  const onMeridian = places.map(([longitude, latitude]) => isDrawn(longitude as number, (latitude as number) + 1.3))
  expect(onMeridian).toEqual(places.map(() => true))
  // between the lines there is only the picture
  expect(
    places.map(([longitude, latitude]) => isDrawn((longitude as number) + 2.1, (latitude as number) + 1.3)),
  ).toEqual(places.map(() => false))
})

test('maps of a row have one height and the widths of their shapes', async () => {
  const square: Block = { ...UTM, extent: [390_000, 5_810_000, 398_000, 5_818_000] }
  const wide: Block = { ...UTM, extent: [390_000, 5_810_000, 406_000, 5_818_000] }
  const plain = { grid: false, northArrow: false, scaleBar: false }
  const { path } = await print([
    { ...wide, ...plain },
    { ...square, ...plain },
  ])
  const [a, b] = boxesOf(path).map(([left, bottom, right, top]) => ({
    left,
    width: right - left,
    height: top - bottom,
  }))
  expect(a?.height).toBeCloseTo(b?.height as number, 3)
  expect((a?.width as number) / (b?.width as number)).toBeCloseTo(2, 2)
  // margins of 36 on each side and a gap of 12, with the middle between the shapes at two thirds
  expect(a?.width).toBeCloseTo(((841.89 - 72 - 12) * 2) / 3, 0)
})

test('an Arabic sheet has its first map on the right', async () => {
  const maps = [UTM, UTM].map((block, i) => ({ ...block, title: `M${i}` }))
  const { path } = await print(maps, { lang: 'ar' })
  const [first, second] = ['M0', 'M1'].map((title) => wordsOf(path).find(({ text }) => text === title) as Word)
  expect(first?.left).toBeGreaterThan(second?.right as number)
})

test.each(['portrait', 'landscape'])(
  'texts of twelve narrow maps neither touch nor leave the %s sheet',
  async (way) => {
    const shapes: Block[] = [WORLD, ARCTIC, UTM, { ...UTM, extent: [390_000, 5_810_000, 394_000, 5_822_000] }]
    const maps = Array.from({ length: 12 }, (_, i) => ({
      ...(shapes[i % 4] as Block),
      title: `Map ${i}`,
      graticule: true,
    }))
    const { path } = await print(maps, { orientation: way })
    const words = wordsOf(path)
    const [width, height] = way === 'portrait' ? [595, 842] : [842, 595]
    for (const [i, a] of words.entries()) {
      expect([a, a.left > 24 && a.right < width - 24 && a.top > 24 && a.bottom < height - 24]).toEqual([a, true])
      // boxes of words include the space above and below their letters
      const touching = words.slice(i + 1).find((b) => {
        const [x, y] = [
          Math.min(a.right, b.right) - Math.max(a.left, b.left),
          Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top),
        ]
        return x > 0.5 && y > 0.45 * Math.min(a.bottom - a.top, b.bottom - b.top)
      })
      expect([a, touching]).toEqual([a, undefined])
    }
  },
)

test.each([
  ['a world in degrees', WORLD, true],
  ['a world in Mercator', { extent: [-2e7, -1.5e7, 2e7, 1.5e7], crs: 'EPSG:3857' } as Block, true],
  // one degree from west to east is half as long as one from south to north
  ['degrees at 60° north', { extent: [10, 59.5, 11, 60.5], crs: 'EPSG:4326' } as Block, true],
  ['degrees at the equator', { extent: [10, -0.5, 11, 0.5], crs: 'EPSG:4326' } as Block, false],
  ['a city', UTM, false],
])('the note about where the scale is valid: %s', async (_, block, expected) => {
  const { path, warnings } = await print([block])
  expect(run('pdftotext', path, '-').includes('along the middle of the map')).toBe(expected)
  expect(warnings.some((text) => text.includes('scale of map 0'))).toBe(expected)
})

test('Arabic digits for scales and coordinates, and none in the texts of the call', async () => {
  const arabic = (text: string) =>
    text.replace(/\d/g, (digit) => '٠١٢٣٤٥٦٧٨٩'[Number(digit)] as string).replaceAll(',', '٬')
  for (const more of [{ graticule: true }, {}]) {
    const { path, data } = await print([{ ...UTM, ...more }], { lang: 'ar', digits: 'arabic', title: 'خريطة 2026' })
    const text = run('pdftotext', path, '-').replace(/[\u2066-\u2069\u202A-\u202E]/g, '')
    const [scale] = data.scales as number[]
    expect(text).toContain(`١:${arabic(String(scale).replace(/\B(?=(\d{3})+$)/g, ','))}`)
    expect(text.replace('2026', '').replace('A4', '')).not.toMatch(/[0-9]/)
    expect(text).toContain('2026')
    expect(text).toContain('graticule' in more ? 'ق' : '٣٩٦')
  }
})
