/**
 * What the server sends to the process that judges readings, and what it answers. The process keeps the state of all
 * rules in memory. The server keeps segments until a snapshot of that state is on disk, so a new process reads the
 * newest snapshot and judges the later segments again: it finds the same episodes, and their ids are the same.
 */
import type { AlertRule, Severity, ZoneCrossingRule } from './rule.ts'

/** A rule and what it needs of the database. `sensors`: numbers, ascending; null: all of the enterprise. */
export type WatchedRule = (AlertRule | ZoneCrossingRule) & {
  id: string
  enterprise: number
  /** Readings received before are not judged. A rule with another `sinceMs` is another rule, and starts again. */
  sinceMs: number
  /** The layer of a zone rule or of `within`. */
  layer: string | undefined
  bufferM: number
}

/**
 * A sensor that rules watch. `channels`: numbers of the channels that these rules name. `rules`: ids, ascending.
 * `quietSinceMs`: when it was switched off, held, suspended or had spent its day; silences do not count from then on.
 * `activeSinceMs`: when the newest such time ended; silences count from then on.
 * `usualMs`: the interval between its calls before rules watched it, 0 while it is unknown; null: it never sent anything.
 * Read only where the enterprise has rules about silence.
 */
export type WatchedSensor = {
  number: number
  enterprise: number
  channels: Record<string, number>
  rules: string[]
  quietSinceMs: number | null
  activeSinceMs: number | null
  usualMs: number | null
}

/** A file of polygons as the process opens it (tools/cached-layers.ts). */
export type WatchedLayer = { id: string; path: string; version: number; bytes: number }

export type JudgeInput = {
  /** Names the state: the process restores it if its memory is of another state, or behind `snapshot`. */
  state: string
  snapshot: { path: string; sequence: number } | null
  /** A JSON file of all rules; null if nothing changed since the last call. `version` grows with each change. */
  rules: { version: number; path: string | null }
  /** A file of WatchedSensor, one JSON object in each line: all of them, or the changed ones, as `isComplete` says. */
  sensors: { version: number; path: string | null; isComplete: boolean }
  layers: WatchedLayer[]
  /** Segments after the snapshot, ascending. Those that are already in the state are skipped. */
  segments: { sequence: number; path: string }[]
  /**
   * For silences, the server's clock: all readings that were received before are in a judged segment or in `segments`.
   * null: silences are not looked at.
   */
  nowMs: number | null
  /** Times without a server, ascending, which no silence counts: [last heartbeat, readiness]. All of the last 32 days. */
  downtimes: [fromMs: number, toMs: number][]
  /**
   * Enterprises with silence rules that spent their readings of a day, and until when, ascending: the end of the day, or
   * when the limit was raised. All of the last 32 days.
   */
  spentDays: { enterprise: number; untilMs: number[] }[]
  /** Whether to write a snapshot after the last segment. */
  wantsSnapshot: boolean
}

/**
 * A line of the file `changes`. Times are in milliseconds since 1970. `sinceMs`: of the rule that was judged. `values`:
 * of all channels that the rule names.
 */
export type JudgedChange = {
  id: string
  rule: string
  sinceMs: number
  enterprise: number
  sensor: number
  polygon: string | null
} & (
  | {
      type: 'firing'
      startedMs: number
      firedMs: number
      severity: Severity
      value: number | null
      values: Record<string, number>
      late: boolean
    }
  | { type: 'severity'; atMs: number; severity: Severity; previousSeverity: Severity }
  | { type: 'resolved'; resolvedMs: number }
)

/** Readings that were not newer than the newest one of their sensor, for rules with these ids. */
export type LateSpan = { sensor: number; rules: string[]; firstMs: number; lastMs: number }

/**
 * The result's data. Its files: `changes` (JSON lines of JudgedChange), `events` (zones/event-file.ts) and `snapshot`.
 * `needs`: the memory of the process is gone, and the call did not send everything; nothing was judged. `refused`: why
 * the snapshot could not be read; judging began from nothing. `givenUp`: all rules whose judging threw; they are not
 * judged until they mean something else, or are switched off and on.
 */
export type JudgeData = {
  needs: 'everything' | null
  refused: string | null
  /** The newest judged segment; -1 for none. */
  sequence: number
  changes: number
  events: number
  late: LateSpan[]
  givenUp: { rule: string; why: string }[]
}
