/** Schemas of batches of readings and of their answers, for OpenAPI only: validate.ts validates each reading. */
import { Type } from '@sinclair/typebox'
import { MAX_READINGS } from '../errors.ts'
import { REASONS } from './validate.ts'

const timestamp = Type.String({ format: 'date-time' })

export const readingsBody = Type.Object(
  {
    readings: Type.Array(
      Type.Object({
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
      }),
      { minItems: 1, maxItems: MAX_READINGS },
    ),
  },
  {
    description: 'At most 1 MB. The limit applies after decompression when `Content-Encoding` is `gzip` or `zstd`.',
  },
)

export const readingsResult = Type.Object({
  ok: Type.Literal(true),
  statusCode: Type.Literal(200),
  code: Type.Literal('SENSOR_READINGS_RESULT'),
  message: Type.String(),
  messageAr: Type.String(),
  data: Type.Object({
    accepted: Type.Array(timestamp, { description: 'Times of the readings that are now stored durably.' }),
    duplicates: Type.Array(timestamp, { description: 'Times of readings that were already stored.' }),
    refused: Type.Array(
      Type.Object({
        at: Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()], {
          description: 'The time as sent.',
        }),
        reason: Type.Union(REASONS.map((reason) => Type.Literal(reason))),
        channel: Type.Optional(Type.String()),
        line: Type.Optional(
          Type.Integer({
            minimum: 1,
            description: 'With `SENSOR_READING_UNREADABLE`: the line of the body, counted from 1.',
          }),
        ),
      }),
    ),
  }),
  path: Type.String(),
  method: Type.String(),
  timestamp,
  requestId: Type.String(),
})
