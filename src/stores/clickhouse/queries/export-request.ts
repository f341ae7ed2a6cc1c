/** The readings to export, and the columns of the exported tables. */

/** Formats of text lines. */
export type TextFormat = 'csv' | 'jsonl'
export type ExportFormat = TextFormat | 'parquet' | 'arrow'
export type Measurement = 'number' | 'whole' | 'boolean'

/** A channel of a sensor, by number. A channel has one number for each measurement that it ever had. */
export type ExportChannel = { sensor: number; number: number; name: string; measurement: Measurement }

/** Channels of one name. The type is `text` if their measurements have no other type in common. */
export type WideColumn = { name: string; type: Measurement | 'text'; channels: readonly ExportChannel[] }

export type ExportRequest = {
  fromMs: number
  toMs: number
  sensors: readonly { number: number; id: string }[]
  /** Whether a reading with only a location gives a row. */
  locations: boolean
  rows: { layout: 'long'; channels: readonly ExportChannel[] } | { layout: 'wide'; columns: readonly WideColumn[] }
}

/** Columns of the text formats, which have one column for values of any measurement. */
export const LONG_COLUMNS = ['sensorId', 'at', 'channel', 'measurement', 'value', 'longitude', 'latitude'] as const
export const WIDE_COLUMNS = ['sensorId', 'at', 'longitude', 'latitude'] as const
