/**
 * The state of a sensor. It follows the sensor's own rhythm and not a fixed time, because one sensor sends every second
 * and another once a day: late after 3 and silent after 10 times its usual interval (the rule of the portal).
 */

/** From worst to best, the sort order of lists. */
export const SENSOR_STATES = ['refused', 'silent', 'late', 'new', 'held', 'off', 'sending'] as const
export type SensorState = (typeof SENSOR_STATES)[number]

/** Multiples of the usual interval without a reading. */
export const LATE_AFTER = 3
export const SILENT_AFTER = 10
/**
 * The usual interval is the median of this many intervals: one long pause changes nothing, and a new rhythm counts
 * after half of them.
 */
export const INTERVALS = 8
/** Used until a second call shows the rhythm. */
export const UNKNOWN_INTERVAL_MS = 300_000
/** A shorter interval is judged like this one, because readings take up to two seconds until every instance sees them. */
export const SHORTEST_INTERVAL_MS = 5_000
/** A call refused longer ago does not affect the state; equals the time for which refusals are listed. */
export const REFUSED_FOR_MS = 3_600_000

/** The inputs of the state. Times are in milliseconds since 1970, 0 for never. */
export type SensorFacts = {
  enabled: boolean
  held: boolean
  /** Time of the newest reading. */
  lastMs: number
  /** 0 while it is unknown. */
  intervalMs: number
  /** When a call was last refused as a whole. */
  callRefusedMs: number
  /** When a call was last accepted after a refused one. */
  acceptedMs: number
}

/** The age from which on a reading of a sensor is late. */
export const lateAfterMs = ({ intervalMs }: Pick<SensorFacts, 'intervalMs'>): number =>
  rhythmOf(intervalMs) * LATE_AFTER
/** The age from which on a sensor is silent. */
export const silentAfterMs = ({ intervalMs }: Pick<SensorFacts, 'intervalMs'>): number =>
  rhythmOf(intervalMs) * SILENT_AFTER
const rhythmOf = (intervalMs: number): number => Math.max(intervalMs || UNKNOWN_INTERVAL_MS, SHORTEST_INTERVAL_MS)

/** An index of SENSOR_STATES. */
export function stateOf(facts: SensorFacts, nowMs: number): number {
  const { enabled, held, lastMs, callRefusedMs } = facts
  if (!enabled) return OFF
  if (held) return HELD
  const isRefused = callRefusedMs > nowMs - REFUSED_FOR_MS && callRefusedMs > Math.max(lastMs, facts.acceptedMs)
  if (isRefused) return REFUSED
  if (lastMs === 0) return NEW
  const ageMs = nowMs - lastMs
  if (ageMs > silentAfterMs(facts)) return SILENT
  return ageMs > lateAfterMs(facts) ? LATE : SENDING
}

/**
 * Whether a state makes an asset worse than another state of its sensors does. Sensors that are new or switched off send
 * nothing as intended: they count only where no sensor of the asset sends.
 */
const ASSET_RANKS = (['refused', 'silent', 'late', 'held', 'sending', 'new', 'off'] as const).map((state) =>
  SENSOR_STATES.indexOf(state),
)

/** The worse of two states for the asset of both sensors. */
export const worseOf = (one: number, other: number | undefined): number =>
  other === undefined || ASSET_RANKS.indexOf(one) < ASSET_RANKS.indexOf(other) ? one : other

const [REFUSED, SILENT, LATE, NEW, HELD, OFF, SENDING] = [0, 1, 2, 3, 4, 5, 6]
