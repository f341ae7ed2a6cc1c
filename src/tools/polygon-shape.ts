/** Schema of a polygon's statistics in responses. */
import { Type } from '@sinclair/typebox'
import { described, flagResult, integerResult, numberResult, textResult } from './params.ts'

export const shapeSchema = Type.Object({
  areaM2: numberResult('Area on the ellipsoid in square metres', 'المساحة على الإهليلج بالمتر المربع'),
  perimeterM: numberResult('Perimeter on the ellipsoid in metres', 'المحيط على الإهليلج بالأمتار'),
  vertexCount: integerResult('Vertices of the outer ring', 'عدد زوايا الحلقة الخارجية'),
  compactness: numberResult('4π area / perimeter², 1 for a circle', 'الاندماج: 4π المساحة / مربع المحيط، 1 للدائرة'),
  centroid: described(Type.Union([Type.Array(Type.Number()), Type.Null()]), {
    en: '[longitude, latitude] of the centroid',
    ar: '[خط الطول، خط العرض] لمركز الثقل',
  }),
  bbox: described(Type.Array(Type.Number()), { en: '[west, south, east, north]', ar: '[غرب، جنوب، شرق، شمال]' }),
  isValid: flagResult('Whether the ring does not intersect itself', 'هل الحلقة خالية من التقاطع الذاتي'),
  isConvex: flagResult('Whether it is convex', 'هل المضلع محدب'),
  orientation: textResult('clockwise or counterclockwise', 'clockwise مع عقارب الساعة أو counterclockwise عكسها'),
})
