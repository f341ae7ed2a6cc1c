/** The words of the audit log: actors, actions and kinds of records. */
import type { components } from '../../../api/schema.d.ts'
import { pagePaths } from '../../../shell/page-paths.ts'
import { href } from '../../../shell/router.ts'
import { t } from '../../../text/text.ts'

export type Entry = components['schemas']['AuditRecord']

export const ACTIONS = [
  'create',
  'update',
  'delete',
  'revoke',
  'download',
  'view',
  'upload',
  'refuse',
  'sign-in',
  'sign-out',
  'use',
  'read-again',
] as const
export type Action = (typeof ACTIONS)[number]

/** Kinds that belong to an owner. */
export const KINDS = [
  'sensor',
  'sensor-key',
  'fleet-key',
  'fleet-key-secret',
  'pending-sensors',
  'asset',
  'zone-rule',
  'dashboard',
  'view',
  'recipe',
  'share-link',
  'note',
  'alert',
  'alert-silence',
  'destination',
  'layer',
  'file',
  'file-version',
  'stored-file',
  'run',
  'upload',
  'readings',
  'data-export',
  'job',
  'tool-api',
  'tool-api-key',
  'personal-key',
  'application',
  'application-key',
  'enterprise',
  'member',
  'person',
  'one-time-link',
  'audit',
] as const
/** Kinds of the server and of accounts, which the operator sees. */
const OTHER_KINDS = ['tier', 'operator-token', 'account', 'password', 'sign-in'] as const
export type Kind = (typeof KINDS)[number]

export const actionName = (action: string): string => {
  const known = ACTIONS.find((one) => one === action)
  return known === undefined ? action : t(`audit.actions.${known}`)
}
export const kindName = (kind: string): string => {
  const known = [...KINDS, ...OTHER_KINDS].find((one) => one === kind)
  return known === undefined ? kind : t(`audit.kinds.${known}`)
}

const ROLES = ['operator', 'owner', 'admin', 'member', 'person', 'account', 'scanner', 'system'] as const

/** An account is called by role and address, an application by its id. */
export function actorParts(actor: string): { who: string; role: string | undefined } {
  const space = actor.indexOf(' ')
  const role = ROLES.find((one) => one === (space < 0 ? actor : actor.slice(0, space)))
  if (role === undefined) return { who: actor, role: undefined }
  return { who: space < 0 ? '' : actor.slice(space + 1), role: t(`audit.roles.${role}`) }
}

/** Pages of records, and the field that names the record where the change is of one of its parts. */
const PAGES: Partial<Record<string, { route: string; field?: string }>> = {
  sensor: { route: '/sensors/:id' },
  'sensor-key': { route: '/sensors/:id', field: 'sensorId' },
  'zone-rule': { route: '/rules/:id' },
  dashboard: { route: '/dashboards/:id' },
  application: { route: '/settings/applications/:id' },
  destination: { route: '/settings/destinations/:id' },
  'fleet-key': { route: '/settings/fleet-keys/:id' },
  'fleet-key-secret': { route: '/settings/fleet-keys/:id', field: 'fleetKeyId' },
  'application-key': { route: '/settings/applications/:id', field: 'applicationId' },
  'tool-api': { route: '/tool-apis/:id' },
  'tool-api-key': { route: '/tool-apis/:id', field: 'toolApiId' },
  layer: { route: '/data/layers/:id' },
  file: { route: '/data/files/:id' },
  run: { route: '/runs/:id' },
  enterprise: { route: '/settings/enterprise' },
  member: { route: '/settings/members' },
}

/** The page of the record; undefined for one that was deleted, or that has no page. */
export function recordHref({ action, subjectKind, subjectId, before, after }: Entry): string | undefined {
  const page = PAGES[subjectKind]
  if (page === undefined || action === 'delete' || !pagePaths.has(page.route)) return undefined
  const id = page.field === undefined ? subjectId : ({ ...before, ...after } as Record<string, unknown>)[page.field]
  return typeof id === 'string' ? href(page.route, { id }) : undefined
}

const FIELDS = [
  'name',
  'folder',
  'url',
  'events',
  'minSeverity',
  'groupSeconds',
  'repeatSeconds',
  'ruleIds',
  'headerNames',
  'disabledReason',
  'email',
  'role',
  'status',
  'tier',
  'plan',
  'enabled',
  'held',
  'heldReason',
  'suspendedReason',
  'assetsHeld',
  'tags',
  'externalId',
  'externalIds',
  'lastEvent',
  'autoCreate',
  'template',
  'sensorTag',
  'sensor',
  'channelNames',
  'channelTags',
  'unknownChannels',
  'fleetKeyId',
  'channels',
  'keys',
  'tools',
  'assets',
  'assetName',
  'retentionDays',
  'readingsPerDay',
  'apiRequestsPerDay',
  'credits',
  'storedMb',
  'storedDays',
  'filename',
  'bytes',
  'version',
  'unit',
  'createdAt',
  'expiresAt',
  'lastUsedAt',
  'revokedAt',
  'lastFour',
  'featureCount',
  'settings',
  'rule',
  'id',
  'publicKey',
  'scanStatus',
  'scanReason',
  'scannedAt',
  'kind',
  'sensorIds',
  'note',
  'severity',
  'schedule',
  'definition',
  'allSensors',
  'layerId',
  'event',
  'binding',
  'toolId',
  'measurement',
  'active',
  'fields',
  'changedBy',
  'createdBy',
  'enterpriseId',
  'ownerId',
  'personId',
  'accountId',
  'applicationId',
  'sensorId',
  'assetId',
  'fileId',
  'runId',
  'usedAt',
  'toolApiId',
  'dimensions',
  'referenceFields',
  'since',
  'mailedOnly',
  'memberId',
  'makerRole',
  'makerId',
  'makerTokenId',
  'count',
  'calls',
  'accepted',
  'duplicates',
  'refused',
  'from',
  'to',
  'refill',
  'format',
  'by',
  'isOperator',
  'requestedBy',
  'creditsPerMonth',
  'toolApis',
  'jobId',
  'key',
] as const

export const fieldName = (field: string): string => {
  const known = FIELDS.find((one) => one === field)
  return known === undefined ? field : t(`audit.fields.${known}`)
}
