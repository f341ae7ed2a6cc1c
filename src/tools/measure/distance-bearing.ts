/** Lengths and bearings of the geodesics between points. */
import { Type } from '@sinclair/typebox'
import { inverse } from '../../lib/geo/geometry/geodesic.ts'
import { described, flagResult, integerResult, list, lonLatPoint } from '../params.ts'
import { defineTool } from '../tool.ts'

const metres = (en: string, ar: string) => described(Type.Number(), { en, ar })

export default defineTool({
  id: 'measure.distance-bearing',
  route: '/distance-bearing',
  version: '1.0.0',
  title: { en: 'Distance and bearing', ar: 'المسافة والاتجاه' },
  description: {
    en: 'Measures the geodesic distance on the WGS 84 ellipsoid along a list of points, and the forward and back bearing of each segment in degrees clockwise from north.',
    ar: 'يقيس المسافة الجيوديسية على إهليلج WGS 84 عبر قائمة نقاط، والاتجاه الأمامي والخلفي لكل قطعة بالدرجات من الشمال مع عقارب الساعة.',
  },
  keywords: ['distance', 'bearing', 'azimuth', 'geodesic', 'length'],
  credits: 0,
  lane: 'bun',
  inputKind: 'json',
  outputKind: 'json',
  input: Type.Object({
    points: list(
      lonLatPoint(),
      {
        title: { en: 'Points', ar: 'النقاط' },
        en: 'Points in order, at least two',
        ar: 'النقاط بالترتيب، اثنتان على الأقل',
      },
      { minItems: 2 },
    ),
  }),
  output: Type.Object({
    segments: described(
      Type.Array(
        Type.Object({
          from: Type.Integer(),
          to: Type.Integer(),
          distance_m: Type.Number(),
          distance_km: Type.Number(),
          forward_bearing: Type.Number(),
          back_bearing: Type.Number(),
        }),
      ),
      {
        en: 'Each segment goes from one point to the next, by index; back_bearing points from the second point to the first',
        ar: 'تمتد كل قطعة من نقطة إلى التي تليها، بحسب ترقيمها في القائمة؛ ويشير back_bearing من النقطة الثانية إلى الأولى',
      },
    ),
    total_distance_m: metres('Distance along all segments in metres', 'عبر كل القطع بالأمتار'),
    total_distance_km: metres('The same in kilometres', 'نفسها بالكيلومترات'),
    straight_distance_m: metres(
      'Distance from the first point to the last in metres',
      'من النقطة الأولى إلى الأخيرة بالأمتار',
    ),
    straight_distance_km: metres('The same in kilometres', 'نفسها بالكيلومترات'),
    is_closed: flagResult('Whether the last point equals the first', 'هل تطابق النقطة الأخيرة الأولى'),
    point_count: integerResult('Points', 'عدد النقاط'),
    segment_count: integerResult('Segments', 'عدد القطع'),
  }),
  examples: [
    {
      name: 'Berlin, Cairo, Nairobi',
      input: {
        points: [
          { lon: 13.405, lat: 52.52 },
          { lon: 31.2357, lat: 30.0444 },
          { lon: 36.8219, lat: -1.2921 },
        ],
      },
    },
  ],
  async run({ points }) {
    const segments = points.slice(1).map((to, i) => {
      const from = points[i] as (typeof points)[number]
      const { distanceM, forwardDegrees, backDegrees } = inverse(from.lon, from.lat, to.lon, to.lat)
      return {
        from: i,
        to: i + 1,
        distance_m: distanceM,
        distance_km: distanceM / 1000,
        forward_bearing: forwardDegrees,
        back_bearing: backDegrees,
      }
    })
    const total = segments.reduce((sum, { distance_m }) => sum + distance_m, 0)
    const [first, last] = [points[0], points.at(-1)] as [(typeof points)[number], (typeof points)[number]]
    const straight = inverse(first.lon, first.lat, last.lon, last.lat).distanceM
    return {
      data: {
        segments,
        total_distance_m: total,
        total_distance_km: total / 1000,
        straight_distance_m: straight,
        straight_distance_km: straight / 1000,
        is_closed: first.lon === last.lon && first.lat === last.lat,
        point_count: points.length,
        segment_count: segments.length,
      },
    }
  },
})
