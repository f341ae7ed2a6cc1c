/** Request schemas of /enterprise/v1/assets that several files of routes share. */
import { Type } from '@sinclair/typebox'

// a number with multipleOf instead of an integer: Elysia converts query text to numbers only
export const limit = Type.Optional(Type.Number({ minimum: 1, maximum: 1000, multipleOf: 1, default: 100 }))

/** An RFC 3339 date-time with an offset. */
export const moment = (description: string) => Type.String({ description, maxLength: 40 })

export const closed = { additionalProperties: false }
export const from = Type.Optional(moment('Start of the range, inclusive (RFC 3339)'))
export const to = Type.Optional(moment('End of the range, exclusive (RFC 3339)'))

/** Of lists whose order changes with what sensors send. */
export const fleetCursor = Type.Optional(
  Type.String({ description: 'nextCursor of the previous page', maxLength: 200 }),
)
