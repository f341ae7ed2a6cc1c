/**
 * Lines of CSV (RFC 4180) and of JSON, written by ClickHouse: its own formats cannot write booleans and numbers into one
 * column. Names are encoded here, once, so that a line is a concatenation.
 */
import type { ExportChannel, ExportRequest, TextFormat } from './export-request.ts'

type Line = { sql: string; params: Record<string, unknown> }

/** A field of CSV; quoted only if it must be. */
export const csvField = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

const ENCODE = { csv: csvField, jsonl: JSON.stringify }
const NOTHING = { csv: "''", jsonl: "'null'" }
/** The line feed is the end of a row in ClickHouse's format for lines. */
const CARRIAGE_RETURN = 'char(13)'

const valueText = (value: string, isBoolean: string): string =>
  `if(${isBoolean}, if(${value} = 0, 'false', 'true'), toString(${value}))`
const orNothing = (format: TextFormat, isMissing: string, text: string): string =>
  `if(${isMissing}, ${NOTHING[format]}, ${text})`

/** The id of a row's sensor; `ids` are in the order of `numbers`. */
export const sensorIdOf = ({ sensors }: ExportRequest): string =>
  sensors.length === 1
    ? '{ids:Array(String)}[1]'
    : "transform(sensor, {numbers:Array(UInt32)}, {ids:Array(String)}, '')"

/** The expression of a line over the rows of `exportReadings`. */
export function linesOf(format: TextFormat, request: ExportRequest): Line {
  const { sensors, rows } = request
  const encode = ENCODE[format]
  const sensor = sensorIdOf(request)
  const at = "concat(replaceOne(toString(at), ' ', 'T'), 'Z')"
  const [longitude, latitude] = ['east', 'north'].map((name) =>
    orNothing(format, `isNaN(${name})`, `toString(${name})`),
  ) as [string, string]
  const params = { ids: sensors.map(({ id }) => encode(id)) }
  if (rows.layout === 'long') {
    const value = orNothing(format, 'entry = 0', valueText('stored', 'isBoolean'))
    const head = '{heads:Array(String)}[entry + 1]'
    const parts =
      format === 'csv'
        ? [sensor, "','", at, "','", head, "','", value, "','", longitude, "','", latitude, CARRIAGE_RETURN]
        : [
            `'{"sensorId":'`,
            sensor,
            `',"at":"'`,
            at,
            `'",'`,
            head,
            `',"value":'`,
            value,
            `',"longitude":'`,
            longitude,
            `',"latitude":'`,
            latitude,
            "'}'",
          ]
    return { sql: `concat(${parts.join(', ')})`, params: { ...params, heads: longHeads(format, rows.channels) } }
  }
  const text = orNothing(format, 'i = 0', valueText('values[i]', 'areBoolean[i]'))
  const values = `arrayStringConcat(arrayMap((head, column) -> concat(head, arrayMap(i -> ${text},
    [indexOf(columns, column)])[1]), {heads:Array(String)}, range(1, length({heads:Array(String)}) + 1)))`
  const heads = rows.columns.map(({ name }) => (format === 'csv' ? ',' : `,${encode(name)}:`))
  const parts =
    format === 'csv'
      ? [sensor, "','", at, "','", longitude, "','", latitude, values, CARRIAGE_RETURN]
      : [
          `'{"sensorId":'`,
          sensor,
          `',"at":"'`,
          at,
          `'","longitude":'`,
          longitude,
          `',"latitude":'`,
          latitude,
          values,
          "'}'",
        ]
  return { sql: `concat(${parts.join(', ')})`, params: { ...params, heads } }
}

/** Channel and measurement of each row; the first entry is for rows with only a location. */
function longHeads(format: TextFormat, channels: readonly ExportChannel[]): string[] {
  if (format === 'csv') return [',', ...channels.map(({ name, measurement }) => `${csvField(name)},${measurement}`)]
  const head = (name: string | null, measurement: string | null): string =>
    JSON.stringify({ channel: name, measurement }).slice(1, -1)
  return [head(null, null), ...channels.map(({ name, measurement }) => head(name, measurement))]
}
