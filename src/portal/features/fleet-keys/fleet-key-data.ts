/** Fleet keys as the API has them, what waits for approval, and a key that was just made. */
import { signal } from '@preact/signals'
import { api, dataOf, send } from '../../api/client.ts'
import type { components, paths } from '../../api/schema.d.ts'
import { language } from '../../shell/preferences.ts'
import { enterpriseId } from '../../shell/session.ts'
import type { TextKey } from '../../text/catalogue.ts'
import { formatList } from '../../text/format.ts'
import { isolated, t } from '../../text/text.ts'
import { FIXES } from '../sensors/one/refusal-data.ts'

export type FleetKey = components['schemas']['FleetKey']
export type PendingDevice = components['schemas']['PendingSensor']
type Answer = components['schemas']['FleetRefusal']
/** `text` is the message; it and `detail` are in the person's language. */
export type FleetRefusal = Answer & { text: string }

type Body<Path extends keyof paths, Method extends 'post' | 'patch'> =
  paths[Path] extends Record<Method, { requestBody: { content: { 'application/json': infer Content } } }>
    ? Content
    : never
export type FleetKeyInput = Body<'/manage/v1/enterprises/{id}/fleet-keys', 'post'>
export type FleetKeyChange = Body<'/manage/v1/fleet-keys/{id}', 'patch'>
export type Template = NonNullable<FleetKey['template']>

/** As many as a page has at most. A key has at most 1,000 devices that wait, and 1,000 refusals. */
const ALL = 1_000

const owner = (): string => enterpriseId.peek() ?? ''

export const fleetKeyPath = (id: string): string => `/manage/v1/fleet-keys/${encodeURIComponent(id)}`

/** Those in force, and those that were revoked. */
export async function loadFleetKeys(signal: AbortSignal): Promise<FleetKey[]> {
  const params = { path: { id: owner() }, query: { limit: ALL } }
  return (await dataOf(api.GET('/manage/v1/enterprises/{id}/fleet-keys', { params, signal }))).items
}

export const createFleetKey = (body: FleetKeyInput, key: string) =>
  dataOf(
    api.POST('/manage/v1/enterprises/{id}/fleet-keys', {
      params: { path: { id: owner() } },
      headers: { 'idempotency-key': key },
      body,
    }),
  )

export async function loadPending({ id, enterpriseId }: FleetKey, signal: AbortSignal): Promise<PendingDevice[]> {
  const params = { path: { id: enterpriseId }, query: { limit: ALL, fleetKeyId: id } }
  return (await dataOf(api.GET('/manage/v1/enterprises/{id}/pending-sensors', { params, signal }))).items
}

export const approveDevices = (
  { enterpriseId }: FleetKey,
  externalIds: string[],
  template: Template | undefined,
  key: string,
) =>
  dataOf(
    api.POST('/manage/v1/enterprises/{id}/pending-sensors/approve', {
      params: { path: { id: enterpriseId } },
      headers: { 'idempotency-key': key },
      body: { externalIds, ...(template !== undefined && { template }) },
    }),
  )

export const dismissDevices = ({ enterpriseId }: FleetKey, externalIds: string[]) =>
  dataOf(
    api.POST('/manage/v1/enterprises/{id}/pending-sensors/dismiss', {
      params: { path: { id: enterpriseId } },
      body: { externalIds },
    }),
  )

/** Devices that a question names. */
const NAMED = 5

export function namedDevices(externalIds: readonly string[]): string {
  const rest = externalIds.length - NAMED
  const named = externalIds.slice(0, NAMED).map(isolated)
  return formatList(rest > 0 ? [...named, t('fleetKeys.others', { count: rest })] : named)
}

/** Newest first. */
export async function loadFleetRefusals(id: string, signal: AbortSignal, limit = ALL): Promise<FleetRefusal[]> {
  const response = await send(`${fleetKeyPath(id)}/refusals?limit=${limit}`, { signal })
  const { data } = (await response.json()) as { data: { items: Answer[] } }
  const isArabic = language.peek() === 'ar'
  return data.items.map((one) => ({
    ...one,
    text: isArabic ? one.messageAr : one.message,
    detail: isArabic ? one.detailAr : one.detail,
  }))
}

/** The remedy of a refusal that belongs to no sensor. */
export const FLEET_FIXES: Record<string, TextKey> = {
  ...FIXES,
  SENSOR_UNKNOWN: 'fleetKeys.unknownFix',
  SENSOR_PENDING: 'fleetKeys.pendingFix',
  SENSOR_READING_UNREADABLE: 'fleetKeys.unreadableFix',
}

/** The secret that devices should have: the newest one. The earlier ones end after a rotation. */
export const newestSecret = ({ keys }: FleetKey): FleetKey['keys'][number] | undefined => keys.at(-1)

/** `replaces`: the end of the key that stays valid for a while. */
export type MadeKey = { key: string; replaces?: string }

/** Keys that were just made, kept nowhere but in this page's memory. */
const shown = signal<ReadonlyMap<string, MadeKey>>(new Map())

export const madeKeyOf = (fleetKeyId: string): MadeKey | undefined => shown.value.get(fleetKeyId)

export function showKey(fleetKeyId: string, made: MadeKey | undefined): void {
  const others = [...shown.peek()].filter(([id]) => id !== fleetKeyId)
  shown.value = new Map(made === undefined ? others : [...others, [fleetKeyId, made]])
}
