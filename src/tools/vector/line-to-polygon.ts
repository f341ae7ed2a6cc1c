/** Closes a line to a polygon and measures it. */
import { Type } from '@sinclair/typebox'
import { invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { loadGeos } from '../../lib/geo/geometry/geos.ts'
import { polygonWkb } from '../../lib/geo/geometry/globe.ts'
import { nearestTurn } from '../../lib/geo/geometry/longitude.ts'
import { polygonShape } from '../../lib/geo/geometry/polygon-shape.ts'
import { described, list, lonLatPair } from '../params.ts'
import { shapeSchema } from '../polygon-shape.ts'
import { defineTool } from '../tool.ts'

export default defineTool({
  id: 'vector.line-to-polygon',
  route: '/line-to-polygon',
  version: '1.1.0',
  title: { en: 'Line to polygon', ar: 'خط إلى مضلع' },
  description: {
    en: 'Closes a line to a polygon and returns its area and perimeter on the ellipsoid and measures of its shape.',
    ar: 'يغلق خطًا ليصبح مضلعًا، ويعطي مساحته ومحيطه على الإهليلج وقياسات شكله.',
  },
  keywords: ['polygon', 'area', 'perimeter', 'close line'],
  credits: 0,
  lane: 'bun',
  inputKind: 'json',
  outputKind: 'json',
  input: Type.Object({
    coordinates: list(
      lonLatPair(),
      {
        title: { en: 'Positions', ar: 'المواضع' },
        en: 'Positions as [longitude, latitude], at least three',
        ar: 'مواضع بصيغة [خط الطول، خط العرض]، ثلاثة على الأقل',
      },
      { minItems: 3 },
    ),
  }),
  output: Type.Object({
    polygon: described(
      Type.Object({ type: Type.Literal('Polygon'), coordinates: Type.Array(Type.Array(Type.Array(Type.Number()))) }),
      {
        en: 'The polygon as a GeoJSON geometry',
        ar: 'المضلع بصيغة GeoJSON',
      },
    ),
    stats: described(shapeSchema, { en: 'Its size and shape', ar: 'حجمه وشكله' }),
  }),
  examples: [
    {
      name: 'a square degree',
      input: {
        coordinates: [
          [0, 0],
          [1, 0],
          [1, 1],
          [0, 1],
        ],
      },
    },
  ],
  async run({ coordinates }) {
    coordinates.forEach(([longitude = 0, latitude = 0], i) => {
      if (Math.abs(longitude) > 180)
        throw invalidField(`coordinates.${i}.0`, 'range', fieldText('between', { least: -180, most: 180 }))
      if (Math.abs(latitude) > 90)
        throw invalidField(`coordinates.${i}.1`, 'range', fieldText('between', { least: -90, most: 90 }))
    })
    const ring: number[][] = []
    // a line crosses the antimeridian by the short way, but an edge of a polygon is taken as drawn
    for (const [longitude = 0, latitude = 0] of coordinates)
      ring.push([nearestTurn(longitude, ring.at(-1)?.[0] ?? longitude), latitude])
    const [first, last] = [ring[0] as number[], ring.at(-1) as number[]]
    if (Math.abs((first[0] as number) - (last[0] as number)) > 180)
      throw invalidField('coordinates', 'extent', fieldText('lineTurn'))
    if (first[0] !== last[0] || first[1] !== last[1]) ring.push(first)
    if (new Set(ring.map(String)).size < 3) throw invalidField('coordinates', 'distinct', fieldText('threePositions'))
    const stats = polygonShape(await loadGeos(), polygonWkb([ring.flat()]))
    // RFC 7946: outer rings run counter-clockwise
    const outward = stats.orientation === 'clockwise' ? ring.toReversed() : ring
    return { data: { polygon: { type: 'Polygon', coordinates: [outward] }, stats } }
  },
})
