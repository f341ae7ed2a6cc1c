/**
 * A run judges the readings of many sensors by one rule, and keeps what it has to remember of each in a row of numbers. Live
 * judging and previews use the same runs, so both find the same episodes. Times are in milliseconds since 1970.
 */
import type { AlertRule, Severity, ZoneCrossingRule } from '../rule.ts'
import type { CallReadings, Column } from './segment-readings.ts'
import type { SnapshotReader, SnapshotWriter } from './snapshot-bytes.ts'

/** `startedMs` names the episode. `values`: the newest ones of the rule's channels. `polygon`: its id, for `dwell`. */
export type Change = { startedMs: number; polygon: string | undefined } & (
  | { type: 'firing'; firedMs: number; severity: Severity; values: Record<string, number>; late: boolean }
  | { type: 'severity'; atMs: number; severity: Severity; previousSeverity: Severity }
  | { type: 'resolved'; resolvedMs: number }
)

/** A sensor changed its side of polygons: the first position of the run that led to the new side. */
export type Crossing = { atMs: number; longitude: number; latitude: number; polygons: string[] }

/** Receives what a run finds. `slot` is the number that `add` returned. */
export type Sink = {
  change(slot: number, change: Change): void
  crossing(slot: number, crossing: Crossing): void
}

/** Polygons of the rule's layer around a location, as numbers: those that hold it (edge included), those within the buffer. */
export type Surroundings = { inside: readonly number[]; near: readonly number[] }

export type Places = {
  /** The object is not to be changed. */
  around(longitude: number, latitude: number): Surroundings
  /**
   * All locations in the same square of a grid of this size, which begins at -180, -90, have the same surroundings as the
   * last one that was asked for; 0: only that one.
   */
  readonly steadyDegrees?: number
  /** The polygon's id. Numbers may change when the layer is read again, ids do not. */
  idOf(polygon: number): string
}

/** Times that no silence counts, by the server's clock. */
export type Pauses = {
  /** The time without a server between two instants. */
  away(fromMs: number, toMs: number): number
  /**
   * The ends of the times in which the enterprise had spent its readings of a day, ascending. The last one may be in the
   * future. Silences count again from such an end.
   */
  spentUntil(): readonly number[]
}

/** `pending` and `firing` begin at the onset. */
export type RunState = { state: 'unknown' | 'ok' | 'pending' | 'firing'; sinceMs: number }

export interface Run {
  /** May be replaced by one with another severity or schedule. */
  rule: AlertRule | ZoneCrossingRule
  /** The channels that the rule names, each once. */
  readonly channels: readonly string[]
  /**
   * For each channel, the value in the reading that `push` judges, NaN for none. The caller fills it before each call; runs
   * may share the array.
   */
  readonly values: Float64Array
  /** For rules with a layer; set before readings are judged. */
  places: Places | undefined
  /** Memory, roughly. */
  readonly bytes: number
  /** Begins to watch a sensor. @param sinceMs from when silences count; -Infinity: from the first reading */
  add(sinceMs: number): number
  remove(slot: number): void
  /**
   * Judges a reading. Longitude and latitude are NaN for a reading without a location.
   * @param receivedMs the server's clock when the reading came in; in previews `atMs`
   * @returns false for a late reading: it would have counted, but is not newer than the newest one that did
   */
  push(slot: number, atMs: number, receivedMs: number, longitude: number, latitude: number): boolean
  /**
   * Judges the readings of a call from `from` on in one step, as `push` would one after the other. The readings before
   * have been judged.
   * @param columns of the run's channels
   * @returns false if that takes a look at each of them: nothing has changed
   */
  pushRest(slot: number, call: CallReadings, columns: readonly (Column | undefined)[], from: number): boolean
  /** For silences: the clock. All readings received before `nowMs` have been judged. */
  tick(nowMs: number): void
  stateOf(slot: number): RunState
  /** `at` of the newest reading that counted; -Infinity before the first one. */
  newestOf(slot: number): number
  save(writer: SnapshotWriter): void
  /** Continues a run that another process saved; only directly after the run was made. */
  load(reader: SnapshotReader): void
}
