/** Finds the points inside polygons, in a worker process. Edges belong to the inside, as for zone rules. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineWorkerTask } from '../engine/worker-task.ts'
import { type LayerFile, withCachedLayer } from '../tools/cached-layers.ts'
import { type PolygonSet, withGivenPolygons } from '../tools/given-polygons.ts'

export type InsideCheckInput = {
  /** A file of longitudes and latitudes in pairs of doubles. */
  points: string
  /** A stored layer, or GeoJSON that was sent. */
  zones: { layerId: string; file: LayerFile } | { geojson: unknown }
}

const MAX_FEATURES = 1_000

/** The result's file contains the index of each point inside, as Uint32. */
export default defineWorkerTask<InsideCheckInput>({
  id: 'zones.point-query-task',
  lane: 'bun',
  async run({ points, zones }, { scratch }) {
    const coordinates = new Float64Array(new Uint8Array(readFileSync(points)).buffer)
    const find = async (polygons: PolygonSet): Promise<number[]> => {
      const inside: number[] = []
      for (let i = 0; i < coordinates.length / 2; i++) {
        const slots: number[] = []
        polygons.holding(coordinates[i * 2] as number, coordinates[i * 2 + 1] as number, slots)
        if (slots.length > 0) inside.push(i)
      }
      return inside
    }
    const inside =
      'geojson' in zones
        ? await withGivenPolygons('body.polygon', zones.geojson, MAX_FEATURES, find)
        : await withCachedLayer(zones.layerId, zones.file, ({ set }) => find(set))
    const path = join(scratch, 'inside')
    writeFileSync(path, Uint32Array.from(inside))
    return {
      data: { count: inside.length },
      files: [{ role: 'output' as const, path, filename: 'inside', mediaType: 'application/octet-stream' }],
    }
  },
})
