/** The route that downloads a map layer as a file. A worker process writes the file, as for a tool. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { READERS } from '../../../access/authorization.ts'
import { createDownloadAudit } from '../../../access/download-audit.ts'
import { sendTemporaryFile } from '../../../http/file-answer.ts'
import { callerOf, subjectOf } from '../../../http/request-context.ts'
import { longRunning } from '../../../http/route-options.ts'
import { EXPORT_FORMATS } from '../../../intake/export.ts'
import { exportLayer } from '../../../intake/export-layer.ts'
import { newId } from '../../../stores/postgres/ids.ts'
import { getLayer, type Layer } from '../../../stores/postgres/layers/layers.ts'
import type { ManageDeps } from '../deps.ts'
import { createPreparedExports, type PreparedExport, removeExport } from '../files/prepared-exports.ts'
import { operation } from '../operation.ts'
import { OWNER } from '../subject-paths.ts'

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
type Query = Static<typeof query>

export function layerExportRoutes({ db, disk, engine, layerFiles, scratchDir, limits }: ManageDeps) {
  const downloads = createDownloadAudit(db)
  const prepared = createPreparedExports()

  async function make(layer: Layer, { format, escapeFormulas }: Query, signal: AbortSignal): Promise<PreparedExport> {
    await disk.require()
    const scratch = join(scratchDir, newId('run'))
    try {
      await mkdir(scratch)
      const made = await exportLayer({ engine, layerFiles }, layer, {
        format,
        escapeFormulas: escapeFormulas === 'true',
        scratch,
        deadlineMs: limits.toolTimeoutMs,
        signal,
      })
      return { scratch, ...made }
    } catch (error) {
      await rm(scratch, { recursive: true, force: true })
      throw error
    }
  }

  return new Elysia({ name: 'manage-layer-export' }).get(
    `${OWNER}/layers/:id/export`,
    async ({ request, params, query: asked }) => {
      const layer = await getLayer(db, subjectOf(request), params.id)
      const { id, name, version, fields, ownerId } = layer
      const caller = callerOf(request)
      const key = JSON.stringify([caller, id, version, name, fields, asked.format, asked.escapeFormulas])
      const kept = prepared.take(key)
      const made = kept ?? (await make(layer, asked, request.signal))
      let isKept = false
      try {
        const answer = await sendTemporaryFile(request, made.output, made.warnings)
        if (request.method === 'HEAD') {
          await prepared.keep(key, made)
          isKept = true
          return answer
        }
        const { path, filename } = made.output
        await downloads.record(caller, ownerId, { kind: 'layer', id, filename, bytes: Bun.file(path).size })
        return answer
      } finally {
        if (!isKept) await removeExport(made)
      }
    },
    {
      beforeHandle: longRunning,
      ...operation({
        summary: 'Download a map layer',
        description:
          'Returns the current version as a file in a vector format. `HEAD` makes the file as well, and a `GET` by the same caller within a minute sends it. `X-Warnings` is a percent-encoded JSON list of the losses in the format, and `X-Warnings-Ar` the same list, or its first entries, in Arabic.',
        rights: { of: 'owner', for: READERS, personalKeys: true },
        query,
        result: 'file',
      }),
    },
  )
}
