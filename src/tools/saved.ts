/** Tools that owners save as their own APIs: the saved settings, and the input combined from settings and a call. */
import { type TObject, Type } from '@sinclair/typebox'
import { isFileField } from './check.ts'
import type { InputFile, Tool } from './tool.ts'

/** Not a setting: the result of a saved tool is always GeoJSON. */
const FORMAT_FIELD = 'target_format'

export const returnsSecondFields = ({ saved }: Pick<Tool, 'saved'>): boolean => saved?.returnsSecondFields === true

export type SavedTool = {
  /** With defaults filled in. */
  settings: Record<string, unknown>
  rule: { kind: 'inside' | 'partly' | 'percent'; percent?: number } | null
  referenceFields: string[] | null
}

/** The input fields that the owner sets. The rule and the chosen fields are saved separately. */
export function settingsSchema(tool: Tool): TObject {
  const without = new Set([FORMAT_FIELD, ...Object.values(tool.saved?.rule ?? {})])
  const entries = Object.entries(tool.input.properties).filter(
    ([name, schema]) => !isFileField(schema) && !without.has(name),
  )
  const required = (tool.input.required ?? []).filter((name) => entries.some(([own]) => own === name))
  return { ...Type.Object(Object.fromEntries(entries)), required }
}

/** @param second undefined for a tool without a second input */
export function inputOf(
  tool: Tool,
  { settings, rule, referenceFields }: SavedTool,
  file: InputFile,
  second: InputFile | undefined,
): Record<string, unknown> {
  const { second: secondInput, rule: ruleFields } = tool.saved ?? {}
  return {
    ...settings,
    file,
    ...(secondInput && { [secondInput.field]: second }),
    ...(FORMAT_FIELD in tool.input.properties && { [FORMAT_FIELD]: 'geojson' }),
    ...(ruleFields && {
      [ruleFields.kind]: rule?.kind ?? 'inside',
      ...(rule?.percent !== undefined && { [ruleFields.percent]: rule.percent }),
      [ruleFields.referenceFields]: referenceFields ?? [],
    }),
  }
}
