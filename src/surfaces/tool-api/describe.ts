/** Description of a Tool API in the structure of a process description. It reveals nothing about the bound item. */
import type { ToolApiRecord } from '../../stores/postgres/runs/tool-apis.ts'
import { type Language, plainSchema } from '../../tools/plain-schema.ts'
import type { Tool } from '../../tools/tool.ts'

/** The part of RFC 7946 that distinguishes its object types. */
const GEOMETRY = {
  type: 'object',
  required: ['type', 'coordinates'],
  properties: {
    type: { type: 'string', enum: ['Point', 'MultiPoint', 'LineString', 'MultiLineString', 'Polygon', 'MultiPolygon'] },
    coordinates: { type: 'array', minItems: 1, items: {} },
  },
}
const FEATURE = {
  type: 'object',
  required: ['type', 'geometry'],
  properties: {
    type: { type: 'string', enum: ['Feature'] },
    properties: { type: ['object', 'null'], additionalProperties: true },
    geometry: GEOMETRY,
  },
}
const FEATURE_COLLECTION = {
  type: 'object',
  required: ['type', 'features'],
  properties: {
    type: { type: 'string', enum: ['FeatureCollection'] },
    features: { type: 'array', items: FEATURE },
  },
}
export const INPUT_SCHEMA = { oneOf: [FEATURE_COLLECTION, FEATURE, GEOMETRY] }

export const INPUT_TEXT = {
  en: 'GeoJSON Feature, FeatureCollection or geometry (RFC 7946), as longitude and latitude in WGS 84; a GeometryCollection is not allowed',
  ar: 'كائن GeoJSON من النوع Feature أو FeatureCollection أو شكل هندسي (RFC 7946)، بإحداثيات خط الطول ثم خط العرض في WGS 84؛ لا يُسمح بالنوع GeometryCollection',
}

const LAYER_RESULT = {
  type: 'object',
  required: ['featureCount', 'result'],
  properties: { featureCount: { type: 'integer', minimum: 0 }, result: FEATURE_COLLECTION },
}

/**
 * JSON Schema of a result's `data`.
 * @param fields of the bound item, picked by the owner; undefined for any
 */
export const resultSchema = (tool: Tool, language: Language, fields?: readonly string[]) =>
  tool.outputKind === 'json' ? plainSchema(tool.output, language, { secondFields: fields }) : LAYER_RESULT

/** JSON Schema of the `data` of any Tool API. */
export function anyResultSchema(tools: readonly Tool[]) {
  const reports = tools.filter(({ saved, outputKind }) => saved !== undefined && outputKind === 'json')
  return { oneOf: [LAYER_RESULT, ...reports.map((tool) => resultSchema(tool, 'en'))] }
}

export function describeToolApi(api: ToolApiRecord, tool: Tool, maxFeatures: number, language: Language) {
  const self = `/tool-apis/${api.id}`
  return {
    id: api.id,
    title: api.name,
    description: tool.description[language],
    version: tool.version,
    keywords: [...tool.keywords],
    jobControlOptions: ['sync-execute'],
    outputTransmission: ['value'],
    svc: { toolKey: tool.id, execution: 'application/json', maxFeatures },
    inputs: {
      input: {
        title: { en: 'Input', ar: 'المدخل' }[language],
        description: INPUT_TEXT[language],
        minOccurs: 1,
        maxOccurs: 1,
        schema: INPUT_SCHEMA,
      },
    },
    outputs: {
      result: {
        title: { en: 'Result', ar: 'النتيجة' }[language],
        schema: resultSchema(tool, language, api.referenceFields ?? []),
      },
    },
    links: [
      { rel: 'self', href: self, type: 'application/json' },
      {
        rel: 'http://www.opengis.net/def/rel/ogc/1.0/execute',
        href: `${self}/run`,
        type: 'application/json',
      },
    ],
  }
}
