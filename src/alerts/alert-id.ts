/** The id of an alert is made from what it is, so that judging the same readings again makes the same alert. */

/** @param polygon of a dwell rule @param onsetMs `startedAt`, in milliseconds since 1970 */
export function alertIdOf(rule: string, sensor: number, polygon: string | null, onsetMs: number): string {
  const key = JSON.stringify([rule, sensor, polygon, onsetMs])
  return `alr_${new Bun.CryptoHasher('sha256').update(key).digest('hex').slice(0, 32)}`
}
