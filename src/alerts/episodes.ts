/** Collects the episodes that a run finds, sensor after sensor. */
import type { Change } from './judging/run.ts'
import { SEVERITIES, type Severity } from './rule.ts'

/** Times are in milliseconds since 1970. */
export type Episode = {
  sensor: number
  /** Id of the polygon of a dwell rule. */
  polygon: string | undefined
  startedMs: number
  firedMs: number
  resolvedMs: number | null
  /** The highest one firing now; once resolved, the highest one reached. */
  severity: Severity
  values: Record<string, number>
}

export type Episodes = {
  /** A change of the sensor whose readings are judged. */
  change(sensor: number, change: Change): void
  /** Ends the collection. `list`: the first `most` episodes to fire. */
  end(): { list: Episode[]; total: number }
}

type Kept = Episode & { reached: Severity }

export const byFiring = (a: Episode, b: Episode): number =>
  a.firedMs - b.firedMs || a.sensor - b.sensor || a.startedMs - b.startedMs

const worse = (a: Severity, b: Severity): Severity => (SEVERITIES.indexOf(a) > SEVERITIES.indexOf(b) ? a : b)

/** @param most episodes to keep; others are counted alone */
export function collectEpisodes(most: number): Episodes {
  let kept: Kept[] = []
  let total = 0
  let sensor = Number.NaN
  let ofSensor = 0
  /** The firing episodes of the sensor, by polygon. */
  const firing = new Map<string | undefined, Kept>()

  function begin(next: number): void {
    if (kept.length > 2 * most) kept = kept.toSorted(byFiring).slice(0, most)
    sensor = next
    ofSensor = 0
    firing.clear()
  }

  return {
    change(of, change) {
      if (of !== sensor) begin(of)
      const { polygon, startedMs } = change
      if (change.type === 'firing') {
        const { firedMs, severity, values } = change
        const episode = { sensor, polygon, startedMs, firedMs, resolvedMs: null, severity, values, reached: severity }
        total++
        // episodes of a sensor fire one after the other, so a later one is never among the first
        if (ofSensor++ < most) kept.push(episode)
        firing.set(polygon, episode)
        return
      }
      const episode = firing.get(polygon)
      if (episode === undefined) throw new Error(`the episode of ${startedMs} has not fired`)
      if (change.type === 'severity') {
        episode.severity = change.severity
        episode.reached = worse(episode.reached, change.severity)
      } else {
        episode.resolvedMs = change.resolvedMs
        episode.severity = episode.reached
        firing.delete(polygon)
      }
    },
    end: () => ({
      list: kept
        .toSorted(byFiring)
        .slice(0, most)
        .map(({ reached: _, ...episode }) => episode),
      total,
    }),
  }
}
