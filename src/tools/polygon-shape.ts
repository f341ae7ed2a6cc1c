/** Schema of a polygon's statistics in responses. */
import { Type } from '@sinclair/typebox'
import { described } from './params.ts'

export const shapeSchema = Type.Object({
  areaM2: described(Type.Number(), {
    en: 'Area on the ellipsoid in square metres',
    ar: 'المساحة على الإهليلج بالمتر المربع',
  }),
  perimeterM: described(Type.Number(), {
    en: 'Perimeter on the ellipsoid in metres',
    ar: 'المحيط على الإهليلج بالأمتار',
  }),
  vertexCount: described(Type.Integer(), { en: 'Vertices of the outer ring', ar: 'عدد زوايا الحلقة الخارجية' }),
  compactness: described(Type.Number(), {
    en: '4π area / perimeter², 1 for a circle',
    ar: 'الاندماج: 4π المساحة / مربع المحيط، 1 للدائرة',
  }),
  centroid: described(Type.Union([Type.Array(Type.Number()), Type.Null()]), {
    en: '[longitude, latitude] of the centroid',
    ar: '[خط الطول، خط العرض] لمركز الثقل',
  }),
  bbox: described(Type.Array(Type.Number()), { en: '[west, south, east, north]', ar: '[غرب، جنوب، شرق، شمال]' }),
  isValid: described(Type.Boolean(), {
    en: 'Whether the ring does not intersect itself',
    ar: 'هل الحلقة خالية من التقاطع الذاتي',
  }),
  isConvex: described(Type.Boolean(), { en: 'Whether it is convex', ar: 'هل المضلع محدب' }),
  orientation: described(Type.String(), {
    en: 'clockwise or counterclockwise',
    ar: 'clockwise مع عقارب الساعة أو counterclockwise عكسها',
  }),
})
