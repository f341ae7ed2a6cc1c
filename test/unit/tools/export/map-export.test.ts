/** Printed maps, read back by Poppler and by GDAL, which reads the georeference of a page. */
import { describe, expect, test } from 'bun:test'
import sharp from 'sharp'
import { drawn, isSound, run } from '../../../support/formats/pdfs.ts'
import { refusal, runTool } from '../../../support/workers/engine.ts'

const picture = async (width: number, height: number, colour = '#aaccaa') => ({
  name: 'map.png',
  content: await sharp({ create: { width, height, channels: 3, background: colour } })
    .png()
    .toBuffer(),
})
const print = async (spec: object, images: Awaited<ReturnType<typeof picture>>[], more: object = {}) =>
  runTool('export.map-export', { image: images, spec, ...more })

type Word = { text: string; x: number; y: number; left: number; right: number }
const wordsOf = (path: string): Word[] =>
  [
    ...run('pdftotext', '-bbox', path, '-').matchAll(
      /xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">([^<]+)</g,
    ),
  ].map(([, x1, y1, x2, y2, text]) => ({
    text: String(text),
    x: (Number(x1) + Number(x2)) / 2,
    y: (Number(y1) + Number(y2)) / 2,
    left: Number(x1),
    right: Number(x2),
  }))
const word = (path: string, text: string): Word => {
  const found = wordsOf(path).find((one) => one.text === text)
  if (found === undefined) throw new Error(`${text} is not on the page`)
  return found
}
/** Position of the image on the page, in points. */
const boxOf = (path: string): number[] =>
  /\/BBox \[\s*([\d.\s]+)\]\s*\/Measure/
    .exec(run('qpdf', '--qdf', '--object-streams=disable', path, '-'))?.[1]
    ?.trim()
    .split(/\s+/)
    .map(Number) ?? []

const UTM = { extent: [390_000, 5_810_000, 402_000, 5_818_000], crs: 'EPSG:25833' }
const WORDS = {
  title: 'Stations of the northern basin',
  subtitle: 'Readings of 2026',
  attribution: 'Survey of 2026',
  crsLabel: 'ETRS89 / UTM 33N',
  legend: [
    { label: 'Waters', kind: 'heading' },
    { label: 'River', kind: 'line', color: '#3a78c2' },
    { label: 'Station', kind: 'point', color: '#cc0000' },
  ],
}

test.each([
  ['a4', 'portrait', 595, 842],
  ['a4', 'landscape', 842, 595],
  ['a3', 'portrait', 842, 1191],
  ['letter', 'landscape', 792, 612],
])('%s %s: the sheet has its size, its texts and its image', async (page, orientation, width, height) => {
  const { data, path, filename } = await print(
    { ...WORDS, page, orientation, maps: [UTM] },
    [await picture(1_200, 800)],
    { logo: 'logo.png' },
  )
  expect(data).toMatchObject({ pageCount: 1, mapCount: 1 })
  expect(filename).toBe('Stations of the northern basin.pdf')
  expect(isSound(path)).toBe(true)
  const [, wide, high] = /Page size:\s+([\d.]+) x ([\d.]+)/.exec(run('pdfinfo', path)) ?? []
  expect([Math.round(Number(wide)), Math.round(Number(high))]).toEqual([width, height])
  const text = run('pdftotext', '-layout', path, '-')
  for (const wanted of [
    'Stations of the northern basin',
    'Readings of 2026',
    'Survey of 2026',
    'CRS: ETRS89 / UTM 33N',
    'Legend',
    'Waters',
    'River',
    'Station',
    'Scale',
  ])
    expect(text).toContain(wanted)
  // more than half of the sheet is map; logo and symbols have their colours
  const { data: pixels } = drawn(path, 1, 100)
  const count = (r: number, g: number, b: number) => {
    let found = 0
    for (let at = 0; at < pixels.length; at += 3)
      if (
        Math.abs((pixels[at] as number) - r) +
          Math.abs((pixels[at + 1] as number) - g) +
          Math.abs((pixels[at + 2] as number) - b) <
        12
      )
        found++
    return found
  }
  expect(count(0xaa, 0xcc, 0xaa) / (pixels.length / 3)).toBeGreaterThan(0.3)
  expect(count(0xcc, 0, 0)).toBeGreaterThan(3)
})

test('GDAL finds the image at its position on earth', async () => {
  const { path } = await print({ maps: [UTM] }, [await picture(1_200, 800)])
  const info = JSON.parse(run('gdalinfo', '-json', path)) as {
    metadata: Record<string, Record<string, string>>
    coordinateSystem: { wkt: string }
  }
  const ring = info.metadata['']?.NEATLINE ?? ''
  const numbers = [...ring.matchAll(/[\d.]+/g)].map(([value]) => Math.round(Number(value)))
  const [west, south, east, north] = UTM.extent as [number, number, number, number]
  expect([
    Math.min(...numbers.filter((_, i) => i % 2 === 0)),
    Math.max(...numbers.filter((_, i) => i % 2 === 0)),
  ]).toEqual([west, east])
  expect([
    Math.min(...numbers.filter((_, i) => i % 2 === 1)),
    Math.max(...numbers.filter((_, i) => i % 2 === 1)),
  ]).toEqual([south, north])
  expect(info.coordinateSystem.wkt).toContain('UTM zone 33N')
})

test('a map across the antimeridian is where the PDF says, or the PDF does not say where', async () => {
  const printed = async (crs: string, ...extent: number[]) => {
    const [west, south, east, north] = extent as [number, number, number, number]
    const image = await picture(600, Math.round((600 * (north - south)) / (east - west)))
    const { path, warnings, data } = await print({ maps: [{ extent, crs }] }, [image])
    const ring = (JSON.parse(run('gdalinfo', '-json', path)) as { metadata: Record<string, Record<string, string>> })
      .metadata['']?.NEATLINE
    const numbers = [...(ring ?? '').matchAll(/-?[\d.]+/g)].map(([value]) => Math.round(Number(value)))
    return { numbers, warnings, words: wordsOf(path).map(({ text }) => text), scales: data.scales as number[] }
  }
  const degrees = await printed('EPSG:4326', 170, -5, 190, 5)
  expect([Math.min(...degrees.numbers), Math.max(...degrees.numbers), degrees.warnings]).toEqual([-5, 190, []])
  expect(degrees.words).toContain('175°W')
  expect((await printed('EPSG:4326', 350, -5, 370, 5)).words).toEqual(expect.arrayContaining(['5°W', '0°', '5°E']))
  const utm = await printed('EPSG:32660', 700_000, 0, 1_100_000, 200_000)
  expect([Math.min(...utm.numbers), Math.max(...utm.numbers), utm.warnings]).toEqual([0, 1_100_000, []])
  const mercator = await printed('EPSG:3857', 19_500_000, -300_000, 20_500_000, 200_000)
  expect(mercator.numbers).toEqual([])
  expect(mercator.warnings).toEqual([expect.stringContaining('does not say where on earth it is')])
  expect(mercator.scales).toEqual((await printed('EPSG:3857', -500_000, -300_000, 500_000, 200_000)).scales)
  for (const extent of [
    [-30_037_508, -1e7, 30_037_508, 1e7],
    [-8e7, -1e7, 8e7, 1e7],
    [-1e13, -1e7, 1e13, 1e7],
  ])
    expect(
      await refusal('export.map-export', { image: [await picture(30, 20)], spec: { maps: [{ extent }] } }),
    ).toMatchObject({ field: 'spec.maps.0', rule: 'extent' })
  const wide = { maps: [{ extent: [-181, -80, 180, 80], crs: 'EPSG:4326' }] }
  expect(await refusal('export.map-export', { image: [await picture(30, 20)], spec: wide })).toMatchObject({
    rule: 'extent',
  })
})

/** Points per metre on the sheet. */
const METRE = 72 / 0.0254

test.each([
  // a transverse Mercator 100 km from its meridian: 0.9996 (1 + d² / 2R²)
  ['UTM', UTM, 12_000 / (0.9996 * (1 + (104_000 / 6_371_000) ** 2 / 2))],
  // spherical Mercator: the scale is the cosine of the latitude, on the ellipsoid a thousandth more
  [
    'web Mercator',
    { extent: [1_488_000, 6_890_000, 1_500_000, 6_898_000] },
    12_000 * Math.cos((52.507 * Math.PI) / 180) * 1.0021,
  ],
  // a tenth of a degree of longitude at 60° north: half of its length at the equator, on the ellipsoid
  ['degrees', { extent: [10, 59.95, 10.1, 60.05], crs: 'EPSG:4326' }, 5_580.2],
])('scale and scale bar are true on the ground: %s', async (_, block, groundM) => {
  const [west, south, east, north] = block.extent as [number, number, number, number]
  const { path, data } = await print({ maps: [block] }, [
    await picture(1_200, Math.round((1_200 * (north - south)) / (east - west))),
  ])
  const [left = 0, , right = 0] = boxOf(path)
  const exact = groundM / ((right - left) / METRE)
  const [scale] = data.scales as number[]
  expect(Math.abs((scale as number) / exact - 1)).toBeLessThan(0.006)
  expect(run('pdftotext', path, '-').replace(/[\u2066-\u2069\u202A-\u202E]/g, '')).toContain(
    `1:${String(scale).replace(/\B(?=(\d{3})+$)/g, ',')}`,
  )
  // from the middle of its first number to the middle of its last
  const bar = wordsOf(path)
    .filter(({ text }) => /^[\d.]+$/.test(text))
    .filter(({ y }, _, all) => Math.abs(y - Math.max(...all.map((one) => one.y))) < 1)
    .toSorted((a, b) => a.x - b.x)
  const unit = wordsOf(path).some(({ text }) => text === 'km') ? 1_000 : 1
  const [first, last] = [bar[0] as Word, bar.at(-1) as Word]
  expect(first.text).toBe('0')
  const lengthM = ((last.x - first.x) / METRE) * exact
  expect(Math.abs(lengthM / (Number(last.text) * unit) - 1)).toBeLessThan(0.02)
})

test('coordinates are at their positions; the arrow rotates with the map', async () => {
  const { path } = await print({ maps: [UTM] }, [await picture(1_200, 800)])
  const [left = 0, , right = 0] = boxOf(path)
  // 396000 is written as 396 000
  const label = wordsOf(path).find(({ text }) => text === '396') as Word
  const rest = wordsOf(path).find(
    ({ text, y, left }) => text === '000' && Math.abs(y - label.y) < 1 && left > label.right,
  ) as Word
  expect(
    Math.abs((label.left + rest.right) / 2 - (left + ((396_000 - 390_000) / 12_000) * (right - left))),
  ).toBeLessThan(1)
  const arrows = await Promise.all(
    [0, 90].map(async (bearing) =>
      word((await print({ maps: [{ ...UTM, grid: false, bearing }] }, [await picture(1_200, 800)])).path, 'N'),
    ),
  )
  const [up, side] = arrows as [Word, Word]
  // with east up, north is to the left
  expect(side.x).toBeLessThan(up.x - 5)
  expect(side.y).toBeGreaterThan(up.y + 5)
  const { path: turned } = await print({ maps: [{ ...UTM, bearing: 90 }] }, [await picture(1_200, 800)])
  expect(wordsOf(turned).some(({ text }) => text === '396')).toBe(false)
})

test('several maps, each with its own image, caption and scale', async () => {
  const colours = ['#ff0000', '#00ff00', '#0000ff', '#ffff00']
  const images = await Promise.all(colours.map((colour) => picture(600, 400, colour)))
  const maps = colours.map((_, i) => ({
    ...UTM,
    title: `Block-${i}`,
    extent: [390_000, 5_810_000, 390_000 + 6_000 * (i + 1), 5_810_000 + 4_000 * (i + 1)],
  }))
  const { path, data } = await print({ maps }, images)
  const scales = data.scales as number[]
  expect(scales.map((scale) => Math.round((scale / (scales[0] as number)) * 50) / 50)).toEqual([1, 2, 3, 4])
  const captions = maps.map(({ title }) => word(path, title))
  const page = drawn(path)
  for (const [i, { x, y }] of captions.entries()) {
    const at = 3 * (Math.round(y + 60) * page.width + Math.round(x))
    const seen = `#${[0, 1, 2].map((k) => (page.data[at + k] as number).toString(16).padStart(2, '0')).join('')}`
    expect(seen).toBe(colours[i] as string)
  }
})

test('an Arabic sheet is laid out from right to left', async () => {
  const { path } = await print(
    {
      lang: 'ar',
      title: 'محطات الحوض',
      crsLabel: 'UTM 33N',
      legend: [{ label: 'محطة', kind: 'point', color: '#cc0000' }],
      maps: [UTM],
    },
    [await picture(1_200, 800)],
    { logo: 'logo.png' },
  )
  const text = run('pdftotext', path, '-').normalize('NFKC')
  for (const wanted of ['محطات', 'مفتاح', 'محطة', 'كم', 'مقياس']) expect(text).toContain(wanted)
  const [left = 0] = boxOf(path)
  // the legend is on the left, the title starts at the right
  expect(left).toBeGreaterThan(150)
  expect(
    Math.max(
      ...wordsOf(path)
        .filter(({ y }) => y < 70)
        .map(({ right }) => right),
    ),
  ).toBeGreaterThan(780)
})

test('a long legend continues on further pages without loss', async () => {
  const legend = Array.from({ length: 100 }, (_, i) => ({
    label: `Class-${i} of the land that lies around the stations and has a long name`,
    color: '#336699',
  }))
  const { path, data } = await print({ legend, orientation: 'portrait', maps: [UTM] }, [await picture(1_200, 800)])
  expect(data.pageCount).toBeGreaterThan(1)
  const text = run('pdftotext', path, '-')
  for (let i = 0; i < 100; i++) expect(text).toContain(`Class-${i} `)
})

test('without an entry for the maps there is only the image', async () => {
  const { data, path, filename } = await print({}, [await picture(300, 200)])
  expect({ data, filename }).toEqual({ data: { pageCount: 1, mapCount: 1, scales: [null] }, filename: 'map.pdf' })
  expect(run('pdftotext', path, '-').trim()).toBe('')
})

test('warns about an image with another aspect ratio than its extent', async () => {
  const { warnings } = await print({ maps: [UTM] }, [await picture(400, 400)])
  expect(warnings).toEqual([
    'Image 0 does not have the aspect ratio of its extent; its scale is valid from west to east.',
  ])
})

describe('rejects', () => {
  const block = (more: object) => ({ maps: [{ ...UTM, ...more }] })
  test.each([
    ['another page', { page: 'a5' }, 'spec.page', 'enum'],
    ['an unknown key', { tittle: 'x' }, 'spec.tittle', 'additionalProperties'],
    ['an invalid colour', { legend: [{ label: 'x', color: 'red' }] }, 'spec.legend.0.color', 'pattern'],
    ['more maps than images', { maps: [UTM, UTM] }, 'spec.maps', 'length'],
    ['an extent backwards', block({ extent: [5, 5, 4, 6] }), 'spec.maps.0', 'extent'],
    ['an extent outside of the CRS', block({ extent: [0, 0, 1e9, 1e9] }), 'spec.maps.0', 'extent'],
    ['an unknown CRS', block({ crs: 'EPSG:1' }), 'spec.maps.0', 'crs'],
    ['a CRS that is a path', block({ crs: '/etc/passwd' }), 'spec.maps.0', 'crs'],
    ['letters that no font contains', { title: '漢字' }, 'spec.title', 'glyphs'],
    ['101 legend items', { legend: Array.from({ length: 101 }, () => ({ label: 'x' })) }, 'spec.legend', 'maxItems'],
  ])('%s', async (_, spec, field, rule) => {
    expect(await refusal('export.map-export', { image: [await picture(30, 20)], spec })).toMatchObject({ field, rule })
  })

  test('an image that is not a PNG', async () => {
    expect(await refusal('export.map-export', { image: ['dull.jpg'], spec: {} })).toMatchObject({
      field: 'image.0',
      rule: 'format',
    })
  })
})
