import { Type } from '@sinclair/typebox'

// multipleOf and not an integer: only a number is read from the text of a query
const pageLimit = Type.Optional(Type.Number({ minimum: 1, maximum: 1000, multipleOf: 1, default: 100 }))

/** A moment as RFC 3339 has it, with an offset. */
const moment = (description: string) => Type.String({ description, minLength: 20, maxLength: 40 })

export const readingsQuery = Type.Object(
  {
    from: Type.Optional(moment('First moment wanted (RFC 3339); as far back as readings go when left out')),
    to: Type.Optional(moment('First moment no longer wanted (RFC 3339); no end when left out')),
    channel: Type.Optional(
      Type.String({ description: 'One channel name, or several separated by commas', minLength: 1, maxLength: 4000 }),
    ),
    limit: pageLimit,
    cursor: Type.Optional(Type.String({ description: 'nextCursor of the page before', maxLength: 64 })),
  },
  { additionalProperties: false },
)

export const sensorsQuery = Type.Object(
  {
    limit: pageLimit,
    cursor: Type.Optional(Type.String({ description: 'nextCursor of the page before', maxLength: 64 })),
  },
  { additionalProperties: false },
)
