/** What a Tool API takes and gives, in the structure that the process descriptions have; nothing of what it is bound to. */
import type { ToolApiRecord } from '../../stores/postgres/tool-apis.ts'
import type { Tool } from '../../tools/tool.ts'

export type Language = 'en' | 'ar'

/** As much of RFC 7946 as tells its kinds of objects apart. */
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
    properties: { type: ['object', 'null'] },
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
  en: 'Feature, FeatureCollection or geometry (RFC 7946, no GeometryCollection), longitude and latitude in WGS 84',
  ar: 'Feature أو FeatureCollection أو شكل هندسي (RFC 7946 دون GeometryCollection) بخطوط الطول والعرض في WGS 84',
}

const count = { type: 'integer', minimum: 0 }

/** `data` of a result, as a JSON Schema. @param fields that the owner picked of the reference; all kinds of values */
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
