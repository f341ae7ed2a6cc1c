/** Schemas of batches of readings and of their answers, for OpenAPI only: validate.ts validates each reading. */
import { type TSchema, Type } from '@sinclair/typebox'
import { MAX_READINGS, MAX_READINGS_OF_MANY } from '../errors.ts'
import { REASONS } from './validate.ts'

const timestamp = Type.String({ format: 'date-time' })

const readingMembers = {
  at: Type.String({
    format: 'date-time',
    description:
      "Time of the reading by the sensor's clock, at most 10 minutes in the future: an RFC 3339 date-time with seconds and an offset, stored to the millisecond.",
  }),
  values: Type.Optional(
    Type.Record(Type.String(), Type.Union([Type.Number(), Type.Boolean()]), {
      description:
        "Value for each channel name, of the type of the channel's measurement. Required when there is no location.",
    }),
  ),
  location: Type.Optional(
    Type.Array(Type.Number(), {
      minItems: 2,
      maxItems: 2,
      description: '`[longitude, latitude]` in degrees (WGS 84), within ±180 and ±90.',
    }),
  ),
}
const DECOMPRESSED = 'The limit applies after decompression when `Content-Encoding` is `gzip` or `zstd`.'

const readingsBody = Type.Object(
  { readings: Type.Array(Type.Object(readingMembers), { minItems: 1, maxItems: MAX_READINGS }) },
  { description: `At most 1 MB. ${DECOMPRESSED}` },
)

export const manyReadingsBody = Type.Object(
  {
    readings: Type.Array(
      Type.Object({
        sensor: Type.String({ description: 'Id or external id of the sensor.' }),
        ...readingMembers,
        atArrival: Type.Optional(
          Type.Boolean({
            description:
              '`true` if the device sent no time and `at` is when its message arrived at the sender: the reading is accepted, and `SENSOR_READING_NO_TIME` is listed once for the sensor.',
          }),
        ),
      }),
      { minItems: 1, maxItems: MAX_READINGS_OF_MANY },
    ),
  },
  { description: `At most 5 MB. ${DECOMPRESSED}` },
)

const label = (description: string) => Type.Optional(Type.String({ description }))
const number = (description: string) => Type.Optional(Type.Number({ description }))
const senmlPack = Type.Array(
  Type.Object({
    bn: label('Base name. A pack has at most one.'),
    bt: number('Base time in seconds.'),
    bu: label('Base unit.'),
    bv: number('Base value.'),
    bver: Type.Optional(Type.Integer()),
    n: label('Name of the channel, with or without the base name.'),
    u: label(
      "Unit, which must be the channel's; `Cel` is °C and `%RH` is %. Records with `lon` and `lat` are the location.",
    ),
    t: number('Time in seconds. Below 2^28 the sum of `bt` and `t` is relative to the time of arrival.'),
    v: Type.Optional(Type.Number()),
    vb: Type.Optional(Type.Boolean()),
  }),
  { description: 'A SenML pack (RFC 8428). Records of one millisecond are one reading.' },
)

/** The bodies that are taken, by content type (bodies/body-source.ts). */
export const readingsContent = {
  'application/json': { schema: readingsBody },
  'application/x-ndjson': {
    schema: Type.String({ description: 'One reading in each line, as in the list of the JSON body.' }),
    example: '{"at":"2026-01-31T12:00:00Z","values":{"temperature":21.5}}\n',
  },
  'text/csv': {
    schema: Type.String({
      description:
        'RFC 4180 with a header row: `at`, `longitude` and `latitude` (or `lon` and `lat`), and a column for each channel. An empty cell is a missing value.',
    }),
    example: 'at,temperature,longitude,latitude\r\n2026-01-31T12:00:00Z,21.5,12.49,41.89\r\n',
  },
  'application/senml+json': { schema: senmlPack },
}

const refusedMembers = {
  at: Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()], {
    description: 'The time as sent.',
  }),
  channel: Type.Optional(Type.String()),
  line: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'With `SENSOR_READING_UNREADABLE`: the line of the body, counted from 1.',
    }),
  ),
}
const literals = (reasons: readonly string[]) => Type.Union(reasons.map((reason) => Type.Literal(reason)))

const resultOf = <Data extends TSchema>(data: Data) =>
  Type.Object({
    ok: Type.Literal(true),
    statusCode: Type.Literal(200),
    code: Type.Literal('SENSOR_READINGS_RESULT'),
    message: Type.String(),
    messageAr: Type.String(),
    data,
    path: Type.String(),
    method: Type.String(),
    timestamp,
    requestId: Type.String(),
  })

export const readingsResult = resultOf(
  Type.Object({
    accepted: Type.Array(timestamp, { description: 'Times of the readings that are now stored durably.' }),
    duplicates: Type.Array(timestamp, { description: 'Times of readings that were already stored.' }),
    refused: Type.Array(Type.Object({ ...refusedMembers, reason: literals(REASONS) })),
  }),
)

/** Reasons to refuse a reading because of its sensor; they come before all others. */
const SENSOR_REASONS = ['SENSOR_UNKNOWN', 'SENSOR_PENDING', 'SENSOR_DISABLED', 'SENSOR_HELD']
const ofSensor = Type.Object({ sensor: Type.String({ description: 'As it was sent.' }), at: timestamp })

export const manyReadingsResult = resultOf(
  Type.Object({
    accepted: Type.Array(ofSensor, { description: 'Readings that are now stored durably.' }),
    duplicates: Type.Array(ofSensor, { description: 'Readings that were already stored.' }),
    refused: Type.Array(
      Type.Object({
        sensor: Type.Union([Type.String(), Type.Null()], {
          description: 'As it was sent; null if the reading names none.',
        }),
        ...refusedMembers,
        reason: literals([...SENSOR_REASONS, ...REASONS, 'SENSOR_READING_NO_TIME']),
      }),
      {
        description:
          'With a fleet key that ignores unknown channels, a reading that is accepted without them is listed here with each of them too. So is the first accepted reading of a sensor with `atArrival`.',
      },
    ),
  }),
)
