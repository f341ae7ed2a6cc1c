/** The statistics of a polygon as answers tell them. */
import { Type } from '@sinclair/typebox'
import { gives } from './params.ts'

export const shapeSchema = Type.Object({
  areaM2: gives(Type.Number(), {
    en: 'Area on the ellipsoid in square metres',
    ar: 'المساحة على الإهليلج بالمتر المربع',
  }),
  perimeterM: gives(Type.Number(), { en: 'Perimeter on the ellipsoid in metres', ar: 'المحيط على الإهليلج بالأمتار' }),
  vertexCount: gives(Type.Integer(), { en: 'Corners of the outer ring', ar: 'عدد زوايا الحلقة الخارجية' }),
  compactness: gives(Type.Number(), {
    en: '4π area / perimeter², 1 for a circle',
    ar: 'الاندماج: 4π المساحة / مربع المحيط، 1 للدائرة',
  }),
  centroid: gives(Type.Union([Type.Array(Type.Number()), Type.Null()]), {
    en: '[longitude, latitude] of the centre of mass',
    ar: '[خط الطول، خط العرض] لمركز الثقل',
  }),
  bbox: gives(Type.Array(Type.Number()), { en: '[west, south, east, north]', ar: '[غرب، جنوب، شرق، شمال]' }),
  isValid: gives(Type.Boolean(), { en: 'Whether the ring does not cross itself', ar: 'هل لا تقطع الحلقة نفسها' }),
  isConvex: gives(Type.Boolean(), { en: 'Whether it has no dents', ar: 'هل المضلع محدب' }),
  orientation: gives(Type.String(), {
    en: 'clockwise or counterclockwise',
    ar: 'clockwise مع عقارب الساعة أو counterclockwise عكسها',
  }),
})
