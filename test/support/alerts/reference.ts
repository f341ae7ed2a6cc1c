/**
 * A slow reference for alert rules, to compare the product's incremental state machine with. It computes the episodes of
 * one rule and one sensor from the whole list of readings, as a preview does: nothing is known before the first reading.
 * Each notion of the design is a definition over the list, not a state that is carried along. Times are in ms since
 * 1970. Readings are in order of `at`, with none late.
 */
import { type RefSchedule, scheduleOf } from './reference-schedule.ts'

/** Yes and no are 1 and 0. */
export type RefReading = {
  at: number
  values: Record<string, number>
  location?: [longitude: number, latitude: number]
}

export type RefSeverity = 'info' | 'warning' | 'critical'

export type RefCondition = {
  channel: string
  op: '>' | '>=' | '<' | '<=' | '=' | '!='
  value: number
  clearValue?: number | undefined
}

export type RefRule =
  | {
      kind: 'threshold'
      conditions: RefCondition[]
      match: 'all' | 'any'
      forMs: number
      keepFiringMs: number
      maxGapMs?: number
      gap: 'reset' | 'hold'
      within?: { when: 'inside' | 'outside' }
      severity: RefSeverity
      steps: { severity: RefSeverity; value: number; clearValue?: number }[]
      schedule?: RefSchedule
    }
  | { kind: 'silence'; channel?: string; forMs: number; schedule?: RefSchedule; severity: RefSeverity }
  | {
      kind: 'change'
      channel: string
      withinMs: number
      by: number
      direction: 'up' | 'down' | 'both'
      schedule?: RefSchedule
      severity: RefSeverity
    }
  | {
      kind: 'zone'
      when: 'enter' | 'leave' | 'inside' | 'outside' | 'dwell'
      dwellMs: number
      minReadings: number
      minMs: number
      schedule?: RefSchedule
      severity: RefSeverity
    }

export type RefRelation = 'inside' | 'near' | 'outside'

/** For each polygon of the layer: inside (edge included), within the buffer around it, or farther. */
export type RefPlace = (location: [longitude: number, latitude: number]) => RefRelation[]

export type RefEpisode = {
  startedAt: number
  firedAt: number
  resolvedAt: number | null
  /** The highest one reached. */
  severity: RefSeverity
  /** Changes while firing, the first at `firedAt`. */
  severities: { at: number; severity: RefSeverity }[]
  /** Newest values of the rule's channels, of any age, at `firedAt`. */
  values: Record<string, number>
  polygon?: number
}

/** For `enter` and `leave`. */
export type RefEvent = { at: number; polygon: number }

type Threshold = Extract<RefRule, { kind: 'threshold' }>
type Silence = Extract<RefRule, { kind: 'silence' }>
type Change = Extract<RefRule, { kind: 'change' }>
type Zone = Extract<RefRule, { kind: 'zone' }>
type Position = RefReading & Required<Pick<RefReading, 'location'>>

/** `untilMs` is the end of a preview, for silence. */
export function episodesOf(
  rule: RefRule,
  readings: RefReading[],
  place: RefPlace | undefined,
  untilMs: number,
): RefEpisode[] {
  if (rule.kind === 'threshold') return severityEpisodes(rule, readings, place)
  if (rule.kind === 'silence') return silenceEpisodes(rule, readings, untilMs)
  if (rule.kind === 'change') return changeEpisodes(rule, readings)
  return zoneEpisodes(rule, readings, layerOf(place))
}

const hasValue = (reading: RefReading, channel: string): boolean => Object.hasOwn(reading.values, channel)
const hasLocation = (reading: RefReading): reading is Position => reading.location !== undefined

function layerOf(place: RefPlace | undefined): RefPlace {
  if (place === undefined) throw new Error('A rule with a layer needs `place`.')
  return place
}

/** The first index in [from, to) with a property. */
function firstIndex(from: number, to: number, has: (index: number) => boolean): number | undefined {
  for (let i = from; i < to; i++) if (has(i)) return i
}

/** The first index of the longest run that ends at `last`, begins no earlier than `from`, and has a property throughout. */
function runStart(last: number, from: number, has: (index: number) => boolean): number {
  let first = last
  while (first > from && has(first - 1)) first--
  return first
}

const episode = (
  times: { startedAt: number; firedAt: number; resolvedAt: number | undefined },
  severity: RefSeverity,
  values: Record<string, number>,
): RefEpisode => ({
  startedAt: times.startedAt,
  firedAt: times.firedAt,
  resolvedAt: times.resolvedAt ?? null,
  severity,
  severities: [{ at: times.firedAt, severity }],
  values,
})

// ---- threshold

const compare: Record<RefCondition['op'], (a: number, b: number) => boolean> = {
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '=': (a, b) => a === b,
  '!=': (a, b) => a !== b,
}

/** Lower median of the last 8 intervals between values of the channel before a time. */
function usualInterval(readings: RefReading[], channel: string, before: number): number {
  const times = readings.filter((reading) => reading.at < before && hasValue(reading, channel)).map(({ at }) => at)
  const intervals = times.slice(1).map((at, i) => at - times[i]!)
  const last = intervals.slice(-8).toSorted((a, b) => a - b)
  if (last.length === 0) return 300_000
  return Math.max(5_000, last[Math.floor((last.length - 1) / 2)]!)
}

/** Steps: each is the same rule with its value. Start and end are those that the rule has without steps. */
function severityEpisodes(rule: Threshold, readings: RefReading[], place: RefPlace | undefined): RefEpisode[] {
  const lowest = thresholdEpisodes(rule, readings, place)
  const higher = rule.steps.map(({ severity, value, clearValue }) => {
    const conditions = [{ ...rule.conditions[0]!, value, clearValue }]
    return thresholdEpisodes({ ...rule, severity, conditions }, readings, place)
  })
  return lowest.map((alert) => {
    const end = alert.resolvedAt ?? Number.POSITIVE_INFINITY
    const severityAt = (at: number): RefSeverity =>
      higher.flat().findLast((step) => step.firedAt <= at && at < (step.resolvedAt ?? Number.POSITIVE_INFINITY))
        ?.severity ?? rule.severity
    const turns = higher
      .flat()
      .flatMap(({ firedAt, resolvedAt }) => [firedAt, resolvedAt ?? end])
      .filter((at) => at > alert.firedAt && at < end)
      .toSorted((a, b) => a - b)
    const severities = [alert.firedAt, ...turns]
      .map((at) => ({ at, severity: severityAt(at) }))
      .filter(({ severity }, i, list) => severity !== list[i - 1]?.severity)
    const reached = [rule, ...rule.steps].map(({ severity }) => severity)
    const severity = reached.findLast((one) => severities.some((change) => change.severity === one))!
    return { ...alert, severity, severities }
  })
}

/** The episodes of a threshold rule without its steps. */
function thresholdEpisodes(rule: Threshold, all: RefReading[], place: RefPlace | undefined): RefEpisode[] {
  const channels = [...new Set(rule.conditions.map(({ channel }) => channel))]
  const { within } = rule
  // partial readings: only these count, also for gaps
  const readings = all.filter(
    (reading) => channels.some((channel) => hasValue(reading, channel)) || (within && hasLocation(reading)),
  )
  const { length } = readings
  const at = readings.map((reading) => reading.at)
  const isOpen = scheduleOf(rule.schedule)

  const maxGap = at.map(
    (time) => rule.maxGapMs ?? 3 * Math.max(...channels.map((channel) => usualInterval(readings, channel, time))),
  )
  const step = (i: number): number => at[i]! - at[i - 1]!
  const isGap = (i: number): boolean => step(i) > maxGap[i]!

  /** The newest reading with a property at reading i, unless it is too old then. */
  const newestKnown = <R extends RefReading>(i: number, has: (reading: RefReading) => reading is R): R | undefined => {
    const newest = readings.slice(0, i + 1).findLast(has)
    return newest && (rule.gap === 'hold' || at[i]! - newest.at <= maxGap[i]!) ? newest : undefined
  }
  const knownValue = (channel: string, i: number): number | undefined =>
    newestKnown(i, (reading): reading is RefReading => hasValue(reading, channel))?.values[channel]

  const isWithin = (i: number): boolean => {
    if (within === undefined) return true
    const known = newestKnown(i, hasLocation)
    if (known === undefined) return false
    return (layerOf(place)(known.location).includes('inside') ? 'inside' : 'outside') === within.when
  }
  const combine = (holds: (condition: RefCondition) => boolean, isPlaced: boolean): boolean =>
    (rule.match === 'all' ? rule.conditions.every(holds) : rule.conditions.some(holds)) && isPlaced

  const meets = ({ channel, op, value }: RefCondition, i: number): boolean => {
    const known = knownValue(channel, i)
    return known !== undefined && compare[op](known, value)
  }
  /** Before firing: clear values have no say. */
  const holds = at.map((_, i) => combine((condition) => meets(condition, i), isWithin(i)))

  const onset = (i: number, from: number): number =>
    runStart(i, from, (j) => holds[j]! && !(rule.gap === 'reset' && isGap(j + 1)))
  const covered = (from: number, to: number): number =>
    at.reduce((sum, _, i) => (i > from && i <= to && !isGap(i) ? sum + step(i) : sum), 0)
  const fires = (i: number, from: number): boolean =>
    holds[i]! && covered(onset(i, from), i) >= rule.forMs && isOpen(at[i]!)

  /** At a reading with a value of the channel: not at the clear value yet, where the condition has ended. */
  const continues = ({ channel, op, value, clearValue = value }: RefCondition, i: number): boolean => {
    const own = readings[i]!.values[channel]!
    return compare[op](own, clearValue) && own !== clearValue
  }
  /**
   * While firing since reading `fired`: the condition began at that reading or at a later value, and no value after that
   * ended it. Without a new value it keeps its state.
   */
  const hasBegun = (condition: RefCondition, i: number, fired: number): boolean => {
    const deciding = at.keys().filter((j) => j > fired && j <= i && hasValue(readings[j]!, condition.channel))
    const judged = [fired, ...deciding]
    return judged.some(
      (j, n) => meets(condition, j) && judged.slice(n + 1).every((later) => continues(condition, later)),
    )
  }
  /** The alert fired where `within` says; a later location decides anew, at any age. */
  const isStillWithin = (i: number, fired: number): boolean => {
    const newest = at.keys().filter((j) => j > fired && j <= i && hasLocation(readings[j]!))
    const last = [...newest].at(-1)
    return last === undefined || isWithin(last)
  }
  const holdsFiring = (i: number, fired: number): boolean =>
    combine((condition) => hasBegun(condition, i, fired), isStillWithin(i, fired))
  const resolves = (i: number, fired: number): boolean => {
    if (holdsFiring(i, fired)) return false
    const ended = runStart(i, fired + 1, (j) => !holdsFiring(j, fired))
    return at[i]! - at[ended]! >= rule.keepFiringMs
  }

  const episodes: RefEpisode[] = []
  let from = 0
  for (;;) {
    const fired = firstIndex(from, length, (i) => fires(i, from))
    if (fired === undefined) return episodes
    const resolved = firstIndex(fired + 1, length, (i) => resolves(i, fired))
    const values = channels.flatMap((channel) => {
      const newest = readings.slice(0, fired + 1).findLast((reading) => hasValue(reading, channel))
      return newest === undefined ? [] : [[channel, newest.values[channel]!] as const]
    })
    const times = { startedAt: at[onset(fired, from)]!, firedAt: at[fired]!, resolvedAt: at[resolved ?? length] }
    episodes.push(episode(times, rule.severity, Object.fromEntries(values)))
    from = (resolved ?? length) + 1
  }
}

// ---- silence

function silenceEpisodes(
  { channel, forMs, schedule, severity }: Silence,
  all: RefReading[],
  untilMs: number,
): RefEpisode[] {
  const readings = channel === undefined ? all : all.filter((reading) => hasValue(reading, channel))
  const isOpen = scheduleOf(schedule)
  return readings.flatMap((reading, i) => {
    const resolvedAt = readings[i + 1]?.at
    const end = resolvedAt ?? untilMs
    // a schedule opens at a whole minute
    let firedAt = reading.at + forMs
    while (firedAt < end && !isOpen(firedAt)) firedAt = (Math.floor(firedAt / 60_000) + 1) * 60_000
    if (firedAt >= end) return []
    const values = channel === undefined ? {} : { [channel]: reading.values[channel]! }
    return [episode({ startedAt: reading.at, firedAt, resolvedAt }, severity, values)]
  })
}

// ---- change

function changeEpisodes(rule: Change, all: RefReading[]): RefEpisode[] {
  const readings = all.filter((reading) => hasValue(reading, rule.channel))
  const { length } = readings
  const at = readings.map((reading) => reading.at)
  const values = readings.map((reading) => reading.values[rule.channel]!)
  const isOpen = scheduleOf(rule.schedule)
  const moved = values.map((value, i) => {
    const window = values.filter((_, j) => j <= i && at[j]! >= at[i]! - rule.withinMs)
    const up = value - Math.min(...window) >= rule.by
    const down = Math.max(...window) - value >= rule.by
    return (rule.direction !== 'down' && up) || (rule.direction !== 'up' && down)
  })
  return [...moved.keys()]
    .filter((i) => moved[i] && !moved[i - 1])
    .flatMap((started) => {
      const resolved = firstIndex(started, length, (i) => !moved[i]) ?? length
      const fired = firstIndex(started, resolved, (i) => isOpen(at[i]!))
      if (fired === undefined) return []
      const times = { startedAt: at[started]!, firedAt: at[fired]!, resolvedAt: at[resolved] }
      return [episode(times, rule.severity, { [rule.channel]: values[fired]! })]
    })
}

// ---- zone

/** A stay on one side: the first position of the run that began it, and the position that confirmed it. */
type Stay = { side: 'inside' | 'outside'; first: number; confirmed: number }

/** The sides of one polygon, or of the layer as a whole, in order. Before the first stay the side is unknown. */
function staysOf(relations: RefRelation[], positions: Position[], { minReadings, minMs }: Zone): Stay[] {
  const stays: Stay[] = []
  for (;;) {
    const present = stays.at(-1)
    const from = present === undefined ? 0 : present.confirmed + 1
    const sideAt = (i: number): 'inside' | 'outside' => {
      const relation = relations[i]!
      return relation === 'near' ? (present?.side ?? 'outside') : relation
    }
    const firstOfRun = (i: number): number => runStart(i, from, (j) => sideAt(j) === sideAt(i))
    const confirmed = firstIndex(from, positions.length, (i) => {
      if (sideAt(i) === present?.side) return false
      const first = firstOfRun(i)
      return i - first + 1 >= minReadings && positions[i]!.at - positions[first]!.at >= minMs
    })
    if (confirmed === undefined) return stays
    stays.push({ side: sideAt(confirmed), first: firstOfRun(confirmed), confirmed })
  }
}

/** The polygons of the layer, each with its relation to every position. */
function polygonsOf(positions: Position[], place: RefPlace): RefRelation[][] {
  const relations = positions.map(({ location }) => place(location))
  return (relations[0] ?? []).map((_, polygon) => relations.map((of) => of[polygon]!))
}

function wholeLayer(relations: RefRelation[]): RefRelation {
  if (relations.includes('inside')) return 'inside'
  return relations.includes('near') ? 'near' : 'outside'
}

function zoneEpisodes(rule: Zone, all: RefReading[], place: RefPlace): RefEpisode[] {
  const positions = all.filter(hasLocation)
  const isOpen = scheduleOf(rule.schedule)
  const episodesIn = (relations: RefRelation[], side: 'inside' | 'outside', forMs: number): RefEpisode[] =>
    staysOf(relations, positions, rule).flatMap((stay, i, stays) => {
      if (stay.side !== side) return []
      const resolved = stays[i + 1]?.confirmed ?? positions.length
      const startedAt = positions[stay.first]!.at
      const fired = firstIndex(stay.confirmed, resolved, (j) => {
        const { at } = positions[j]!
        return at - startedAt >= forMs && isOpen(at)
      })
      if (fired === undefined) return []
      return [
        episode({ startedAt, firedAt: positions[fired]!.at, resolvedAt: positions[resolved]?.at }, rule.severity, {}),
      ]
    })

  if (rule.when === 'inside' || rule.when === 'outside') {
    const relations = positions.map(({ location }) => wholeLayer(place(location)))
    return episodesIn(relations, rule.when, 0)
  }
  if (rule.when !== 'dwell') return []
  return polygonsOf(positions, place)
    .flatMap((relations, polygon) =>
      episodesIn(relations, 'inside', rule.dwellMs).map((alert) => ({ ...alert, polygon })),
    )
    .toSorted((a, b) => a.startedAt - b.startedAt || a.polygon - b.polygon)
}

export function crossingsOf(rule: RefRule, readings: RefReading[], place: RefPlace | undefined): RefEvent[] {
  if (rule.kind !== 'zone' || (rule.when !== 'enter' && rule.when !== 'leave')) return []
  const positions = readings.filter(hasLocation)
  const isOpen = scheduleOf(rule.schedule)
  return polygonsOf(positions, layerOf(place))
    .flatMap((relations, polygon) =>
      staysOf(relations, positions, rule)
        // a sensor whose first positions are inside enters; one whose first positions are outside has left nothing
        .filter(({ side }, i) => (rule.when === 'enter' ? side === 'inside' : side === 'outside' && i > 0))
        .filter(({ confirmed }) => isOpen(positions[confirmed]!.at))
        .map(({ first }) => ({ at: positions[first]!.at, polygon })),
    )
    .toSorted((a, b) => a.at - b.at || a.polygon - b.polygon)
}
