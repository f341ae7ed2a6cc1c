/** Whether points are inside a polygon, and how far they are from its edge. */
import { Type } from '@sinclair/typebox'
import { invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { locate, ringOf } from '../../lib/geo/geometry/ring.ts'
import { warning } from '../../warnings/warning.ts'
import { described, list, lonLatPair, lonLatPoint } from '../params.ts'
import { defineTool } from '../tool.ts'

/** Points times edges that a run can process within its deadline. */
const MAX_PAIRS = 50_000_000

const count = (en: string, ar: string) => described(Type.Integer(), { en, ar })

export default defineTool({
  id: 'measure.point-in-polygon',
  route: '/point-in-polygon',
  version: '1.0.0',
  title: { en: 'Point in polygon', ar: 'نقطة في مضلع' },
  description: {
    en: 'Reports for each point whether it is inside a polygon, outside or on its boundary, and its geodesic distance to the nearest edge in metres. Edges are straight lines in longitude and latitude, as in GeoJSON.',
    ar: 'يبيّن لكل نقطة هل تقع داخل المضلع أو خارجه أو على حدوده، ومسافتها الجيوديسية إلى أقرب ضلع بالأمتار. الأضلاع مستقيمة في خطوط الطول والعرض كما في GeoJSON.',
  },
  keywords: ['point in polygon', 'inside', 'contains', 'boundary'],
  credits: 0,
  lane: 'bun',
  inputKind: 'json',
  outputKind: 'json',
  input: Type.Object({
    polygon: list(
      lonLatPair(),
      {
        title: { en: 'Polygon', ar: 'المضلع' },
        en: 'Vertices as [longitude, latitude], at least three. Edges are as drawn; longitudes beyond ±180 lead across the antimeridian',
        ar: 'الزوايا بصيغة [خط الطول، خط العرض]، ثلاث على الأقل. الأضلاع كما رُسمت، وخطوط الطول التي تتجاوز ±180 تعبر خط التاريخ',
      },
      { minItems: 3 },
    ),
    points: list(
      lonLatPoint(),
      { title: { en: 'Points', ar: 'النقاط' }, en: 'The points', ar: 'النقاط' },
      { minItems: 1 },
    ),
  }),
  output: Type.Object({
    results: described(
      Type.Array(
        Type.Object({ lon: Type.Number(), lat: Type.Number(), position: Type.String(), distance_m: Type.Number() }),
      ),
      {
        en: 'The points in order; position is inside, outside or boundary',
        ar: 'النقاط بالترتيب؛ قيمة position هي inside أو outside أو boundary',
      },
    ),
    inside_count: count('Points inside', 'النقاط في الداخل'),
    outside_count: count('Points outside', 'النقاط في الخارج'),
    boundary_count: count('Points on the boundary', 'النقاط على الحدود'),
    point_count: count('Points', 'عدد النقاط'),
  }),
  examples: [
    {
      name: 'a triangle',
      input: {
        polygon: [
          [0, 0],
          [10, 0],
          [0, 10],
        ],
        points: [
          { lon: 1, lat: 1 },
          { lon: 9, lat: 9 },
          { lon: 5, lat: 0 },
        ],
      },
    },
  ],
  async run({ polygon, points }, context) {
    polygon.forEach(([longitude = 0, latitude = 0], i) => {
      if (Math.abs(longitude) > 360)
        throw invalidField(`polygon.${i}.0`, 'range', fieldText('between', { least: -360, most: 360 }))
      if (Math.abs(latitude) > 90)
        throw invalidField(`polygon.${i}.1`, 'range', fieldText('between', { least: -90, most: 90 }))
    })
    if (new Set(polygon.map(String)).size < 3) throw invalidField('polygon', 'distinct', fieldText('threeVertices'))
    if (polygon.length * points.length > MAX_PAIRS)
      throw invalidField('points', 'maxPairs', fieldText('pointsTimesVertices', { most: MAX_PAIRS }))
    const ring = ringOf(polygon)
    const wide = ring.x.findIndex((longitude, i) => Math.abs(longitude - (ring.x[i + 1] ?? longitude)) > 180)
    const warnings = wide < 0 ? [] : [warning('edgeWiderThanHalfTurn', { i: wide })]
    const counts = { inside: 0, outside: 0, boundary: 0 }
    const results = points.map(({ lon, lat }, i) => {
      if (i % 256 === 0) context.progress(i / points.length)
      const { position, distanceM } = locate(ring, lon, lat)
      counts[position]++
      return { lon, lat, position, distance_m: distanceM }
    })
    return {
      data: {
        results,
        inside_count: counts.inside,
        outside_count: counts.outside,
        boundary_count: counts.boundary,
        point_count: points.length,
      },
      warnings,
    }
  },
})
