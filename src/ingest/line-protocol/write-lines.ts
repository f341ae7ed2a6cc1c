/**
 * Stores the points of a body of line protocol: reads the lines, finds their sensors, merges their points, and accepts
 * the readings. A point of a millisecond that is stored already is a duplicate only if each of its fields is stored with
 * the same value; otherwise it is refused, so that nothing is lost in silence.
 */
import { AppError, fieldFailure } from '../../errors.ts'
import { inTurns, stepsInTurns } from '../../event-loop-yield.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import {
  STORED_LATITUDE,
  STORED_LONGITUDE,
  type StoredValues,
  storedKey,
  type WantedReading,
} from '../../stores/clickhouse/stored-values.ts'
import { OUTCOME, type SensorProfile } from '../batch.ts'
import type { AcceptMany, SensorReadings } from '../many.ts'
import { NO_SENSOR_TAG } from './faults-arabic.ts'
import {
  createGrouper,
  type Group,
  type Grouping,
  groupsSource,
  isLatitude,
  isLongitude,
  POINT,
  type PointRefusal,
  type SensorPoints,
} from './group-points.ts'
import { createLines, FAULTS, KIND, type Lines, MAX_LINES, type Precision, resetLines } from './lines.ts'
import { readLines } from './parse-lines.ts'
import { joined, pointsByNumber } from './points-by-number.ts'
import { decodeSeries, type LineSettings, SERIES_FAULTS, type Series } from './series.ts'

type Target = { sensorId: string; profile: SensorProfile; readingsPerDay: number } | { reason: string }
type Sender = {
  settings: LineSettings & { unknownChannels: 'refuse' | 'ignore' }
  targets(
    names: readonly string[],
    sent: (name: string) => unknown,
  ): Promise<ReadonlyMap<string, Target>> | ReadonlyMap<string, Target>
  /** Keeps refusals that belong to no sensor. */
  noteRefused(
    refusals: readonly { name?: string; reason: string; line?: number; detail?: string }[],
    nowMs: number,
  ): void
}

export type WriteLinesDeps = {
  acceptMany: AcceptMany
  /** Resolves once every reading that any instance has accepted is in ClickHouse. */
  loadedEverywhere(): Promise<void>
  storedValues(wanted: readonly WantedReading[]): Promise<StoredValues>
}

/** Numbers of points. `first` is the refused one that was sent first. */
export type LinesOutcome = { accepted: number; duplicates: number; refused: number; first?: LineRefusal | undefined }
export type LineRefusal = { line: number; reason: string; detail?: string | undefined }

/** @throws AppError BODY_TOO_LARGE, SENSOR_READINGS_DAILY_LIMIT, INGEST_UNAVAILABLE */
export type WriteLines = (
  sender: Sender,
  body: Uint8Array,
  precision: Precision,
  nowMs: number,
) => Promise<LinesOutcome>

/** Bytes that are read between two looks at the clock. */
const STEP_BYTES = 16 * 1024

export function createWriteLines(deps: WriteLinesDeps): WriteLines {
  const free: Lines[] = []
  return async (sender, body, precision, nowMs) => {
    const lines = free.pop() ?? createLines()
    try {
      resetLines(lines, body, precision)
      await stepsInTurns(() => readLines(lines, STEP_BYTES))
      if (lines.lineCount > MAX_LINES)
        throw fieldFailure('BODY_TOO_LARGE', 'body', 'maxItems', fieldText('linesAtMost', { most: MAX_LINES }))
      return await new Write(deps, sender, lines, nowMs).run()
    } finally {
      lines.body = NO_BODY
      free.push(lines)
    }
  }
}

const NO_BODY = new Uint8Array()
/** Left out by `pointsByNumber`. */
const NO_SENSOR = -1

/** A sensor of the call and its points. */
type OwnPoints = SensorPoints & { readingsPerDay: number }

/** One call. */
class Write {
  private readonly series: Series[] = []
  /** Sensors as they were sent; by series and by point the number of its sensor. */
  private readonly names: string[] = []
  private readonly numbers = new Map<string, number>()
  private readonly nameOfSeries: number[] = []
  private readonly nameOfPoint: Int32Array
  private readonly channelNames = new Map<string, string[]>()
  private readonly unowned: { name?: string; reason: string; line: number; detail?: string }[] = []
  private refusedCount = 0
  private first: LineRefusal | undefined

  constructor(
    private readonly deps: WriteLinesDeps,
    private readonly sender: Sender,
    private readonly lines: Lines,
    private readonly nowMs: number,
  ) {
    this.nameOfPoint = new Int32Array(lines.points).fill(NO_SENSOR)
  }

  async run(): Promise<LinesOutcome> {
    const { deps, lines, nowMs } = this
    await stepsInTurns(() => this.decodeSome())
    await this.nameSensors()
    const sensors = await this.findSensors()
    const grouper = createGrouper(lines, sensors, {
      nameOf: (series, name) => this.nameOf(series, name),
      ignoresUnknown: this.sender.settings.unknownChannels === 'ignore',
      nowMs,
    })
    await stepsInTurns(grouper.step)
    const { result: grouping } = grouper
    const readings: SensorReadings[] = []
    await inTurns(sensors.length, (i) => {
      const { profile, readingsPerDay } = sensors[i] as OwnPoints
      const { groups: numbers, refused, notes } = grouping.sensors[i] as Grouping['sensors'][number]
      const parts = [...refused, ...notes]
      if (numbers.length === 0 && parts.length === 0) return
      const source = (first: number, end: number) =>
        groupsSource(lines, grouping, numbers.slice(first, end), end === numbers.length ? parts : [], nowMs)
      readings.push({ profile, readingsPerDay, numbers, source })
    })
    const { outcomes } = await deps.acceptMany(readings, grouping.groups.length, nowMs)
    for (const { refused } of grouping.sensors) for (const refusal of refused) this.refusePoint(refusal)
    await this.compareStored(sensors, grouping, outcomes)
    if (this.unowned.length > 0) this.sender.noteRefused(this.unowned, nowMs)
    const pointOutcomes = grouping.outcomes
    let [accepted, duplicates] = [0, 0]
    for (const { points } of sensors)
      for (const point of points)
        if (pointOutcomes[point] === POINT.ACCEPTED) accepted++
        else if (pointOutcomes[point] === POINT.DUPLICATE) duplicates++
    return { accepted, duplicates, refused: this.refusedCount, first: this.first }
  }

  /** Decodes some series. @returns whether there are more */
  private decodeSome(): boolean {
    const { lines, series } = this
    let bytes = 0
    while (series.length < lines.seriesCount && bytes < STEP_BYTES) {
      const next = series.length
      bytes += (lines.seriesEnds[next] as number) - (lines.seriesStarts[next] as number)
      const decoded = decodeSeries(lines, next, this.sender.settings)
      series.push(decoded)
      this.nameOfSeries.push('fault' in decoded ? NO_SENSOR : this.numberOf(decoded.sensor))
    }
    return series.length < lines.seriesCount
  }

  private numberOf(sensor: string | undefined): number {
    if (sensor === undefined) return NO_SENSOR
    const known = this.numbers.get(sensor)
    if (known !== undefined) return known
    this.numbers.set(sensor, this.names.length)
    return this.names.push(sensor) - 1
  }

  /** Finds the name of each point's sensor, and refuses points that have none. */
  private async nameSensors(): Promise<void> {
    const { lines, nameOfSeries, nameOfPoint } = this
    await inTurns(lines.points, (point) => {
      const name = lines.faults.has(point) ? NO_SENSOR : (nameOfSeries[lines.seriesOf[point] as number] as number)
      if (name === NO_SENSOR) this.refuseWithoutSensor(point)
      else nameOfPoint[point] = name
    })
  }

  private refuseWithoutSensor(point: number): void {
    const { lines } = this
    const fault = lines.faults.get(point)
    const series = this.series[lines.seriesOf[point] as number] as Series
    if (fault !== undefined) this.refuseUnowned(point, 'SENSOR_READING_UNREADABLE', FAULTS[fault])
    else if ('fault' in series) this.refuseUnowned(point, 'SENSOR_READING_UNREADABLE', SERIES_FAULTS[series.fault])
    else this.refuseUnowned(point, 'SENSOR_UNKNOWN', NO_SENSOR_TAG)
  }

  private async findSensors(): Promise<OwnPoints[]> {
    const { names, numbers } = this
    const pointsOf = pointsByNumber(names.length, this.nameOfPoint)
    const sent = (name: string): unknown => this.firstReading(pointsOf[numbers.get(name) as number] as Uint32Array)
    const finding = this.sender.targets(names, sent)
    const targets = finding instanceof Promise ? await finding : finding
    const found = new Map<string, { profile: SensorProfile; readingsPerDay: number; points: Uint32Array[] }>()
    await inTurns(names.length, (number) => {
      const name = names[number] as string
      const target = targets.get(name) ?? { reason: 'SENSOR_UNKNOWN' }
      const points = pointsOf[number] as Uint32Array
      if ('reason' in target) {
        for (const point of points) this.refuseUnowned(point, target.reason, undefined, name)
        return
      }
      const known = found.get(target.sensorId)
      const { profile, readingsPerDay } = target
      if (known === undefined) found.set(target.sensorId, { profile, readingsPerDay, points: [points] })
      else known.points.push(points)
    })
    const sensors: OwnPoints[] = []
    const all = [...found.values()]
    await inTurns(all.length, (i) => {
      const { profile, readingsPerDay, points } = all[i] as (typeof all)[number]
      sensors.push({ profile, readingsPerDay, points: this.inOrderOfTime(points) })
    })
    return sensors
  }

  private timeOf(point: number): number {
    const ms = this.lines.timesMs[point] as number
    return Number.isNaN(ms) ? this.nowMs : ms
  }

  /** Points of the same time stay in the order of their lines. */
  private inOrderOfTime(lists: readonly Uint32Array[]): Uint32Array {
    const points = lists.length === 1 ? (lists[0] as Uint32Array) : joined(lists).sort()
    for (let i = 1; i < points.length; i++)
      if (this.timeOf(points[i - 1] as number) > this.timeOf(points[i] as number))
        return points.toSorted((a, b) => this.timeOf(a) - this.timeOf(b) || a - b)
    return points
  }

  /** The first points of a sensor that share a time, as a reading. */
  private firstReading(points: Uint32Array): unknown {
    const { lines } = this
    const atMs = this.timeOf(points[0] as number)
    const values: Record<string, number | boolean> = {}
    const location: [number, number] = [Number.NaN, Number.NaN]
    for (const point of points) {
      if (this.timeOf(point) !== atMs) continue
      const end = lines.fieldEnds[point + 1] as number
      for (let field = lines.fieldEnds[point] as number; field < end; field++) {
        const kind = lines.kinds[field]
        if (kind === KIND.TEXT) continue
        const plainName = lines.names[lines.fieldNames[field] as number] as string
        const value = lines.values[field] as number
        if (isLongitude(plainName)) location[0] = value
        else if (isLatitude(plainName)) location[1] = value
        else {
          const name = this.nameOf(lines.seriesOf[point] as number, lines.fieldNames[field] as number)
          values[name] = kind === KIND.BOOLEAN ? value === 1 : value
        }
      }
    }
    const hasLocation = !location.some(Number.isNaN)
    const at = Number.isFinite(atMs) && Math.abs(atMs) <= MAX_DATE_MS ? new Date(atMs).toISOString() : null
    return { at, values, ...(hasLocation && { location }) }
  }

  /** The name of a channel: the prefix of the series and the name of the field. */
  private nameOf(series: number, name: number): string {
    const { prefix } = this.series[series] as Extract<Series, { prefix: string }>
    const { names } = this.lines
    if (prefix === '') return names[name] as string
    let known = this.channelNames.get(prefix)
    if (known === undefined) {
      known = []
      this.channelNames.set(prefix, known)
    }
    known[name] ??= prefix + names[name]
    return known[name]
  }

  /** Judges the points of readings that are stored already. */
  private async compareStored(
    sensors: readonly OwnPoints[],
    { groups, groupOf, outcomes }: Grouping,
    groupOutcomes: Uint8Array,
  ): Promise<void> {
    const again: { point: number; sensor: number; profile: SensorProfile; readingsPerDay: number }[] = []
    const wanted = new Map<string, WantedReading>()
    for (const { profile, readingsPerDay, points } of sensors)
      for (const point of points) {
        if (outcomes[point] !== POINT.MERGED) continue
        if (groupOutcomes[groupOf[point] as number] === OUTCOME.NEW) outcomes[point] = POINT.ACCEPTED
        else again.push({ point, sensor: profile.sensor, profile, readingsPerDay })
      }
    await inTurns(again.length, (i) => {
      const { point, sensor } = again[i] as (typeof again)[number]
      const reading = { sensor, atMs: (groups[groupOf[point] as number] as Group).atMs }
      wanted.set(storedKey(reading), reading)
    })
    if (again.length === 0) return
    const stored = await this.storedOf([...wanted.values()])
    const conflicts = new Map<SensorProfile, { readingsPerDay: number; refused: PointRefusal[] }>()
    await inTurns(again.length, (i) => {
      const { point, sensor, profile, readingsPerDay } = again[i] as (typeof again)[number]
      const values = stored.get(storedKey({ sensor, atMs: (groups[groupOf[point] as number] as Group).atMs }))
      if (values !== undefined && this.isStored(point, profile, values)) {
        outcomes[point] = POINT.DUPLICATE
        return
      }
      outcomes[point] = POINT.REFUSED
      const refusal = { point, reason: 'SENSOR_READING_CONFLICT' }
      this.refusePoint(refusal)
      const known = conflicts.get(profile)
      if (known === undefined) conflicts.set(profile, { readingsPerDay, refused: [refusal] })
      else known.refused.push(refusal)
    })
    // so that the refusals are listed with the sensor
    const nothing: Grouping = { groups: [], channels: [], values: [], outcomes, groupOf, sensors: [] }
    await this.deps.acceptMany(
      [...conflicts].map(([profile, { readingsPerDay, refused }]) => ({
        profile,
        readingsPerDay,
        numbers: [],
        source: () => groupsSource(this.lines, nothing, [], refused, this.nowMs),
      })),
      0,
      this.nowMs,
    )
  }

  /** Waits until everything is loaded only for readings that are not in ClickHouse yet. */
  private async storedOf(wanted: readonly WantedReading[]): Promise<StoredValues> {
    const { deps } = this
    try {
      const stored = await deps.storedValues(wanted)
      const missing: WantedReading[] = []
      await inTurns(wanted.length, (i) => {
        const reading = wanted[i] as WantedReading
        if (!stored.has(storedKey(reading))) missing.push(reading)
      })
      if (missing.length === 0) return stored
      await deps.loadedEverywhere()
      for (const [key, values] of await deps.storedValues(missing)) stored.set(key, values)
      return stored
    } catch (cause) {
      throw new AppError('INGEST_UNAVAILABLE', { retryAfterS: 5, cause })
    }
  }

  /** Whether each field of a point is stored with its value, or the reading was deleted. */
  private isStored(point: number, profile: SensorProfile, stored: ReadonlyMap<number, number>): boolean {
    if (stored.size === 0) return true
    const { lines } = this
    const end = lines.fieldEnds[point + 1] as number
    for (let field = lines.fieldEnds[point] as number; field < end; field++) {
      if (lines.kinds[field] === KIND.TEXT) continue
      const name = lines.fieldNames[field] as number
      const channel = profile.byName.get(this.nameOf(lines.seriesOf[point] as number, name))
      const plainName = lines.names[name] as string
      const place =
        channel?.number ??
        (isLongitude(plainName) ? STORED_LONGITUDE : isLatitude(plainName) ? STORED_LATITUDE : undefined)
      // a field that the sensor lacks was left out
      if (place !== undefined && stored.get(place) !== lines.values[field]) return false
    }
    return true
  }

  private refusePoint({ point, reason, channel }: PointRefusal): void {
    this.refusedCount++
    const line = this.lines.lineNumbers[point] as number
    if (this.first === undefined || line < this.first.line) this.first = { line, reason, detail: channel }
  }

  private refuseUnowned(point: number, reason: string, detail?: string, name?: string): void {
    this.refusePoint({ point, reason, channel: detail ?? name })
    const line = this.lines.lineNumbers[point] as number
    this.unowned.push({ reason, line, ...(detail !== undefined && { detail }), ...(name !== undefined && { name }) })
  }
}

const MAX_DATE_MS = 8.64e15
