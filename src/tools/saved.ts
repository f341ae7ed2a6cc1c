/** Tools saved as APIs of their owners': which settings are saved, and the input that they make with what a call sends. */
import { type TObject, Type } from '@sinclair/typebox'
import { isFileField } from './check.ts'
import type { InputFile, Tool } from './tool.ts'

/** Fields that are no settings: the result is always GeoJSON, and the rule and fields of an inside check are told apart. */
const FIXED = ['target_format']
const OF_INSIDE_CHECK = ['rule', 'percent', 'reference_fields']
export const INSIDE_CHECK = 'vector.inside-check'

/** Tools whose result tells of the second input by its fields. */
const RETURNS_SECOND_FIELDS = new Set([INSIDE_CHECK, 'vector.intersect', 'vector.union', 'vector.spatial-join'])
export const returnsSecondFields = ({ id }: Pick<Tool, 'id'>): boolean => RETURNS_SECOND_FIELDS.has(id)

export type SavedTool = {
  /** With their defaults filled in. */
  settings: Record<string, unknown>
  rule: { kind: 'inside' | 'partly' | 'percent'; percent?: number } | null
  referenceFields: string[] | null
}

/** What of a tool's input its owner sets. */
export function settingsSchema(tool: Tool): TObject {
  const without = new Set([...FIXED, ...(tool.id === INSIDE_CHECK ? OF_INSIDE_CHECK : [])])
  const entries = Object.entries(tool.input.properties).filter(
    ([name, schema]) => !isFileField(schema) && !without.has(name),
  )
  const required = (tool.input.required ?? []).filter((name) => entries.some(([own]) => own === name))
  return { ...Type.Object(Object.fromEntries(entries)), required }
}

/** @param second undefined for a tool that has none */
export function inputOf(
  tool: Tool,
  { settings, rule, referenceFields }: SavedTool,
  file: InputFile,
  second: InputFile | undefined,
): Record<string, unknown> {
  const field = tool.saved?.second?.field
  return {
    ...settings,
    file,
    ...(field !== undefined && { [field]: second }),
    ...('target_format' in tool.input.properties && { target_format: 'geojson' }),
    ...(tool.id === INSIDE_CHECK && {
      rule: rule?.kind ?? 'inside',
      ...(rule?.percent !== undefined && { percent: rule.percent }),
      reference_fields: referenceFields ?? [],
    }),
  }
}
