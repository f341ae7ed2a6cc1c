/** The query of lists of layers and files. */
import { Type } from '@sinclair/typebox'
import { pageQuery } from './request-schemas.ts'

/** Query parameters of lists that can be searched and sorted. */
export const listQuery = (sorts: readonly string[]) =>
  Type.Object(
    {
      limit: pageQuery.properties.limit,
      // holds a name of 200 characters
      cursor: Type.Optional(Type.String({ maxLength: 2048, description: 'nextCursor of the previous page' })),
      q: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name in any case, or the id' })),
      sort: Type.Optional(Type.Union(sorts.map((sort) => Type.Literal(sort)))),
      order: Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')])),
    },
    { additionalProperties: false },
  )
