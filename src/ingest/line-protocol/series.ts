/** The sensor and the names of channels that the measurement and the tags of a point stand for. */
import type { Lines } from './lines.ts'
import { textOf, unescaped } from './parse-lines.ts'

/** How the points of a fleet key become readings. */
export type LineSettings = {
  /** The tag that names the sensor; by default the first of DEFAULT_TAGS that a point has. */
  sensorTag?: string | undefined
  /** A template instead, such as `{host}.{measurement}`. */
  sensor?: string | undefined
  channelNames?: 'field' | 'measurement.field' | undefined
  /** Tags whose values join the names of channels. */
  channelTags?: readonly string[] | undefined
}

const DEFAULT_TAGS = ['sensor', 'device', 'host']

export const SERIES_FAULTS = {
  measurement: 'the measurement is missing',
  tag: 'a tag has no name, no value or two equals signs',
  tagTwice: 'a tag is there twice with different values',
  tooLong: 'measurement and tags have more than 65,535 bytes',
} as const

/** @param sensor undefined if the point has no tag that names one */
export type Series = { sensor: string | undefined; prefix: string } | { fault: keyof typeof SERIES_FAULTS }

/** As in InfluxDB. */
const MAX_BYTES = 65_535
/** Names of sensors and channels are shorter. Without a limit, a template or a prefix would repeat long tags. */
const MAX_NAME = 400

// a backslash before anything else stands for itself
const MEASUREMENT = /(?:[^ ,\\]|\\[ ,]|\\(?![ ,]))+/y
const TAG = /,((?:[^ ,=\\]|\\[ ,=]|\\(?![ ,=]))+)=((?:[^ ,=\\]|\\[ ,=]|\\(?![ ,=]))+)/y

export function decodeSeries(lines: Lines, series: number, settings: LineSettings): Series {
  const start = lines.seriesStarts[series] as number
  const end = lines.seriesEnds[series] as number
  if (end - start > MAX_BYTES) return { fault: 'tooLong' }
  const text = textOf(lines.body.subarray(start, end))
  const { measurement, pairs } = text.includes('\\') ? escapedParts(text) : plainParts(text)
  if (measurement === '') return { fault: 'measurement' }
  const tags = new Map<string, string>()
  for (const pair of pairs) {
    const [name = '', value = ''] = pair
    if (name === '' || value === '' || pair.length > 2) return { fault: 'tag' }
    if ((tags.get(name) ?? value) !== value) return { fault: 'tagTwice' }
    tags.set(name, value)
  }
  const named = settings.channelNames === 'measurement.field' ? [measurement] : []
  for (const tag of settings.channelTags ?? []) {
    const value = tags.get(tag)
    if (value !== undefined) named.push(value)
  }
  const prefix = named.map((part) => `${part}.`).join('')
  return { sensor: sensorOf(measurement, tags, settings), prefix: prefix.slice(0, MAX_NAME) }
}

/** A tag that breaks the grammar is a pair with an empty text, or not two texts. */
type Parts = { measurement: string; pairs: string[][] }

/** Of a text without backslashes, which takes a third of the time. */
function plainParts(text: string): Parts {
  const [measurement = '', ...tags] = text.split(',')
  return { measurement, pairs: tags.map((tag) => tag.split('=')) }
}

function escapedParts(text: string): Parts {
  MEASUREMENT.lastIndex = 0
  const measurement = MEASUREMENT.exec(text)?.[0] ?? ''
  const pairs: string[][] = []
  for (let p = measurement.length; p < text.length; p = TAG.lastIndex) {
    TAG.lastIndex = p
    const found = TAG.exec(text)
    if (found === null) {
      pairs.push([])
      break
    }
    pairs.push([unescaped(found[1] as string), unescaped(found[2] as string)])
  }
  return { measurement: measurement.replace(/\\([ ,])/g, '$1'), pairs }
}

function sensorOf(
  measurement: string,
  tags: ReadonlyMap<string, string>,
  { sensor, sensorTag }: LineSettings,
): string | undefined {
  if (sensor === undefined) {
    const tag = (sensorTag === undefined ? DEFAULT_TAGS : [sensorTag]).find((name) => tags.has(name))
    return tag && tags.get(tag)
  }
  let isWhole = true
  let left = MAX_NAME
  const text = sensor.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    const value = name === 'measurement' ? measurement : tags.get(name)
    left -= value?.length ?? 0
    isWhole &&= value !== undefined && left >= 0
    return isWhole && value !== undefined ? value : ''
  })
  return isWhole ? text : undefined
}
