/** The route that downloads a map layer as a file. A worker process writes the file, as for a tool. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { createDownloadAudit } from '../../access/download-audit.ts'
import { AppError } from '../../errors.ts'
import { sendTemporaryFile } from '../../http/file-answer.ts'
import { callerOf } from '../../http/request-context.ts'
import { longRunning } from '../../http/route-options.ts'
import layerExport, { EXPORT_FORMATS } from '../../intake/export.ts'
import { newId } from '../../stores/postgres/ids.ts'
import { getLayer } from '../../stores/postgres/layers.ts'
import type { ManageDeps } from './deps.ts'
import * as model from './model.ts'

const query = Type.Object(
  {
    format: Type.Union(
      EXPORT_FORMATS.map((format) => Type.Literal(format)),
      { description: 'Format of the file; shp and gml are archives of their parts' },
    ),
    escapeFormulas: Type.Optional(
      Type.Union([Type.Literal('true'), Type.Literal('false')], {
        description: 'Whether CSV text that a spreadsheet would run as a formula gets a quote in front',
      }),
    ),
  },
  { additionalProperties: false },
)

/** The layer's name as a name of a file, in any script. */
const stemOf = (name: string): string =>
  name
    .replace(/[^\p{L}\p{M}\p{N} _.()-]/gu, '_')
    .replace(/^\.+/, '')
    .slice(0, 80)
    .trim() || 'layer'

export function layerExportRoutes({ db, disk, engine, layerFiles, scratchDir, limits }: ManageDeps) {
  const downloads = createDownloadAudit(db)
  return new Elysia({ name: 'manage-layer-export' }).get(
    '/owners/:ownerId/layers/:id/export',
    async ({ request, params, query: { format, escapeFormulas } }) => {
      const { id, name, version, fields, ownerId } = await getLayer(db, params.ownerId, params.id)
      await disk.require()
      const file = await layerFiles.open(id, version)
      if (file === undefined) throw new AppError('NOT_FOUND', { message: 'There is no such layer.' })
      const scratch = join(scratchDir, newId('run'))
      try {
        await mkdir(scratch)
        const { path, bytes } = file
        const { files, warnings = [] } = await engine.run(
          layerExport,
          { path, bytes, stem: stemOf(name), fields, format, escapeFormulas: escapeFormulas === 'true' },
          {
            ...{ scratch, deadlineMs: limits.toolTimeoutMs, signal: request.signal, plan: 'max', tenant: ownerId },
            sent: { bytes, files: 1 },
          },
        )
        const [output] = files ?? []
        if (output === undefined) throw new Error('the export wrote no file')
        const answer = await sendTemporaryFile(request, output, warnings)
        const size = Bun.file(output.path).size
        await downloads.record(callerOf(request), ownerId, {
          kind: 'layer',
          id,
          filename: output.filename,
          bytes: size,
        })
        return answer
      } finally {
        file.release()
        await rm(scratch, { recursive: true, force: true })
      }
    },
    {
      ...{ query, beforeHandle: longRunning },
      detail: model.operation(
        'Download a map layer',
        'Returns the current version as a file in a vector format. `X-Warnings` is a percent-encoded JSON list of what the format could not hold.',
      ),
    },
  )
}
