/** Rules that watch where sensors are, and what they saw. */
import { Elysia } from 'elysia'
import type { Organization } from '../../access/organization.ts'
import { AppError } from '../../errors.ts'
import { type BodyLimits, readJson } from '../../http/body.ts'
import { succeed } from '../../http/envelope.ts'
import type { Changes } from '../../stores/changes.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import type { Database } from '../../stores/postgres/client.ts'
import * as rules from '../../stores/postgres/zone-rules.ts'
import type { Directory } from './directory.ts'
import * as model from './model.ts'
import { clampToRetention } from './time-range.ts'
import { checkRule, eventsPage, newRule, ruleToJson } from './zone-rules.ts'

export type RuleRoutesDeps = {
  db: Database
  clickhouse: ClickHouse
  changes: Changes
  directory: Directory
  organizationOf(request: Request): Promise<Organization>
  jsonBody: BodyLimits
}

const MAX_RULES = 100
const security: Record<string, string[]>[] = [{ keyPair: [], keySecret: [] }, { keyBearer: [] }]
const detail = (summary: string, description?: string) => ({
  ...{ tags: ['Assets'], summary, security },
  ...(description !== undefined && { description }),
})

export function ruleRoutes({ db, clickhouse, changes, directory, organizationOf, jsonBody }: RuleRoutesDeps) {
  const changed = (id: string): Promise<void> => changes.publish({ kind: 'zone-rule', id })

  return new Elysia({ name: 'zone-rules' })
    .onParse(({ request, contentType }) => readJson(request, contentType, jsonBody))
    .post(
      '/rules',
      async ({ request, body }) => {
        const { enterprise, application } = await organizationOf(request)
        const input = await newRule(db, enterprise.id, body)
        const rule = await rules.createZoneRule(db, application.id, enterprise.id, input, new Date(), MAX_RULES)
        await changed(rule.id)
        return succeed(request, ruleToJson(rule))
      },
      {
        body: model.ruleInput,
        detail: detail(
          'Create a zone rule',
          'Checks the location of each new reading against the polygons of a layer. With `enter` and `leave`, an event is created when a sensor crosses the edge of a polygon; with `inside` and `outside`, for each reading. An edge belongs to its polygon. `sensorIds` or `all` is required.',
        ),
      },
    )
    .get(
      '/rules',
      async ({ request, query }) => {
        const { enterprise } = await organizationOf(request)
        const page = await rules.listZoneRules(db, enterprise.id, { limit: query.limit ?? 100, cursor: query.cursor })
        return succeed(request, { ...page, items: page.items.map(ruleToJson) })
      },
      { query: model.pageQuery, detail: detail('List zone rules') },
    )
    .get(
      '/rules/:id',
      async ({ request, params }) => {
        const { enterprise } = await organizationOf(request)
        return succeed(request, ruleToJson(await rules.getZoneRule(db, enterprise.id, params.id)))
      },
      { detail: detail('Get a zone rule') },
    )
    .patch(
      '/rules/:id',
      async ({ request, params, body }) => {
        const { enterprise, application } = await organizationOf(request)
        const before = await rules.getZoneRule(db, enterprise.id, params.id)
        const { change } = await checkRule(db, enterprise.id, body)
        // what came before a rule was like this is not its business
        const isOther = change.event !== undefined || change.sensorIds !== undefined || change.layerId !== undefined
        const since = isOther || (change.enabled === true && !before.enabled) ? new Date() : undefined
        const rule = await rules.updateZoneRule(db, application.id, enterprise.id, params.id, change, since)
        await changed(rule.id)
        return succeed(request, ruleToJson(rule))
      },
      {
        body: model.ruleChange,
        detail: detail(
          'Update a zone rule',
          'Changes the sent fields. Set `enabled` to switch the rule on or off. A changed rule applies to readings received from now on.',
        ),
      },
    )
    .delete(
      '/rules/:id',
      async ({ request, params }) => {
        const { enterprise, application } = await organizationOf(request)
        const { id } = await rules.deleteZoneRule(db, application.id, enterprise.id, params.id)
        await changed(id)
        return succeed(request, { id })
      },
      { detail: detail('Delete a zone rule', 'The events of the rule are no longer available afterwards.') },
    )
    .get(
      '/rules/:id/events',
      async ({ request, params, query }) => {
        const { enterprise } = await organizationOf(request)
        const rule = await rules.getZoneRule(db, enterprise.id, params.id)
        const sensorIndex = await directory.of(enterprise.id)
        const sensor = [...sensorIndex.sensors.values()].find(({ sensorId }) => sensorId === query.sensorId)
        if (query.sensorId !== undefined && sensor === undefined)
          throw new AppError('NOT_FOUND', { message: 'The sensor does not exist.' })
        const range = clampToRetention(enterprise, query)
        const eventsQuery = { range, sensor: sensor?.number, limit: query.limit ?? 100, cursor: query.cursor }
        return succeed(
          request,
          await eventsPage(clickhouse, enterprise.number, rule, sensorIndex, eventsQuery, request.signal),
        )
      },
      {
        query: model.ruleEventsQuery,
        detail: detail('List events of a zone rule', 'Returns events oldest first, filtered by time and sensor.'),
      },
    )
}
