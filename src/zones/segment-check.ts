/** Checks the readings of a segment against zone rules, in a worker process, and writes the events to a file. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineWorkerTask } from '../engine/worker-task.ts'
import type { PositionColumns } from '../stores/clickhouse/zone-events.ts'
import { type LayerFile, withCachedLayer } from '../tools/cached-layers.ts'
import { createEventFile } from './event-file.ts'
import { positionsOf, spansOf } from './positions.ts'
import type { SegmentRule } from './segment-rule.ts'
import { findZoneTransitions } from './transitions.ts'

export type ZoneLayer = LayerFile & { id: string; version: number; rules: SegmentRule[] }

export type ZoneCheckInput = {
  /** The segment's file. */
  path: string
  layers: ZoneLayer[]
  /** Stored positions that may be neighbours of the segment's, in any order; or the path of a JSON file of them. */
  known: PositionColumns | string
  /** Content of `known` for each watched sensor: its newest position, all neighbours, or nothing. */
  knows: 'newest' | 'all' | 'nothing'
  /** Numbers of the sensors to check; null for all. */
  only: number[] | null
}

/** A sensor with positions that are not all newer than the stored ones, and the spans of time that they cover. */
export type LateSensor = [sensor: number, spans: [firstMs: number, lastMs: number][]]
/** `events`: number of written events. `late`: sensors skipped because their neighbours are unknown. */
export type ZoneCheckData = { events: number; late: LateSensor[] }

/** The result's data is a ZoneCheckData, its file contains the events. */
export default defineWorkerTask<ZoneCheckInput>({
  id: 'zones.segment-check',
  lane: 'readings',
  async run({ path, layers, known, knows, only }, { scratch }) {
    const rules = layers.flatMap((layer) => layer.rules)
    const given = typeof known === 'string' ? (JSON.parse(readFileSync(known, 'utf8')) as PositionColumns) : known
    const bySensor = positionsOf(readFileSync(path), rules, only === null ? undefined : new Set(only), given)
    const late: LateSensor[] = []
    if (knows !== 'all')
      for (const [sensor, positions] of bySensor) {
        if (knows === 'newest' && !positions.isLate) continue
        late.push([sensor, spansOf(positions)])
        bySensor.delete(sensor)
      }
    const file = createEventFile(join(scratch, 'events'))
    try {
      for (const { id, version, rules: own, ...layerFile } of layers)
        await withCachedLayer(id, layerFile, async (layer) => {
          for (const positions of bySensor.values())
            findZoneTransitions(positions, own, layer, (transition) => file.add(transition, id, version))
        })
    } finally {
      file.close()
    }
    const data: ZoneCheckData = { events: file.count, late }
    const output = {
      role: 'output' as const,
      path: file.path,
      filename: 'events',
      mediaType: 'application/octet-stream',
    }
    return { data, files: file.count === 0 ? [] : [output] }
  },
})
