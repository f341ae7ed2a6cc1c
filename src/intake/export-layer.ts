/** A version of a map layer as a file in a vector format, written by a worker process: for a download, or for a tool. */

import type { Engine } from '../engine/engine.ts'
import { AppError } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import type { LayerFiles } from '../stores/layer-files.ts'
import type { Layer } from '../stores/postgres/layers/layers.ts'
import type { ToolResult } from '../tools/tool.ts'
import layerExport, { type ExportFormat } from './export.ts'

type Options = {
  format: ExportFormat
  escapeFormulas?: boolean
  /** An empty folder for the file. */
  scratch: string
  deadlineMs: number
  signal: AbortSignal
}
type Output = NonNullable<ToolResult['files']>[number]

/** The layer's name as a name of a file, in any script. */
const stemOf = (name: string): string =>
  name
    .replace(/[^\p{L}\p{M}\p{N} _.()-]/gu, '_')
    .replace(/^\.+/, '')
    .slice(0, 80)
    .trim() || 'layer'

/** @throws AppError NOT_FOUND for a layer that was deleted meanwhile, and as the export does */
export async function exportLayer(
  { engine, layerFiles }: { engine: Pick<Engine, 'run'>; layerFiles: LayerFiles },
  { id, name, version, fields, ownerId }: Layer,
  { format, escapeFormulas = false, ...run }: Options,
): Promise<{ output: Output; warnings: NonNullable<ToolResult['warnings']> }> {
  const file = await layerFiles.open(id, version)
  if (file === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchLayer') })
  try {
    const { path, bytes } = file
    const input = { path, bytes, stem: stemOf(name), fields, format, escapeFormulas }
    const { files, warnings = [] } = await engine.run(layerExport, input, {
      ...run,
      plan: 'max',
      tenant: ownerId,
      reads: [path],
      sent: { bytes, files: 1 },
    })
    const [output] = files ?? []
    if (output === undefined) throw new Error('the export wrote no file')
    return { output, warnings }
  } finally {
    file.release()
  }
}
