/** Data of panels, links that show a dashboard without an account, and what such a link reads. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { MANAGERS, STAFF } from '../../access/authorization.ts'
import { documentScope } from '../../access/document-scope.ts'
import type { KeyFailures } from '../../access/keys/key-failures.ts'
import { bearerToken, makeKey, sha256Hex } from '../../access/keys/keys.ts'
import { enterpriseFacts } from '../../access/organization.ts'
import type { RateWindows } from '../../access/rate-windows.ts'
import { type DashboardDocument, dashboardPanel, type RANGES } from '../../analytics/dashboards/dashboard-document.ts'
import { type PanelSources, panelData } from '../../analytics/dashboards/panel-data.ts'
import { parseTime, type TimeRange } from '../../analytics/time-range.ts'
import { AppError, invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { peerOf } from '../../http/address.ts'
import { type BodyLimits, mediaTypeOf, readJson } from '../../http/body/body.ts'
import { bodySchema } from '../../http/body/body-schema.ts'
import { succeed } from '../../http/envelope.ts'
import { anyObject, dateTime, list, object, operationsOf, ref, string } from '../../http/openapi/openapi-schemas.ts'
import { identify, requestContextOf } from '../../http/request-context.ts'
import { findEnterpriseRecord } from '../../stores/postgres/accounts/enterprises.ts'
import {
  createShareLink,
  findShared,
  listShareLinks,
  MAX_LINK_DAYS,
  revokeShareLink,
  type SharedDocument,
  shareLinkToJson,
} from '../../stores/postgres/documents/share-links.ts'
import type { DocumentRoutesDeps } from './document-routes.ts'
import { operation } from './operation.ts'
import { closed, moment } from './request-schemas.ts'

const points = Type.Optional(
  Type.Integer({ minimum: 2, maximum: 2_000, description: 'Most buckets of a chart; 500 by default' }),
)
const DEFAULT_POINTS = 500
const panelInput = Type.Object(
  {
    panel: dashboardPanel,
    from: moment('Start of the range, inclusive (RFC 3339)'),
    to: moment('End of the range, exclusive (RFC 3339)'),
    points,
    variables: Type.Optional(
      Type.Object({
        tag: Type.Optional(Type.String({ maxLength: 50 })),
        assetId: Type.Optional(Type.String({ maxLength: 64 })),
      }),
    ),
  },
  closed,
)
/** @throws AppError VALIDATION_FAILED */
function rangeOf(body: { from: string; to: string }): TimeRange {
  const [fromMs, toMs] = [parseTime('body.from', body.from, 0), parseTime('body.to', body.to, 0)]
  if (fromMs >= toMs) throw invalidField('body.from', 'order', fieldText('notLater', { field: 'body.to' }))
  return { fromMs, toMs }
}
const days = Type.Integer({ minimum: 1, maximum: MAX_LINK_DAYS, description: 'How long the link works' })
const link = { id: string, createdAt: dateTime, expiresAt: dateTime }

export type PanelRoutesDeps = DocumentRoutesDeps &
  PanelSources & { inTurn<T>(request: Request, query: () => Promise<T>): Promise<T> }

export function panelRoutes({ db, callers, recordBody, idempotency, inTurn, ...sources }: PanelRoutesDeps) {
  const scopeOf = async (request: Request) => {
    const { enterprise, caller } = await callers.of(request)
    return documentScope('dashboard', enterprise.id, caller)
  }
  return new Elysia({ name: 'panels' })
    .onParse(callers.parse(recordBody))
    .post(
      '/panels',
      async ({ request, body }) => {
        const { enterprise } = await callers.of(request)
        const { panel, points = DEFAULT_POINTS, variables = {} } = body
        const query = { range: rangeOf(body), points, variables }
        return succeed(
          request,
          await inTurn(request, () => panelData({ db, ...sources }, enterprise, panel, query, request.signal)),
        )
      },
      operation({
        summary: 'Get the data of a panel',
        description:
          'Reads what one panel of a dashboard shows, without storing the panel. A chart has at most 6 lines, a table 100 rows, a map 5,000 positions; a panel that reads the readings of more than 1,000 sensors is refused.',
        rights: { of: 'enterprise-in-header', for: STAFF },
        body: bodySchema(panelInput),
        result: anyObject,
      }),
    )
    .post(
      '/dashboards/:id/links',
      async ({ request, params, body }) => {
        const scope = await scopeOf(request)
        const token = makeKey('share')
        return idempotency.kept(
          request,
          (tx) => createShareLink(tx, scope, params.id, { days: body.days, tokenSha256: sha256Hex(token) }),
          (made) => succeed(request, { ...shareLinkToJson(made), token, path: `/portal/shared#${token}` }),
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
          summary: 'Create a link to a dashboard',
          description: `Anybody with the link sees the panels of the dashboard over its own range, and nothing else, for at most ${MAX_LINK_DAYS} days. The link ends when it is revoked, and when its maker may no longer share. The token is shown once.`,
          rights: { of: 'enterprise-in-header', for: MANAGERS },
          body: bodySchema(Type.Object({ days }, closed)),
          result: object({ ...link, token: string, path: string }),
        }),
      },
    )
    .get(
      '/dashboards/:id/links',
      async ({ request, params }) =>
        succeed(request, {
          items: (await listShareLinks(db, await scopeOf(request), params.id)).map(shareLinkToJson),
        }),
      operation({
        summary: 'List links to a dashboard',
        description: 'Returns the links that are neither expired nor revoked, without their tokens.',
        rights: { of: 'enterprise-in-header', for: MANAGERS },
        result: object({ items: list(object(link)) }),
      }),
    )
    .delete(
      '/dashboards/:id/links/:linkId',
      async ({ request, params }) => {
        await revokeShareLink(db, await scopeOf(request), params.id, params.linkId)
        return succeed(request, { id: params.linkId })
      },
      operation({
        summary: 'Revoke a link to a dashboard',
        rights: { of: 'enterprise-in-header', for: MANAGERS },
        result: object({ id: string }),
      }),
    )
}

export type SharedDashboardsDeps = PanelSources & {
  failures: KeyFailures
  windows: RateWindows
  recordBody: BodyLimits
}

const CALLS_PER_MINUTE = 600
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const RANGE_MS: Record<(typeof RANGES)[number], number> = {
  '1h': HOUR_MS,
  '6h': 6 * HOUR_MS,
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
  '1y': 365 * DAY_MS,
}
const shareOperation = operationsOf('Shared dashboards', [{ shareLink: [] }])
const sharedPanelInput = Type.Object({ panelId: Type.String({ maxLength: 40 }), points }, closed)

/** A link reads the panels of its document, over the range and with the variables of the document. */
export function sharedDashboards({ failures, windows, recordBody, ...sources }: SharedDashboardsDeps) {
  async function sharedOf(request: Request): Promise<SharedDocument> {
    const startedMs = performance.now()
    const peer = peerOf(request)
    const token = bearerToken(request.headers)
    const shared = token === undefined ? undefined : await findShared(sources.db, sha256Hex(token))
    if (shared === undefined) return failures.refuse('share-link', peer, startedMs, 'SHARE_LINK_INVALID')
    identify(request, shared.linkId)
    const waitMs = await windows.take(`share:${shared.linkId}`, 1, CALLS_PER_MINUTE, MINUTE_MS)
    if (waitMs > 0) throw new AppError('RATE_LIMITED', { retryAfterS: Math.ceil(waitMs / 1000) })
    return shared
  }
  const known = new WeakMap<Request, SharedDocument>()
  return new Elysia({ name: 'shared-dashboards', prefix: '/shared-dashboard' })
    .onParse(async ({ request }) => {
      known.set(request, await sharedOf(request))
      return readJson(request, mediaTypeOf(request.headers.get('content-type')), recordBody)
    })
    .get(
      '',
      async ({ request }) => {
        const { name, document, expiresMs } = await sharedOf(request)
        return succeed(request, { name, document, expiresAt: new Date(expiresMs).toISOString() })
      },
      shareOperation({
        summary: 'Get a shared dashboard',
        result: object({ name: string, document: ref('DashboardDocument'), expiresAt: dateTime }),
      }),
    )
    .post(
      '/panels',
      async ({ request, body: { panelId, points = DEFAULT_POINTS } }) => {
        const shared = known.get(request) ?? (await sharedOf(request))
        const document = shared.document as DashboardDocument
        const panel = document.panels.find(({ id }) => id === panelId)
        const enterprise = await findEnterpriseRecord(sources.db, shared.enterpriseId)
        if (panel === undefined || enterprise === undefined)
          throw new AppError('NOT_FOUND', { message: fieldText('noSuchPanel') })
        const toMs = Date.now()
        const range = { fromMs: toMs - RANGE_MS[document.range ?? '24h'], toMs }
        const query = { range, points, variables: document.variables ?? {} }
        const data = await panelData(sources, enterpriseFacts(enterprise), panel, query, request.signal)
        return succeed(request, data)
      },
      shareOperation({
        summary: 'Get the data of a panel of a shared dashboard',
        body: bodySchema(sharedPanelInput),
        result: anyObject,
      }),
    )
}
