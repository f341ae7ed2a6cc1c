/** The events of an enterprise, as its destinations get them, to pull. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { STAFF } from '../../access/authorization.ts'
import type { Organization } from '../../access/organization.ts'
import type { EventPull } from '../../destinations/event-pull.ts'
import type { Callers } from '../../http/callers.ts'
import { succeed } from '../../http/envelope.ts'
import { page, ref } from '../../http/openapi/openapi-schemas.ts'
import { EVENT_TYPES } from '../../stores/postgres/events/events.ts'
import { nameList, namesIn } from './name-list.ts'
import { operation } from './operation.ts'
import { closed, limit } from './request-schemas.ts'

const eventsQuery = Type.Object(
  {
    after: Type.Optional(Type.String({ maxLength: 64, description: 'Id of the last event that the caller has' })),
    types: nameList(EVENT_TYPES, 'Only events of these types'),
    limit,
    // a number with multipleOf instead of an integer: Elysia converts query text to numbers only
    wait: Type.Optional(
      Type.Number({ minimum: 0, maximum: 30, multipleOf: 1, description: 'Seconds to wait until there is an event' }),
    ),
  },
  closed,
)

export function eventRoutes(callers: Callers<Organization>, events: EventPull) {
  return new Elysia({ name: 'events', prefix: '/enterprise/v1' }).onTransform(callers.check).get(
    '/events',
    async ({ request, query }) => {
      const { enterprise } = await callers.of(request)
      const types = [...namesIn('types', query.types, EVENT_TYPES)]
      const given = { after: query.after, types, limit: query.limit ?? 100, waitS: query.wait ?? 0 }
      return succeed(request, await events.pull(enterprise.id, given, request.signal))
    },
    operation({
      summary: 'Pull events',
      description:
        'Returns events in the order in which they were committed, from the one after `after`, or from the oldest of the last 30 days. To continue, send the id of the last event as `after`; an unknown id is refused. With `wait`, the answer is held until there is an event. An event is never added before one that was returned. `timestamp` is when the event was stored, `data.at` when it happened, and `data.sequence` rises by 1 for each event of a rule and sensor, or of a job.',
      rights: { of: 'enterprise-in-header', for: STAFF },
      query: eventsQuery,
      result: page(ref('Event')),
    }),
  )
}
