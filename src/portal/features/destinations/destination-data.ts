/** Destinations of events as the API has them, and what their pages read from them. */
import { api, dataOf } from '../../api/client.ts'
import type { components, paths } from '../../api/schema.d.ts'
import { destinationsChanged } from '../../shell/destination-alarm.tsx'
import { enterpriseId } from '../../shell/session.ts'
import { formatDuration, formatList } from '../../text/format.ts'
import { t } from '../../text/text.ts'

export type Destination = components['schemas']['Destination']
export type Delivery = components['schemas']['Delivery']
export type EventType = Destination['events'][number]
export type Format = NonNullable<Destination['format']>
export type Kind = Destination['kind']
export type Status = Delivery['status']

export const FORMATS = ['standard', 'slack', 'teams', 'pagerduty'] as const satisfies readonly Format[]
export const STATUSES = ['pending', 'delivered', 'failed', 'replaced'] as const satisfies readonly Status[]

/** In the order of the form. */
export const EVENT_GROUPS: { id: 'alerts' | 'sensors' | 'tools' | 'enterprise'; types: readonly EventType[] }[] = [
  { id: 'alerts', types: ['alert.firing', 'alert.resolved'] },
  { id: 'sensors', types: ['sensor.state', 'zone.entered', 'zone.left', 'zone.dwelled'] },
  { id: 'tools', types: ['job.finished', 'run.failed', 'tool-api.held', 'tool-api.refusing'] },
  { id: 'enterprise', types: ['credits.low', 'key.expiring', 'destination.disabled'] },
]

/** The kind of a destination, and of a webhook its form. */
export const formName = ({ format }: Destination): string =>
  format === null ? t('destinations.kinds.email') : t(`destinations.formats.${format}`)
export const targetOf = ({ url, to }: Destination): string => url ?? formatList(to)

/** What the log has beside the types that can be chosen. */
const OTHERS = ['destination.test', 'group'] as const

export function eventName(type: string): string {
  const known = [...EVENT_GROUPS.flatMap(({ types }) => types), ...OTHERS].find((one) => one === type)
  return known === undefined ? type : t(`destinations.events.${known}`)
}

/** An enterprise has at most 50. */
const ALL = 50

const owner = (): string => enterpriseId.peek() ?? ''
const pathOf = (destinationId: string) => ({ path: { id: owner(), destinationId } })

export const destinationPath = (id: string): string =>
  `/manage/v1/enterprises/${encodeURIComponent(owner())}/destinations/${encodeURIComponent(id)}`

export const loadDestinations = async (signal: AbortSignal): Promise<Destination[]> =>
  (
    await dataOf(
      api.GET('/manage/v1/enterprises/{id}/destinations', {
        params: { path: { id: owner() }, query: { limit: ALL } },
        signal,
      }),
    )
  ).items

type Body<Path extends keyof paths, Method extends 'post' | 'patch'> =
  paths[Path] extends Record<Method, { requestBody: { content: { 'application/json': infer Content } } }>
    ? Content
    : never
export type DestinationInput = Body<'/manage/v1/enterprises/{id}/destinations', 'post'>
export type DestinationChange = Body<'/manage/v1/enterprises/{id}/destinations/{destinationId}', 'patch'>

export async function createDestination(body: DestinationInput, key: string) {
  const made = await dataOf(
    api.POST('/manage/v1/enterprises/{id}/destinations', {
      params: { path: { id: owner() } },
      headers: { 'idempotency-key': key },
      body,
    }),
  )
  destinationsChanged.value++
  return made
}

export const rotateSecret = (id: string) =>
  dataOf(api.POST('/manage/v1/enterprises/{id}/destinations/{destinationId}/secrets', { params: pathOf(id) }))

export const sendTest = (id: string): Promise<Delivery> =>
  dataOf(api.POST('/manage/v1/enterprises/{id}/destinations/{destinationId}/test', { params: pathOf(id) }))

export type Replay = { from: string; to: string; failedOnly: boolean }

/** @returns how many events are sent again */
export const replayEvents = async (id: string, body: Replay, key: string): Promise<number> =>
  (
    await dataOf(
      api.POST('/manage/v1/enterprises/{id}/destinations/{destinationId}/replay', {
        params: pathOf(id),
        headers: { 'idempotency-key': key },
        body,
      }),
    )
  ).deliveries

const SHOWN_DELIVERIES = 50

export type LogQuery = { status: Status | undefined; cursor: string | undefined }

export const loadDeliveries = (id: string, { status, cursor }: LogQuery, signal: AbortSignal) =>
  dataOf(
    api.GET('/manage/v1/enterprises/{id}/destinations/{destinationId}/deliveries', {
      params: {
        ...pathOf(id),
        query: { limit: SHOWN_DELIVERIES, ...(status && { status }), ...(cursor !== undefined && { cursor }) },
      },
      signal,
    }),
  )

const deliveryAt = (destinationId: string, deliveryId: string) => ({ path: { id: owner(), destinationId, deliveryId } })

export const loadDelivery = (id: string, deliveryId: string, signal: AbortSignal): Promise<Delivery> =>
  dataOf(
    api.GET('/manage/v1/enterprises/{id}/destinations/{destinationId}/deliveries/{deliveryId}', {
      params: deliveryAt(id, deliveryId),
      signal,
    }),
  )

export const resend = (id: string, deliveryId: string): Promise<Delivery> =>
  dataOf(
    api.POST('/manage/v1/enterprises/{id}/destinations/{destinationId}/deliveries/{deliveryId}/resend', {
      params: deliveryAt(id, deliveryId),
    }),
  )

/** From worst to best. */
export const HEALTH = ['disabled', 'gone', 'failing', 'owner', 'fresh', 'well'] as const
export type Health = (typeof HEALTH)[number]

export function healthOf({ disabledReason, health }: Destination): Health {
  if (disabledReason !== null) return disabledReason === 'failing' ? 'disabled' : disabledReason
  if (health.failingSince !== null) return 'failing'
  return health.lastSuccessAt === null ? 'fresh' : 'well'
}

const FAILURES = [
  'target',
  'unreachable',
  'refused',
  'certificate-expired',
  'certificate-name',
  'certificate-untrusted',
  'tls',
  'reset',
  'no-answer',
  'not-http',
  'timeout',
  'internal',
  'removed',
  'unsubscribed',
  'sign-in',
] as const

/** How the last attempt ended, in a few words. */
export function answerOf({ statusCode, failure, durationMs }: Delivery): string {
  const time = formatDuration(durationMs ?? 0)
  if (statusCode !== null) return t('destinations.answerIn', { status: String(statusCode), time })
  if (failure === null) return t('destinations.noAttempt')
  const known = FAILURES.find((one) => one === failure) ?? 'unknown'
  return t('destinations.failureIn', { failure: t(`destinations.failures.${known}`), time })
}
