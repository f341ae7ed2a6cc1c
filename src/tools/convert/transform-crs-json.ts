/** Reprojects points. */

import { Type } from '@sinclair/typebox'
import { invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { described, list } from '../params.ts'
import { reprojectionOf, sourceCrs, targetCrs } from '../reproject-fields.ts'
import { defineTool } from '../tool.ts'

const point = () => Type.Object({ x: Type.Number(), y: Type.Number() }, { additionalProperties: false })

export default defineTool({
  id: 'convert.transform-crs-json',
  route: '/transform-crs/json',
  aliases: ['/reproject'],
  version: '1.1.0',
  title: { en: 'Reproject points', ar: 'إسقاط النقاط' },
  description: {
    en: 'Reprojects points with PROJ. x is longitude or easting and y is latitude or northing, regardless of the axis order of the CRS.',
    ar: 'يحوّل النقاط بين أنظمة الإحداثيات بواسطة PROJ. x هو خط الطول أو الشرقيات وy خط العرض أو الشماليات بغض النظر عن ترتيب المحاور في نظام الإحداثيات.',
  },
  keywords: ['reproject', 'crs', 'epsg', 'projection', 'transform'],
  credits: 0,
  countsAsFiles: 1,
  lane: 'node',
  inputKind: 'json',
  outputKind: 'json',
  input: Type.Object({
    source_crs: sourceCrs(),
    target_crs: targetCrs(),
    points: list(point(), { title: { en: 'Points', ar: 'النقاط' }, en: 'The points', ar: 'النقاط' }, { minItems: 1 }),
  }),
  output: Type.Object({
    transformedPoints: described(Type.Array(Type.Object({ x: Type.Number(), y: Type.Number() })), {
      en: 'The points, in the order of the request',
      ar: 'النقاط بترتيبها في الطلب',
    }),
  }),
  examples: [
    {
      name: 'Berlin in UTM',
      input: { source_crs: 'EPSG:4326', target_crs: 'EPSG:25833', points: [{ x: 13.405, y: 52.52 }] },
    },
  ],
  async run({ source_crs, target_crs, points }) {
    const reproject = await reprojectionOf(source_crs, target_crs)
    const transformedPoints = points.map((given, i) => {
      const moved = reproject(given.x, given.y)
      if (moved === undefined) throw invalidField(`points.${i}`, 'reach', fieldText('outsideCrsUse'))
      return { x: moved[0], y: moved[1] }
    })
    return { data: { transformedPoints } }
  },
})
