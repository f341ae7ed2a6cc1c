/** Saved views: the address of a list or the map, with its filters, order and columns. */
import { Type } from '@sinclair/typebox'
import { closed } from './request-schemas.ts'

export const viewDocument = Type.Object(
  {
    version: Type.Literal(1),
    page: Type.Union([Type.Literal('/sensors'), Type.Literal('/map')], {
      description: 'The page of the portal',
    }),
    query: Type.String({
      maxLength: 4000,
      description: 'The query of its address, such as tag=north&sort=-temperature',
    }),
  },
  closed,
)
