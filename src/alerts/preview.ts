/** Judges stored readings by a rule, in a worker process, by the same runs as live readings. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineWorkerTask } from '../engine/worker-task.ts'
import { type LayerFile, withCachedLayer } from '../tools/cached-layers.ts'
import { collectEpisodes } from './episodes.ts'
import { createRun } from './judging/create-run.ts'
import type { Places, Run } from './judging/run.ts'
import { eachReading } from './reading-file.ts'
import type { AlertRule } from './rule.ts'
import { placesOf } from './zones/layer-places.ts'

export type PreviewInput = {
  rule: AlertRule
  /** A file of writeRuleReadings (stores/clickhouse/queries/rule-readings.ts), with locations if there is a layer. */
  path: string
  /** The channels of each row. */
  channels: string[]
  layer: (LayerFile & { id: string; bufferM: number }) | null
  /** For silences that follow the rhythm of each sensor: their length by the sensor's number. */
  silences: [sensor: number, forMs: number][] | null
  /** Silences last until then at most. */
  untilMs: number
  /** Episodes to answer. */
  most: number
}

export type PreviewData = {
  /** All episodes, also those that are not answered. */
  total: number
}

/** The result's file has the first episodes to fire, as lines of JSON. */
export default defineWorkerTask<PreviewInput>({
  id: 'alerts.preview',
  lane: 'bun',
  async run({ layer, ...input }, { scratch }) {
    const { list, total } =
      layer === null
        ? judgeFile(input, undefined)
        : await withCachedLayer(layer.id, layer, async (cached) => judgeFile(input, placesOf(cached, layer.bufferM)))
    const path = join(scratch, 'episodes')
    writeFileSync(path, list.map((episode) => `${JSON.stringify(episode)}\n`).join(''))
    const data: PreviewData = { total }
    return {
      data,
      files: [{ role: 'output' as const, path, filename: 'episodes', mediaType: 'application/jsonl' }],
    }
  },
})

function judgeFile(
  { rule, path, channels, silences, untilMs, most }: Omit<PreviewInput, 'layer'>,
  places: Places | undefined,
): ReturnType<ReturnType<typeof collectEpisodes>['end']> {
  const episodes = collectEpisodes(most)
  let sensor = Number.NaN
  let slot = 0
  const runOf = runsOf(rule, silences, (own) => {
    const run = createRun(own, {
      change: (_slot, change) => episodes.change(sensor, change),
      crossing: () => undefined,
    })
    run.places = places
    return run
  })
  let run = runOf(sensor)
  const columns = run.channels.map((channel) => 2 + channels.indexOf(channel))
  const place = places === undefined ? undefined : 2 + channels.length

  function endSensor(): void {
    if (Number.isNaN(sensor)) return
    run.tick(untilMs)
    run.remove(slot)
  }
  eachReading(path, channels.length, place !== undefined, (numbers, row) => {
    if (numbers[row] !== sensor) {
      endSensor()
      sensor = numbers[row] as number
      run = runOf(sensor)
      slot = run.add(Number.NEGATIVE_INFINITY)
    }
    for (let i = 0; i < columns.length; i++) run.values[i] = numbers[row + (columns[i] as number)] as number
    const atMs = numbers[row + 1] as number
    if (place === undefined) run.push(slot, atMs, atMs, Number.NaN, Number.NaN)
    else run.push(slot, atMs, atMs, numbers[row + place] as number, numbers[row + place + 1] as number)
  })
  endSensor()
  return episodes.end()
}

/** The run that judges a sensor: sensors whose silences have the same length share one. */
function runsOf(
  rule: AlertRule,
  silences: PreviewInput['silences'],
  newRun: (rule: AlertRule) => Run,
): (sensor: number) => Run {
  const shared = newRun(rule)
  if (rule.kind !== 'silence' || silences === null) return () => shared
  const lengths = new Map(silences)
  const runs = new Map<number, Run>()
  return (sensor) => {
    const forMs = lengths.get(sensor)
    if (forMs === undefined) return shared
    const run = runs.get(forMs) ?? newRun({ ...rule, forMs })
    runs.set(forMs, run)
    return run
  }
}
