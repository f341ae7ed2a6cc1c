/**
 * Previews of rules: the episodes that a rule has in stored readings, by the same runs as live judging. Nothing is known
 * before the first reading, and the clock has no say: a silence lasts until the next reading or the end of the period.
 */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from '../engine/engine.ts'
import { AppError, invalidField } from '../errors.ts'
import { inTurns } from '../event-loop-yield.ts'
import { fieldText } from '../field-texts/field-text.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import { countReadings, readingsOfEach, writeRuleReadings } from '../stores/clickhouse/queries/rule-readings.ts'
import { WORKER_READABLE } from '../stores/empty-folder.ts'
import type { LayerFiles } from '../stores/layer-files.ts'
import type { Database } from '../stores/postgres/client.ts'
import { newId } from '../stores/postgres/ids.ts'
import { findLayer } from '../stores/postgres/layers/layers.ts'
import { type Warning, warning } from '../warnings/warning.ts'
import { byFiring, type Episode } from './episodes.ts'
import previewTask, { type PreviewData, type PreviewInput } from './preview.ts'
import type { AlertRule } from './rule.ts'

export type PreviewsDeps = {
  db: Database
  clickhouse: ClickHouse
  engine: Engine
  layerFiles: LayerFiles
  scratchDir: string
  timeoutMs: number
}

/** A sensor that the rule watches, with its active channels by name. */
export type PreviewSensor = {
  number: number
  channels: ReadonlyMap<string, { number: number }>
  /** How long a silence of the sensor is where the rule does not say. */
  silenceMs: number
}

export type PreviewRequest = {
  enterprise: { id: string }
  rule: AlertRule
  layer: { id: string; bufferM: number } | undefined
  sensors: readonly PreviewSensor[]
  fromMs: number
  toMs: number
}

export type Preview = {
  /** In the order in which they fired. */
  episodes: Episode[]
  /** Says how many episodes are left out. */
  warnings: Warning[]
  /** Of a rule that has these fields; null where a default differs by sensor or reading. */
  forMs: number | null
  maxGapMs: number | null
}

/** @throws AppError VALIDATION_FAILED for too many readings, QUERY_TOO_LARGE */
export type PreviewRule = (request: PreviewRequest, signal: AbortSignal) => Promise<Preview>

export const MAX_PREVIEW_DAYS = 31
const MAX_READINGS = 10_000_000
export const MAX_EPISODES = 10_000
/** Above this number, two processes share the readings: each reads and judges its sensors. */
const SHARED_READINGS = 500_000
/** Sensors of a statement and of a part: more of them would hold the server's thread. */
const PART_SENSORS = 10_000
const MEMORY_BYTES = 256 * 2 ** 20

export function createPreviewRule(deps: PreviewsDeps, maxReadings = MAX_READINGS): PreviewRule {
  const { db, clickhouse, engine, layerFiles, scratchDir, timeoutMs } = deps

  async function withLayer<T>(
    wanted: PreviewRequest['layer'],
    use: (layer: PreviewInput['layer']) => Promise<T>,
  ): Promise<T> {
    if (wanted === undefined) return use(null)
    const layer = await findLayer(db, wanted.id)
    const file = layer && (await layerFiles.open(layer.id, layer.version))
    if (file === undefined) throw new AppError('NOT_FOUND', { message: fieldText('layerGone') })
    try {
      const { path, bytes } = file
      return await use({ ...wanted, path, bytes })
    } finally {
      file.release()
    }
  }

  /** Judges some of the sensors. */
  async function judge(
    { enterprise, rule, fromMs, toMs }: PreviewRequest,
    sensors: readonly PreviewSensor[],
    layer: PreviewInput['layer'],
    signal: AbortSignal,
  ): Promise<PreviewData & { list: Episode[] }> {
    const channels = channelsOf(rule)
    const scratch = join(scratchDir, newId('run'))
    await mkdir(scratch)
    try {
      const path = join(scratch, 'readings')
      await Bun.write(path, '', { mode: WORKER_READABLE })
      const wanted = {
        fromMs,
        toMs,
        sensors: sensors.map(({ number, channels: own }) => ({
          number,
          channels: channels.map((name) => own.get(name)?.number ?? 0),
        })),
        locations: layer !== null,
        onlyOwn: !isOfSensor(rule),
      }
      await writeRuleReadings(clickhouse, path, wanted, signal)
      const input: PreviewInput = {
        rule,
        path,
        channels,
        layer,
        silences: followsRhythms(rule) ? sensors.map(({ number, silenceMs }) => [number, silenceMs]) : null,
        untilMs: Math.min(toMs, Date.now()),
        most: MAX_EPISODES,
      }
      const reads = layer === null ? [] : [layer.path]
      const limits = { deadlineMs: timeoutMs, plan: 'max', memoryBytes: MEMORY_BYTES } as const
      const { data, files } = await engine.run(previewTask, input, {
        ...limits,
        scratch,
        reads,
        tenant: enterprise.id,
        signal,
      })
      const found = files?.[0]?.path
      if (found === undefined) throw new Error('the preview wrote no file')
      // thousands of episodes are parsed in turns
      const lines = (await Bun.file(found).text()).split('\n')
      const list: Episode[] = []
      await inTurns(lines.length - 1, (line) => list.push(JSON.parse(lines[line] as string) as Episode))
      return { ...(data as PreviewData), list }
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  }

  return async (request, signal) => {
    const { rule, sensors, layer: wanted } = request
    const parts = await partsOf(clickhouse, request, maxReadings, signal)
    const next = parts.values()
    const found: Awaited<ReturnType<typeof judge>>[] = []
    async function judgeNext(layer: PreviewInput['layer']): Promise<void> {
      for (const part of next)
        try {
          found.push(await judge(request, part, layer, signal))
        } catch (error) {
          // no other part is begun
          parts.length = 0
          throw error
        }
    }
    await withLayer(wanted, (layer) => Promise.all([judgeNext(layer), judgeNext(layer)]))
    const episodes = found.flatMap(({ list }) => list).sort(byFiring)
    const total = found.reduce((sum, part) => sum + part.total, 0)
    const left = total - MAX_EPISODES
    const warnings = left > 0 ? [warning('episodesLeftOut', { shown: MAX_EPISODES, left })] : []
    return { episodes: episodes.slice(0, MAX_EPISODES), warnings, ...lengthsOf(rule, sensors) }
  }
}

/** The sensors that have readings, by number: in one part, in two with about as many readings, or in more of not too many sensors. */
async function partsOf(
  clickhouse: ClickHouse,
  { sensors, fromMs, toMs }: PreviewRequest,
  maxReadings: number,
  signal: AbortSignal,
): Promise<PreviewSensor[][]> {
  const range = { fromMs, toMs }
  const numbers = inPieces(sensors.map(({ number }) => number))
  const counts = new Map<number, number>()
  let total = 0
  for (const some of numbers)
    for (const [number, count] of await readingsOfEach(clickhouse, some, range, signal)) {
      counts.set(number, count)
      total += count
    }
  if (total > maxReadings) {
    let exact = 0
    for (const some of numbers) exact += await countReadings(clickhouse, some, range, signal)
    if (exact > maxReadings)
      throw invalidField(
        'body.from',
        'maxReadings',
        fieldText('readingsToPreview', { found: exact, most: maxReadings }),
      )
  }
  const byNumber = new Map<number, PreviewSensor>()
  await inTurns(sensors.length, (i) => {
    const sensor = sensors[i] as PreviewSensor
    if (counts.has(sensor.number)) byNumber.set(sensor.number, sensor)
  })
  const most = total < SHARED_READINGS ? total : total / 2
  const parts: PreviewSensor[][] = []
  let left = 0
  for (const number of Uint32Array.from(byNumber.keys()).sort()) {
    const last = parts.at(-1)
    const sensor = byNumber.get(number) as PreviewSensor
    if (last === undefined || left <= 0 || last.length === PART_SENSORS) {
      parts.push([sensor])
      left = most
    } else last.push(sensor)
    left -= counts.get(number) as number
  }
  return parts
}

const inPieces = (numbers: readonly number[]): number[][] =>
  Array.from({ length: Math.ceil(numbers.length / PART_SENSORS) }, (_, i) =>
    numbers.slice(i * PART_SENSORS, (i + 1) * PART_SENSORS),
  )

/** The channels that the rule names, each once. */
function channelsOf(rule: AlertRule): string[] {
  if (rule.kind === 'threshold') return [...new Set(rule.conditions.map(({ channel }) => channel))]
  return rule.kind === 'zone' || rule.channel === undefined ? [] : [rule.channel]
}

/** Whether all readings of a sensor count. */
const isOfSensor = (rule: AlertRule): boolean => rule.kind === 'silence' && rule.channel === undefined
/** Whether a silence is as long as the rhythm of each sensor says. */
const followsRhythms = (rule: AlertRule): boolean =>
  rule.kind === 'silence' && rule.channel === undefined && rule.forMs === undefined

/** What the rule's `forSeconds` and `maxGapSeconds` stand for. */
function lengthsOf(rule: AlertRule, sensors: readonly PreviewSensor[]): Pick<Preview, 'forMs' | 'maxGapMs'> {
  if (rule.kind === 'threshold') return { forMs: rule.forMs, maxGapMs: rule.maxGapMs ?? null }
  const own = rule.kind === 'silence' ? (rule.forMs ?? null) : null
  const lengths = new Set(followsRhythms(rule) ? sensors.map(({ silenceMs }) => silenceMs) : [own])
  const [only] = lengths
  return { forMs: lengths.size === 1 ? (only as number | null) : null, maxGapMs: null }
}
