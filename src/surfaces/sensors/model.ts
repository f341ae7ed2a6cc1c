/** What the sensor surface takes and gives, for its description; the judge of src/ingest holds readings to it. */
import { Type } from '@sinclair/typebox'
import { MAX_READINGS } from '../../errors.ts'
import { REASONS } from '../../ingest/batch.ts'

const timestamp = Type.String({ format: 'date-time' })

export const readingsBody = Type.Object(
  {
    readings: Type.Array(
      Type.Object({
        at: Type.String({
          format: 'date-time',
          description: "The sensor's own time: RFC 3339 with seconds and an offset, kept to the millisecond",
        }),
        values: Type.Optional(
          Type.Record(Type.String(), Type.Union([Type.Number(), Type.Boolean()]), {
            description: 'Channel name to value, of the type of its measurement; wanted when there is no location',
          }),
        ),
        location: Type.Optional(
          Type.Array(Type.Number(), {
            minItems: 2,
            maxItems: 2,
            description: '[longitude, latitude] in degrees, WGS 84; within ±180 and ±90',
          }),
        ),
      }),
      { minItems: 1, maxItems: MAX_READINGS },
    ),
  },
  { description: 'At most 1 MB, also after unpacking Content-Encoding gzip or zstd' },
)

export const readingsResult = Type.Object({
  ok: Type.Literal(true),
  statusCode: Type.Literal(200),
  code: Type.Literal('SENSOR_READINGS_RESULT'),
  message: Type.String(),
  messageAr: Type.String(),
  data: Type.Object({
    accepted: Type.Array(timestamp),
    duplicates: Type.Array(timestamp, { description: 'Stored before, in this call or any since readings are kept' }),
    refused: Type.Array(
      Type.Object({
        at: Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()], { description: 'As it was sent' }),
        reason: Type.Union(REASONS.map((reason) => Type.Literal(reason))),
        channel: Type.Optional(Type.String()),
      }),
    ),
  }),
  path: Type.String(),
  method: Type.String(),
  timestamp,
  requestId: Type.String(),
})
