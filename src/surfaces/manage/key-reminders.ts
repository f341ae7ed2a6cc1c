/** Routes for keys that somebody should replace or revoke. */
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { KEEPERS, NOBODY } from '../../access/authorization.ts'
import { succeed } from '../../http/envelope.ts'
import { page, ref } from '../../http/openapi/openapi-schemas.ts'
import { subjectOf } from '../../http/request-context.ts'
import {
  EXPIRES_WITHIN_DAYS,
  keyReminders,
  operatorTokenReminders,
  type ReminderQuery,
  UNUSED_DAYS,
} from '../../stores/postgres/accounts/key-reminders.ts'
import { getOwner } from '../../stores/postgres/accounts/owners.ts'
import type { ManageDeps } from './deps.ts'
import { operation } from './operation.ts'
import { pageOf, pageQuery } from './request-schemas.ts'
import { OWNER } from './subject-paths.ts'

const OLD_DAYS = 365

const reminderQuery = Type.Object(
  {
    limit: pageQuery.properties.limit,
    cursor: Type.Optional(Type.String({ maxLength: 2048, description: 'nextCursor of the previous page' })),
    olderThanDays: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 9_999,
        multipleOf: 1,
        default: OLD_DAYS,
        description: 'Days after which a key is old',
      }),
    ),
  },
  { additionalProperties: false },
)

const queryOf = (query: Static<typeof reminderQuery>): ReminderQuery => ({
  ...pageOf(query),
  olderThanDays: query.olderThanDays ?? OLD_DAYS,
})

const REASONS = `\`expired\`: ended in the last ${EXPIRES_WITHIN_DAYS} days. \`expiring\`: ends within ${EXPIRES_WITHIN_DAYS} days. \`old\`: created more than \`olderThanDays\` days ago. \`unused\`: not used for ${UNUSED_DAYS} days, as far as use is known.`

export function keyReminderRoutes({ db, keyUse }: ManageDeps) {
  return new Elysia({ name: 'manage-key-reminders' })
    .get(
      `${OWNER}/key-reminders`,
      async ({ request, query }) => {
        const { id } = await getOwner(db, subjectOf(request))
        await Promise.all(
          (['sensor-key', 'fleet-key-secret', 'application-key', 'tool-api-key', 'personal-key'] as const).map((kind) =>
            keyUse.flush(kind),
          ),
        )
        return succeed(request, await keyReminders(db, id, queryOf(query)))
      },
      operation({
        summary: 'List keys to replace or revoke',
        description: `Keys of sensors, fleet keys, keys of applications, Tool APIs and people that are not revoked, the first to end first, each with its reasons. ${REASONS}`,
        rights: { of: 'owner', for: KEEPERS },
        query: reminderQuery,
        result: page(ref('KeyReminder')),
      }),
    )
    .get(
      '/operators/token-reminders',
      async ({ request, query }) => succeed(request, await operatorTokenReminders(db, queryOf(query))),
      operation({
        summary: 'List operator tokens to replace or revoke',
        description: `Tokens that are not revoked, without the one in \`DATA_DIR/operator.token\`. ${REASONS}`,
        rights: { of: 'server', for: NOBODY },
        query: reminderQuery,
        result: page(ref('KeyReminder')),
      }),
    )
}
