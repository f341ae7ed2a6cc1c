/**
 * Process list and process descriptions in the structure of OGC API – Processes Part 1 (OGC 18-062r2), with extensions
 * to JSON Schema. The service does not claim conformance to the standard.
 */
import type { TSchema } from '@sinclair/typebox'
import { STORAGE_KEY } from '../../stores/files/client.ts'
import { LAYER_ID } from '../../stores/postgres/layers/layers.ts'
import { fileKindOf, isFileField, isFilesField, takesFeatures, takesForm } from '../../tools/check.ts'
import { type FileKind, titleOf } from '../../tools/params.ts'
import { enumTitles, type Language, plainSchema, textOf } from '../../tools/plain-schema.ts'
import type { Text, Tool } from '../../tools/tool.ts'
import { GIS_PREFIX } from './paths.ts'

const EXECUTE = 'http://www.opengis.net/def/rel/ogc/1.0/execute'
const OPENAPI_TYPE = 'application/vnd.oai.openapi+json;version=3.1'

const CONFORMANCE: Text = {
  en: 'This service does not claim conformance to OGC API – Processes.',
  ar: 'لا تدّعي هذه الخدمة المطابقة لمعيار OGC API – Processes.',
}

const encodingOf = (tool: Tool): string => (takesForm(tool) ? 'multipart/form-data' : 'application/json')

function summary(tool: Tool, language: Language) {
  return {
    id: tool.id,
    title: tool.title[language],
    description: tool.description[language],
    version: tool.version,
    keywords: [...tool.keywords],
    jobControlOptions: tool.async ? ['sync-execute', 'async-execute'] : ['sync-execute'],
    outputTransmission: ['value'],
    svc: {
      toolKey: tool.route.slice(1),
      conformance: CONFORMANCE[language],
      execution: encodingOf(tool),
      limited: tool.credits > 0,
      credits: tool.credits,
      input: tool.inputKind,
      output: tool.outputKind,
      aliases: tool.aliases.map((alias) => alias.slice(1)),
    },
    links: [
      { rel: 'self', href: `${GIS_PREFIX}/processes/${tool.id}`, type: 'application/json' },
      { rel: EXECUTE, href: GIS_PREFIX + tool.route, type: encodingOf(tool) },
    ],
  }
}

export function processList(tools: readonly Tool[], language: Language) {
  return {
    processes: tools.map((tool) => summary(tool, language)),
    links: [
      { rel: 'self', href: `${GIS_PREFIX}/processes`, type: 'application/json' },
      { rel: 'service-desc', href: `${GIS_PREFIX}/openapi.json`, type: OPENAPI_TYPE },
    ],
  }
}

/** A process with its inputs and outputs. */
export function processDescription(tool: Tool, language: Language, fileBytes: Record<FileKind, number>) {
  const required = new Set(tool.input.required ?? [])
  const inputs = Object.entries(tool.input.properties).map(([name, schema]) => [
    name,
    { ...inputDescription(name, schema, required.has(name), language), ...fileLimit(schema, fileBytes) },
  ])
  return {
    ...summary(tool, language),
    inputs: Object.fromEntries(inputs),
    outputs: {
      result: {
        title: { en: 'Result', ar: 'النتيجة' }[language],
        schema: { type: 'object', ...resultSchema(tool, language) },
      },
    },
  }
}

/** JSON Schema of a result's `data`. */
export function resultSchema(tool: Tool, language: Language) {
  const own = Object.entries(tool.output.properties).map(([name, schema]) => [name, plainSchema(schema, language)])
  const text = (about: Text) => ({ type: 'string', description: about[language] })
  const stored = tool.outputKind === 'json' ? [] : ['key']
  const common = {
    ...(tool.outputKind !== 'json' && {
      key: text({ en: 'Storage key of the output file', ar: 'مفتاح تخزين ملف الناتج' }),
      outputFilename: text({ en: 'Name of the output file', ar: 'اسم ملف الناتج' }),
      artifactId: text({ en: 'Artifact id of the output file', ar: 'معرّف ملف الناتج ضمن مخرجات التشغيل' }),
    }),
    ...(takesForm(tool) && {
      inputKey: text({ en: 'Storage key of the first input file', ar: 'مفتاح تخزين ملف الإدخال الأول' }),
    }),
    ...(tool.input.properties.files !== undefined && {
      inputKeys: {
        type: 'array',
        items: { type: 'string' },
        description: { en: 'Storage keys of the input files', ar: 'مفاتيح تخزين ملفات الإدخال' }[language],
      },
    }),
  }
  const required = [...stored, ...(tool.output.required ?? [])]
  return { required, properties: { ...common, ...Object.fromEntries(own) } }
}

/** The size limit of a file; larger files are refused before they are read. */
const fileLimit = (schema: TSchema, fileBytes: Record<FileKind, number>) =>
  isFileField(schema) ? { 'x-svc-maxBytes': fileBytes[fileKindOf(schema)] } : {}

function inputDescription(name: string, schema: TSchema, required: boolean, language: Language) {
  const { minItems, maxItems, items } = schema
  const several = isFilesField(schema)
  const { 'x-svc-bounds': bounds, 'x-svc-enumTitles': titles, ...others } = schema
  const extensions = Object.entries(others).filter(([key]) => key.startsWith('x-svc-'))
  return {
    title: titleOf(schema)?.[language] ?? name,
    description: textOf(schema, language),
    minOccurs: several ? minItems : required && schema.default === undefined ? 1 : 0,
    maxOccurs: several ? maxItems : 1,
    // these bounds apply to the value in x-svc-boundsUnit
    schema: { ...(several ? plainSchema(items, language) : plainSchema(schema, language, { bare: true })), ...bounds },
    ...Object.fromEntries(extensions),
    // the key of a stored file may be sent in place of the bytes
    ...(isFileField(schema) && { 'x-svc-storedKey': STORAGE_KEY }),
    ...(takesFeatures(schema) && { 'x-svc-layerId': LAYER_ID }),
    ...(titles && { 'x-svc-enumTitles': enumTitles(titles, language) }),
  }
}
