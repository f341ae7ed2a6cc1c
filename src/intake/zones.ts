/** Readings of a segment checked against zone rules; the events come as rows for the database. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LayerFile, withCachedLayer } from '../tools/cached-layers.ts'
import { defineIntake } from './intake.ts'
import { createEventFile } from './zone-event-file.ts'
import { type KnownPositions, positionsOf, spansOf } from './zone-positions.ts'
import { findZoneTransitions, isWatchedForCrossings, type ZoneRule } from './zone-transitions.ts'

export type ZoneLayer = LayerFile & { id: string; version: number; rules: ZoneRule[] }

export type ZoneCheckInput = {
  /** Of the segment. */
  path: string
  layers: ZoneLayer[]
  /** Stored positions, in any order, that those of the segment may stand next to; or a file of them as JSON. */
  known: KnownPositions | string
  /** What `known` has of each sensor that is watched for crossings: its newest position, every neighbour, or nothing. */
  knows: 'newest' | 'all' | 'nothing'
  /** Sensors; null for all. */
  only: number[] | null
}

/** Of a sensor whose positions are not all newer than what is stored: times of them, in spans without long gaps. */
export type LateSensor = [sensor: number, spans: [firstMs: number, lastMs: number][]]
export type ZoneCheckData = { events: number; late: LateSensor[] }

/**
 * Data of the result: `events`, how many were written to the file, and `late`, sensors that were left out because
 * their neighbours are not known.
 */
export default defineIntake<ZoneCheckInput>({
  id: 'intake.zones',
  lane: 'readings',
  async run({ path, layers, known, knows, only }, { scratch }) {
    const rules = layers.flatMap((layer) => layer.rules)
    const given = typeof known === 'string' ? (JSON.parse(readFileSync(known, 'utf8')) as KnownPositions) : known
    const bySensor = positionsOf(readFileSync(path), rules, only === null ? undefined : new Set(only), given)
    const late: LateSensor[] = []
    if (knows !== 'all')
      for (const [sensor, positions] of bySensor) {
        const isOpen = knows === 'nothing' ? isWatchedForCrossings(positions, rules) : positions.isLate
        if (!isOpen) continue
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
