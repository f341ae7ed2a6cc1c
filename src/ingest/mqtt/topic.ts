/** Topics with a level that names the sensor, by its id or external id, percent-encoded. */

/** Where the sensor stands in a pattern such as `sensors/{sensor}/readings`. */
const SENSOR_LEVEL = '{sensor}'
export const READINGS_TOPIC = `sensors/${SENSOR_LEVEL}/readings`

/** @returns a function that reads the sensor's name in a topic; undefined if the topic does not have the pattern */
export function sensorInTopic(pattern: string): (topic: string) => string | undefined {
  const start = pattern.indexOf(SENSOR_LEVEL)
  const [before, after] = [pattern.slice(0, start), pattern.slice(start + SENSOR_LEVEL.length)]
  return (topic) => {
    if (!topic.startsWith(before) || !topic.endsWith(after)) return undefined
    const encoded = topic.slice(before.length, topic.length - after.length)
    if (encoded === '' || encoded.includes('/')) return undefined
    try {
      return decodeURIComponent(encoded)
    } catch (error) {
      if (error instanceof URIError) return undefined
      throw error
    }
  }
}
