/** Coordinate notations in both directions, and invalid ones. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { formatCoordinate, parseCoordinate } from '../../../../src/lib/geo/formats/csv/coordinate-format.ts'
import { refusal, runTool } from '../../../support/workers/engine.ts'

const convert = async (from_format: string, lon: unknown, lat: unknown) =>
  ((await runTool('convert.convert-coordinates', { from_format, points: [{ lon, lat }] })).data.results as unknown[])[0]

test('converts known positions', async () => {
  // positions such as Airy's transit circle at Greenwich, by plain arithmetic: 52.52 = 52° + 31.2' = 52° 31' 12"
  const berlin = {
    dd: { lon: 13.405, lat: 52.52 },
    dms: { lon: '13°24\'18.0000"E', lat: '52°31\'12.0000"N' },
    ddm: { lon: "13°24.300000'E", lat: "52°31.200000'N" },
  }
  expect(await convert('dd', 13.405, 52.52)).toEqual(berlin)
  const near = { ...berlin, dd: { lon: expect.closeTo(13.405, 12), lat: expect.closeTo(52.52, 12) } }
  expect(await convert('dms', '13°24\'18"E', '52°31\'12"N')).toEqual(near)
  expect(await convert('ddm', "13° 24.3' E", 'N 52 31.2')).toEqual(near)
  expect(await convert('dms', '-13 24 18', '52:31:12')).toMatchObject({ dd: { lon: expect.closeTo(-13.405, 12) } })
  expect(await convert('dd', -0.0000001, -90)).toMatchObject({
    dms: { lon: '0°00\'00.0004"W', lat: '90°00\'00.0000"S' },
  })
})

test('rounding never gives sixty seconds or minutes', async () => {
  expect(await convert('dd', 12.999999999, 0.016666666)).toMatchObject({
    dms: { lon: '13°00\'00.0000"E', lat: '0°01\'00.0000"N' },
    ddm: { lon: "13°00.000000'E", lat: "0°01.000000'N" },
  })
})

test('a round trip changes a coordinate by less than three millimetres', () => {
  fc.assert(
    fc.property(
      fc.double({ min: -180, max: 180, noNaN: true }),
      fc.constantFrom('dms' as const, 'ddm' as const),
      (degrees, notation) => {
        const back = parseCoordinate(formatCoordinate(degrees, notation, 'lon'), notation, 'lon')
        expect(Math.abs(back - degrees)).toBeLessThan(2.8e-8)
      },
    ),
  )
})

test('rejects invalid coordinates, naming the point', async () => {
  const ask = (from_format: string, lon: unknown, lat: unknown) =>
    refusal('convert.convert-coordinates', { from_format, points: [{ lon, lat }] })
  const field = 'points.0.lon'
  expect(await ask('dd', 181, 0)).toMatchObject({ code: 'VALIDATION_FAILED', field, rule: 'range' })
  expect(await ask('dd', 'east', 0)).toMatchObject({ field, rule: 'number' })
  expect(await ask('dms', 13.4, '52°31\'12"N')).toMatchObject({ field, rule: 'string' })
  expect(await ask('dms', '13°60\'18"E', '52°31\'12"N')).toMatchObject({ field, rule: 'minutes' })
  expect(await ask('dms', '13°24\'60"E', '52°31\'12"N')).toMatchObject({ field, rule: 'seconds' })
  expect(await ask('dms', '13°24\'18"N', '52°31\'12"N')).toMatchObject({ field, rule: 'hemisphere' })
  expect(await ask('dms', '-13°24\'18"W', '52°31\'12"N')).toMatchObject({ field, rule: 'sign' })
  expect(await ask('dms', '180°00\'01"E', '0°0\'0"N')).toMatchObject({ field, rule: 'range' })
  expect(await ask('ddm', 'somewhere', "52°31.2'N")).toMatchObject({ field, rule: 'ddm' })
  expect(await ask('utm', 1, 1)).toMatchObject({ field: 'from_format', rule: 'enum' })
})
