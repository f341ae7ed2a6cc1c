/** Files of other programs, and the tools that accept them with suitable settings. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TSchema } from '@sinclair/typebox'
import { fileKindOf, isFileField, isFilesField } from '../../src/tools/check.ts'
import { loadRegistry } from '../../src/tools/registry.ts'
import type { Tool } from '../../src/tools/tool.ts'

const FOLDER = join(import.meta.dirname, '../fixtures/producers')
/** Slow tools, which run on some files only. */
export const SLOW: Record<string, RegExp> = {
  'document.ocr': /^ghostscript\.pdf$|^inkscape\.png$/,
  'image.remove-background': /^cairo\.png$/,
}
/** Tools whose inputs are special files of the group: forms, fields, roads, signatures of maps. */
const OTHER_INPUT = new Set([
  'document.fill-pdf',
  'export.map-export',
  'convert.transform-crs-csv',
  'vector.line-to-polygon-file',
])
export const GROUPS = ['pdf', 'image', 'vector', 'raster'] as const
export type Group = (typeof GROUPS)[number]
export type Source = { name: string; path: string; content: Buffer }

export const filesOf = (group: Group, folder = FOLDER): Source[] =>
  readdirSync(join(folder, group))
    .sort()
    .map((name) => ({ name, path: join(folder, group, name), content: readFileSync(join(folder, group, name)) }))

const { tools } = await loadRegistry()

/** The field that takes the file: the first one of the tool. */
function fieldOf({ input }: Tool): [string, TSchema] | undefined {
  return Object.entries(input.properties).find(([, schema]) => isFileField(schema)) as [string, TSchema] | undefined
}

export const toolsOf = (group: Group): Tool[] =>
  tools.filter((tool) => {
    const field = fieldOf(tool)
    if (field === undefined || OTHER_INPUT.has(tool.id)) return false
    // tools of two groups: zonal statistics take a layer and a raster, OCR takes a PDF or an image
    const also = { raster: 'raster.zonal-stats', image: 'document.ocr', pdf: '', vector: '' }[group]
    return fileKindOf(field[1]) === group || tool.id === also
  })

/** Settings for files that have other fields and pages than the files of the examples. */
const SETTINGS: Record<string, Record<string, unknown>> = {
  'document.rotate-pages': { operations: { rotations: { 0: 90 } } },
  'document.split-pdf': { ranges: '1' },
  'document.ocr': { lang: 'eng' },
  'document.pdf-to-images': { dpi: '72' },
  'image.convert-format': { target_format: 'png' },
  'convert.validate-convert': { target_format: 'geojson' },
  'document.pdf-watermark': { position: 'center' },
  'vector.inside-check': { reference_fields: ['zone'] },
  'vector.dissolve': { by: undefined, agg: undefined, agg_field: undefined },
}

export function inputOf(tool: Tool, group: Group, file: unknown): Record<string, unknown> {
  const [field, schema] = fieldOf(tool) as [string, TSchema]
  const example = { ...tool.examples[0]?.input, ...SETTINGS[tool.id] }
  if (group === 'raster' && tool.id === 'raster.zonal-stats') return { ...example, raster: file }
  return { ...example, [field]: isFilesField(schema) ? [file, file] : file }
}
