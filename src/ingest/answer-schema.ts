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

export const readingsBody = Type.Object(
  { readings: Type.Array(Type.Object(readingMembers), { minItems: 1, maxItems: MAX_READINGS }) },
  { description: `At most 1 MB. ${DECOMPRESSED}` },
)

export const manyReadingsBody = Type.Object(
  {
    readings: Type.Array(
      Type.Object({ sensor: Type.String({ description: 'Id or external id of the sensor.' }), ...readingMembers }),
      { minItems: 1, maxItems: MAX_READINGS_OF_MANY },
    ),
  },
  { description: `At most 5 MB. ${DECOMPRESSED}` },
)

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
        reason: literals([...SENSOR_REASONS, ...REASONS]),
      }),
      {
        description:
          'With a fleet key that ignores unknown channels, a reading that is accepted without them is listed here with each of them too.',
      },
    ),
  }),
)
