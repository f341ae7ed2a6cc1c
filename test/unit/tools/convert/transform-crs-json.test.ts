/** Reprojection of points, compared with gdaltransform. */
import { expect, test } from 'bun:test'
import { outputOf } from '../../../support/program.ts'
import { seeded } from '../../../support/random.ts'
import { refusal, runTool } from '../../../support/workers/engine.ts'

const random = seeded(22)
const around = (x: number, y: number, spread: number) =>
  Array.from({ length: 50 }, () => ({ x: x + (random() - 0.5) * spread, y: y + (random() - 0.5) * spread }))

test.each([
  ['EPSG:4326', 'EPSG:25833', around(15, 52, 5)],
  ['EPSG:4326', 'EPSG:3857', around(0, 0, 150)],
  ['EPSG:4326', 'EPSG:2193', around(173, -41, 5)],
  ['EPSG:4326', 'EPSG:3413', around(0, 85, 9)],
  ['EPSG:27700', 'EPSG:4326', around(400_000, 300_000, 200_000)],
  ['EPSG:31468', '25832', around(4_468_000, 5_333_000, 10_000)],
] as const)('%s to %s matches gdaltransform to a millimetre', async (source_crs, target_crs, points) => {
  const { data } = await runTool('convert.transform-crs-json', { source_crs, target_crs, points })
  const code = (text: string): string => (text.includes(':') ? text : `EPSG:${text}`)
  const args = [
    '--config',
    'OSR_DEFAULT_AXIS_MAPPING_STRATEGY',
    'TRADITIONAL_GIS_ORDER',
    '-output_xy',
    '-s_srs',
    code(source_crs),
    '-t_srs',
    code(target_crs),
  ]
  const reported = outputOf('gdaltransform', args, { input: points.map(({ x, y }) => `${x} ${y}`).join('\n') })
  const lines = reported
    .toString()
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(Number))
  const millimetre = target_crs === 'EPSG:4326' ? 1e-8 : 1e-3
  const transformed = data.transformedPoints as { x: number; y: number }[]
  transformed.forEach(({ x, y }, i) => {
    expect(Math.abs(x - (lines[i]?.[0] ?? Number.NaN))).toBeLessThan(millimetre)
    expect(Math.abs(y - (lines[i]?.[1] ?? Number.NaN))).toBeLessThan(millimetre)
  })
  expect(transformed).toHaveLength(points.length)
})

test('rejects an unknown CRS, and text that could be a file name or an address', async () => {
  const points = [{ x: 1, y: 2 }]
  const id = 'convert.transform-crs-json'
  expect(await refusal(id, { source_crs: 'EPSG:999999', target_crs: 'EPSG:4326', points })).toMatchObject({
    code: 'VALIDATION_FAILED',
    field: 'source_crs',
    rule: 'crs',
  })
  for (const text of ['/etc/passwd', 'http://127.0.0.1/x', '+proj=longlat +nadgrids=/etc/passwd', 'PROJCS["x"]', ''])
    expect(await refusal(id, { source_crs: 'EPSG:4326', target_crs: text, points })).toMatchObject({
      field: 'target_crs',
    })
  expect(
    await refusal(id, {
      source_crs: 'EPSG:4326',
      target_crs: 'EPSG:25833',
      points: [
        { x: 1, y: 1 },
        { x: 0, y: 95 },
      ],
    }),
  ).toMatchObject({
    field: 'points.1',
    rule: 'reach',
  })
})
