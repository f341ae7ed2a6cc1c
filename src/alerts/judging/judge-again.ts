/**
 * Judges the stored readings around late ones again, by one rule and for one sensor. The second judgement begins where the
 * rule is certainly ok before the late readings, and ends where it is certainly ok after them: there both judgements agree,
 * because the conditions do not hold, no recorded alert fires, and the values that count are newer than the late ones.
 */
import type { AlertRule, ZoneCrossingRule } from '../rule.ts'
import type { Change, Run, RunState } from './run.ts'

/** A recorded alert of the rule and the sensor. */
export type Recorded = { polygon: string | undefined; startedMs: number; resolvedMs: number | null }

/** `values`: for each channel of the run, NaN for none. Longitude and latitude are NaN for a reading without a location. */
export type StoredReading = {
  atMs: number
  receivedMs: number
  values: Float64Array
  longitude: number
  latitude: number
}

export type Again = {
  rule: AlertRule | ZoneCrossingRule
  run: Run
  /** A new slot; what it finds is in `found`. */
  slot: number
  found: Change[]
  /** What live judging knows of the sensor: its state, and the newest counted reading. */
  live: RunState
  newestMs: number
  /** Channels of the run that the sensor has. */
  present: readonly boolean[]
  firstMs: number
  lastMs: number
  recorded: readonly Recorded[]
  /** In order of time. */
  readings: Iterable<StoredReading>
  /** Whether no earlier, or no later, reading will be looked at. */
  isWhole: boolean
  /** The readings end before then. */
  toMs: number
}

/**
 * `needs`: more readings on that side; nothing else is decided then. `episodes`: changes of each episode to record, in
 * order. `adopts`: the second judgement is also that of the newest reading, so the slot takes the place of the live one.
 */
export type AgainResult = { needs: 'more' } | { needs: undefined; episodes: Change[][]; adopts: boolean }

/** Values of a channel that the usual interval depends on. */
const RHYTHM_VALUES = 9

export function judgeAgain(again: Again): AgainResult {
  const { rule, run, slot, found, firstMs, lastMs, newestMs, isWhole } = again
  const isSilence = rule.kind === 'silence'
  const certainty = createCertainty(again)
  let isSound = false
  let isSettled = false
  let isPast = false
  for (const reading of again.readings) {
    const { atMs } = reading
    if (atMs > newestMs) break
    if (atMs >= firstMs && !isPast) {
      // a silence was judged as a longer one, or did not count
      if (isSilence && isSound) return { needs: undefined, episodes: [], adopts: false }
      if (!isSound && !isWhole) return { needs: 'more' }
      isPast = true
    }
    if (atMs > lastMs) certainty.beginAfter()
    run.values.set(reading.values)
    run.push(slot, atMs, reading.receivedMs, reading.longitude, reading.latitude)
    if (!certainty.isOk(reading)) continue
    if (!isPast) {
      isSound = true
      // those episodes are over, and late readings had no part in them
      found.length = 0
    } else if (atMs > lastMs) {
      isSettled = true
      break
    }
  }
  const isAtNewest = again.toMs > newestMs
  if (!isSettled && !isAtNewest && !isWhole) return { needs: 'more' }
  const all = episodesIn(found)
  const revealed = all.filter((changes) => isRevealed(changes, again))
  const closed = revealed.filter(isClosed)
  // a reading that was deleted is missing here
  const isSame = isAtNewest && run.newestOf(slot) === newestMs
  if (isSettled || !isSame) return { needs: undefined, episodes: closed, adopts: false }
  // only a newer reading ends an alert that fires, and an episode that is not recorded must not fire
  const mayFire = (changes: Change[]): boolean =>
    isClosed(changes) || revealed.includes(changes) || isOpenAlert(changes, again)
  const adopts = !isSilence && again.live.state !== 'firing' && all.every(mayFire)
  return { needs: undefined, episodes: adopts ? revealed : closed, adopts }
}

/** Finds readings at which the state does not depend on readings before a time: the first one, or the last late one. */
function createCertainty({ rule, run, slot, present, recorded, lastMs }: Again) {
  const counts = run.channels.map(() => 0)
  let places = 0
  /** Of positions in a row that are certainly where the rule is ok. */
  let [clearMs, clearToMs] = [Number.NaN, Number.NaN]
  let fromMs: number | undefined
  let isAfter = false
  const values = rule.kind === 'threshold' && rule.maxGapMs === undefined ? RHYTHM_VALUES : 1
  const [positions, positionsMs] =
    rule.kind === 'zone' ? [rule.minReadings, rule.minMs] : [run.places === undefined ? 0 : 1, 0]
  const spanMs = rule.kind === 'change' ? rule.withinMs : 0
  const isCovered = (atMs: number): boolean =>
    recorded.some(({ startedMs, resolvedMs }) => startedMs <= atMs && (resolvedMs === null || atMs < resolvedMs))

  function countPlace(atMs: number, longitude: number, latitude: number): void {
    if (run.places === undefined || Number.isNaN(longitude)) return
    places++
    if (rule.kind !== 'zone') return
    const { inside, near } = run.places.around(longitude, latitude)
    const isClear = rule.when === 'outside' ? inside.length > 0 : inside.length + near.length === 0
    if (!isClear) places = 0
    else if (places === 1) clearMs = atMs
    clearToMs = atMs
  }

  return {
    /** Counts again, after the late readings. */
    beginAfter(): void {
      if (isAfter) return
      isAfter = true
      counts.fill(0)
      places = 0
      fromMs = lastMs
    },
    isOk({ atMs, values: own, longitude, latitude }: StoredReading): boolean {
      fromMs ??= atMs
      for (let i = 0; i < counts.length; i++) if (!Number.isNaN(own[i])) counts[i] = (counts[i] as number) + 1
      countPlace(atMs, longitude, latitude)
      if (places < positions || clearToMs - clearMs < positionsMs || atMs - fromMs < spanMs) return false
      for (let i = 0; i < counts.length; i++) if (present[i] && (counts[i] as number) < values) return false
      return run.stateOf(slot).state === 'ok' && !isCovered(atMs)
    },
  }
}

/** The changes of each episode together. */
function episodesIn(found: readonly Change[]): Change[][] {
  const episodes: Change[][] = []
  const open = new Map<string | undefined, Change[]>()
  for (const change of found) {
    if (change.type === 'firing') {
      const episode = [{ ...change, late: true }]
      episodes.push(episode)
      open.set(change.polygon, episode)
    } else open.get(change.polygon)?.push(change)
  }
  return episodes
}

const isClosed = (changes: readonly Change[]): boolean => changes.at(-1)?.type === 'resolved'

/** Whether late readings had a part in an episode, and it touches no recorded one. */
function isRevealed(changes: readonly Change[], { firstMs, recorded }: Again): boolean {
  const [{ startedMs, polygon }] = changes as [Change]
  const last = changes.at(-1)
  const endMs = last?.type === 'resolved' ? last.resolvedMs : Number.POSITIVE_INFINITY
  if (endMs < firstMs) return false
  return !recorded.some(
    (one) =>
      one.polygon === polygon && startedMs <= (one.resolvedMs ?? Number.POSITIVE_INFINITY) && endMs >= one.startedMs,
  )
}

/** Whether an episode is a recorded alert that fires: it was found before, by a process that has ended. */
function isOpenAlert([first]: readonly Change[], { recorded }: Again): boolean {
  const { polygon, startedMs } = first as Change
  return recorded.some((one) => one.polygon === polygon && one.startedMs === startedMs && one.resolvedMs === null)
}
