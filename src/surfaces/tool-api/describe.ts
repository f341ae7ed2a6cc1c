/** Description of a Tool API in the structure of a process description. It reveals nothing about the bound item. */
import type { ToolApiRecord } from '../../stores/postgres/tool-apis.ts'
import type { Tool } from '../../tools/tool.ts'

export type Language = 'en' | 'ar'

/** As much of RFC 7946 as is needed to distinguish its object types. */
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

const count = { type: 'integer', minimum: 0 }

/** JSON Schema of a result's `data`. @param fields reference fields picked by the owner; their values may be of any type */
export function resultSchema(tool: Pick<Tool, 'outputKind'>, fields: readonly string[] | null) {
  if (tool.outputKind !== 'json')
    return {
      type: 'object',
      required: ['featureCount', 'result'],
      properties: { featureCount: count, result: FEATURE_COLLECTION },
    }
  const relation = { type: 'string', enum: ['inside', 'partial', 'outside'] }
  const reference = {
    type: 'object',
    ...(fields && { properties: Object.fromEntries(fields.map((name) => [name, {}])), additionalProperties: false }),
  }
  const entry = {
    index: count,
    relation,
    percentInside: { type: 'number', minimum: 0, maximum: 100 },
    pass: { type: 'boolean' },
    matchCount: count,
    reference,
  }
  return {
    type: 'object',
    required: ['passed', 'counts', 'results'],
    properties: {
      passed: { type: 'boolean' },
      counts: { type: 'object', properties: { inside: count, partial: count, outside: count, passed: count } },
      results: { type: 'array', items: { type: 'object', required: Object.keys(entry), properties: entry } },
    },
  }
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
        schema: resultSchema(tool, tool.outputKind === 'json' ? (api.referenceFields ?? []) : null),
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
