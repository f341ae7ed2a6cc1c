/** Routes for silences of alerts. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { MANAGERS, STAFF } from '../../access/authorization.ts'
import { parseTime } from '../../analytics/time-range.ts'
import { IDEMPOTENCY_HOURS, invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { bodySchema } from '../../http/body/body-schema.ts'
import { succeed } from '../../http/envelope.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import { object, page, ref, string } from '../../http/openapi/openapi-schemas.ts'
import { requestContextOf } from '../../http/request-context.ts'
import { getAlert } from '../../stores/postgres/alerts/alerts.ts'
import {
  createSilence,
  deleteSilence,
  listSilences,
  SILENCE_STATES,
  type Silence,
} from '../../stores/postgres/alerts/silences.ts'
import type { Database } from '../../stores/postgres/client.ts'
import type { KeySpace } from '../../stores/postgres/runs/idempotency.ts'
import type { AlertRoutesDeps } from './alert-routes.ts'
import { nameList, namesIn } from './name-list.ts'
import { operation } from './operation.ts'
import { closed, limit, moment } from './request-schemas.ts'

/** How far away the end of a silence may be: a forgotten silence ends. */
const MAX_DAYS = 366
const DAY_MS = 86_400_000
/** Maximum number of sensors, and of rules, in one silence. */
const MAX_NAMED = 1_000
const MAX_TAGS = 20

const names = (maxItems: number, maxLength: number, description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength }), { maxItems, uniqueItems: true, description }))
const silenceInput = Type.Object(
  {
    sensorIds: names(MAX_NAMED, 64, 'Alerts of these sensors'),
    tags: names(MAX_TAGS, 50, 'Alerts of sensors that have one of these tags'),
    ruleIds: names(MAX_NAMED, 64, 'Alerts of these rules'),
    from: Type.Optional(moment('When the silence begins (RFC 3339); now by default')),
    to: moment(`When the silence ends (RFC 3339), at most ${MAX_DAYS} days from now`),
    comment: Type.Optional(Type.String({ maxLength: 2_000 })),
  },
  closed,
)
const silencesQuery = Type.Object(
  {
    state: nameList(SILENCE_STATES, 'Only silences in one of these states'),
    alert: Type.Optional(Type.String({ maxLength: 64, description: 'Only silences that hold for this alert now' })),
    limit,
    cursor: Type.Optional(Type.String({ description: 'nextCursor of the previous page', maxLength: 64 })),
  },
  closed,
)

export type SilenceRoutesDeps = Omit<AlertRoutesDeps, 'ruleStates'> & { idempotency: Idempotency<Database, KeySpace> }

const silenceToJson = ({ id, sensorIds, tags, ruleIds, startsAt, endsAt, ...silence }: Silence) => ({
  id,
  sensorIds,
  tags,
  ruleIds,
  from: startsAt,
  to: endsAt,
  comment: silence.comment,
  state: silence.state,
  createdBy: silence.createdBy,
  createdAt: silence.createdAt,
})

/** @throws AppError VALIDATION_FAILED */
function periodOf(start: string | undefined, end: string): { startsAt: Date | undefined; endsAt: Date } {
  const nowMs = Date.now()
  const startMs = parseTime('body.from', start, nowMs)
  const endMs = parseTime('body.to', end, Number.NaN)
  if (endMs <= nowMs) throw invalidField('body.to', 'future', fieldText('future'))
  if (endMs > nowMs + MAX_DAYS * DAY_MS)
    throw invalidField('body.to', 'maximum', fieldText('daysFromNow', { most: MAX_DAYS }))
  if (startMs >= endMs) throw invalidField('body.from', 'order', fieldText('earlier', { field: 'body.to' }))
  return { startsAt: start === undefined ? undefined : new Date(startMs), endsAt: new Date(endMs) }
}

export function silenceRoutes({ db, callers, recordBody, idempotency }: SilenceRoutesDeps) {
  return new Elysia({ name: 'alert-silences' })
    .onParse(callers.parse(recordBody))
    .post(
      '/alert-silences',
      async ({ request, body }) => {
        const { enterprise, caller } = await callers.of(request)
        const { sensorIds = [], tags = [], ruleIds = [], comment = '' } = body
        if (sensorIds.length + tags.length + ruleIds.length === 0)
          throw invalidField('body.sensorIds', 'required', fieldText('silenceTargets'))
        const input = { sensorIds, tags, ruleIds, comment, ...periodOf(body.from, body.to) }
        return idempotency.kept(
          request,
          (tx) => createSilence(tx, caller.actor, enterprise.id, input),
          (silence) => succeed(request, silenceToJson(silence)),
        )
      },
      {
        beforeHandle: ({ request, body }) =>
          idempotency.begin(request, async () => {
            const { keySpace: space } = (await callers.of(request)).caller
            return { space, route: `POST ${requestContextOf(request).path}`, content: JSON.stringify(body) }
          }),
        afterHandle: idempotency.requireKept,
        ...operation({
          summary: 'Create a silence',
          description: `Holds back deliveries of alerts of the named sensors, of sensors with the tags, and of the rules, until the silence ends. The alerts are recorded, listed and streamed, with \`silenced: true\`. At least one of \`sensorIds\`, \`tags\` and \`ruleIds\` is required. A request with an \`Idempotency-Key\` can be repeated for ${IDEMPOTENCY_HOURS} hours without creating another silence.`,
          rights: { of: 'enterprise-in-header', for: MANAGERS },
          body: bodySchema(silenceInput),
          result: ref('AlertSilence'),
        }),
      },
    )
    .get(
      '/alert-silences',
      async ({ request, query }) => {
        const { enterprise } = await callers.of(request)
        const alert = query.alert === undefined ? undefined : await getAlert(db, enterprise.id, query.alert)
        const filter = {
          states: [...namesIn('state', query.state, SILENCE_STATES)],
          alert: alert && { ...alert, enterpriseId: enterprise.id },
        }
        const pageQuery = { limit: query.limit ?? 100, cursor: query.cursor }
        const found = await listSilences(db, enterprise.id, filter, pageQuery)
        return succeed(request, { ...found, items: found.items.map(silenceToJson) })
      },
      operation({
        summary: 'List silences',
        description: 'Returns silences newest first, filtered by state and by an alert that they hold for.',
        rights: { of: 'enterprise-in-header', for: STAFF },
        query: silencesQuery,
        result: page(ref('AlertSilence')),
      }),
    )
    .delete(
      '/alert-silences/:id',
      async ({ request, params }) => {
        const { enterprise, caller } = await callers.of(request)
        await deleteSilence(db, caller.actor, enterprise.id, params.id)
        return succeed(request, { id: params.id })
      },
      operation({
        summary: 'Delete a silence',
        description: 'Ends the silence now.',
        rights: { of: 'enterprise-in-header', for: MANAGERS },
        result: object({ id: string }),
      }),
    )
}
