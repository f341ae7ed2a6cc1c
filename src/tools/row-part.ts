/** The part of every tool that calls `workOnRows`. */
import type { Feature } from '../lib/geo/layers/layer.ts'
import type { Warning } from '../warnings/warning.ts'
import { ofField } from './layers.ts'
import { type Part, rowsOf, workOnPart, workOnRows } from './shared-rows.ts'
import type { RunContext } from './tool.ts'

export const partOfRows = (part: Part): Promise<unknown> => ofField(part.field, () => workOnPart(part))

/** Common properties of tools with layers as input and output. */
export const VECTOR_TOOL = {
  lane: 'node',
  async: true,
  inputKind: 'vector',
  outputKind: 'vector',
  part: partOfRows,
} as const

/** Features whose geometries are valid, or null when they are empty. */
export async function madeValid(
  features: readonly Feature[],
  field: string,
  context: RunContext,
  warnings: Warning[],
): Promise<Feature[]> {
  const task = { operation: 'valid', options: {}, field, warnings, rows: rowsOf(features) } as const
  const { rows } = await ofField(field, () => workOnRows(task, { ...context, progress: () => undefined }))
  return rows.map(({ geometry }, i) => ({ ...(features[i] as Feature), geometry }))
}
