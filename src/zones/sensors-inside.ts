/** Finds sensors inside polygons, by their newest positions. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from '../engine/engine.ts'
import { AppError, invalidField } from '../errors.ts'
import { inTurns } from '../event-loop-yield.ts'
import { fieldText } from '../field-texts/field-text.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import { latestPositions } from '../stores/clickhouse/queries/positions.ts'
import { WORKER_READABLE } from '../stores/empty-folder.ts'
import type { LayerFiles } from '../stores/layer-files.ts'
import type { Database } from '../stores/postgres/client.ts'
import { newId } from '../stores/postgres/ids.ts'
import { findLayer, hasPolygons } from '../stores/postgres/layers/layers.ts'
import insideCheck, { type InsideCheckInput } from './point-query-task.ts'

export type InsideDeps = {
  db: Database
  clickhouse: ClickHouse
  engine: Engine
  layerFiles: LayerFiles
  scratchDir: string
  timeoutMs: number
}

export type InsideRequest = {
  enterprise: { id: string; number: number }
  /** Only positions at or after this time. */
  sinceMs: number
  layerId: string | undefined
  polygon: unknown
}

/** @returns numbers of sensors in no order @throws AppError VALIDATION_FAILED */
export type FindInside = (request: InsideRequest, signal: AbortSignal) => Promise<number[]>

const MAX_POSITIONS = 1_000_000
const MEMORY_BYTES = 256 * 2 ** 20

export function createFindInside(deps: InsideDeps): FindInside {
  const { db, clickhouse, engine, layerFiles, scratchDir, timeoutMs } = deps

  async function withZones<T>(
    { enterprise, layerId, polygon }: InsideRequest,
    use: (zones: InsideCheckInput['zones']) => Promise<T>,
  ): Promise<T> {
    if (layerId === undefined) return use({ geojson: polygon })
    const layer = await findLayer(db, layerId)
    if (layer?.enterpriseId !== enterprise.id)
      throw invalidField('body.layerId', 'exists', fieldText('layerOfEnterprise'))
    if (!hasPolygons(layer)) throw invalidField('body.layerId', 'polygons', fieldText('polygonLayer'))
    const file = await layerFiles.open(layerId, layer.version)
    if (file === undefined) throw new AppError('NOT_FOUND', { message: fieldText('layerGone') })
    try {
      const { path, bytes } = file
      return await use({ layerId, file: { path, bytes } })
    } finally {
      file.release()
    }
  }

  return async (request, signal) => {
    const { enterprise, sinceMs, layerId, polygon } = request
    if ((layerId === undefined) === (polygon === undefined))
      throw invalidField('body', 'oneOf', fieldText('layerOrPolygon'))
    const scratch = join(scratchDir, newId('run'))
    await mkdir(scratch)
    try {
      return await withZones(request, async (zones) => {
        const wanted = { sinceMs, limit: MAX_POSITIONS }
        const positions = await latestPositions(clickhouse, enterprise.number, wanted, signal)
        const coordinates = new Float64Array(positions.length * 2)
        await inTurns(positions.length, (i) => {
          const [, , longitude, latitude] = positions[i] as (typeof positions)[number]
          coordinates[i * 2] = longitude
          coordinates[i * 2 + 1] = latitude
        })
        const points = join(scratch, 'points')
        await Bun.write(points, coordinates, { mode: WORKER_READABLE })
        const limits = { deadlineMs: timeoutMs, plan: 'max', memoryBytes: MEMORY_BYTES } as const
        const reads = 'file' in zones ? [zones.file.path] : []
        const options = { ...limits, scratch, reads, tenant: enterprise.id, signal }
        const { files } = await engine.run(insideCheck, { points, zones }, options)
        const path = files?.[0]?.path
        if (path === undefined) throw new Error('the inside check wrote no file')
        const indexes = new Uint32Array(await Bun.file(path).arrayBuffer())
        return [...indexes].map((index) => (positions[index] as (typeof positions)[number])[0])
      })
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  }
}
