/** Sensors that send random values until they have an answer, and the episodes of plain limits among what they sent. */
import { type Random, whole } from '../random.ts'
import { type Instance, type MadeSensor, outcomeOf } from '../server/instance.ts'
import { until } from '../until.ts'

export type Sent = { ms: number; a: number }

/** Sends until it is stopped; a call is repeated until it is answered, as a sensor does. */
export async function startSensor(
  instance: Instance,
  sensor: MadeSensor,
  random: Random,
  running: () => boolean,
): Promise<Sent[]> {
  const sent: Sent[] = []
  for (let ms = Date.now() - 86_400_000; running(); await Bun.sleep(random() * 100)) {
    const batch = Array.from({ length: 1 + whole(random, 20) }, () => {
      ms += 1_000
      return { ms, a: whole(random, 100) }
    })
    const readings = batch.map(({ ms, a }) => ({ at: new Date(ms).toISOString(), values: { a } }))
    await until(async () => {
      const response = await instance.send(sensor, { readings }).catch(() => undefined)
      if (response?.status !== 200) return false
      const { accepted, duplicates } = await outcomeOf(response)
      return accepted.length + duplicates.length === readings.length
    }, 'an answer')
    sent.push(...batch)
  }
  return sent
}

/** `rule sensor start end` of each episode above a limit. @param limits by the ids of rules */
export function episodesOf(limits: ReadonlyMap<string, number>, sensor: string, sent: readonly Sent[]): string[] {
  return [...limits].flatMap(([rule, limit]) => {
    const episodes: string[] = []
    let start: number | undefined
    for (const { ms, a } of sent) {
      if (a > limit) start ??= ms
      else if (start !== undefined) {
        episodes.push(`${rule} ${sensor} ${start} ${ms}`)
        start = undefined
      }
    }
    return start === undefined ? episodes : [...episodes, `${rule} ${sensor} ${start} firing`]
  })
}
