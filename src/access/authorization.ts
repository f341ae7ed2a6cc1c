/**
 * Which role may use which route with a session: the only place that decides this. An operator may use every route, and
 * keys have their own rights. The role is the session's role for the owner of the route's subject; without a role, the
 * record is treated as nonexistent.
 */
import type { Role } from './sessions/session.ts'

export type ActingRole = 'operator' | Role | 'person'

/** The owner in relation to whom a route needs a role. */
export type Subject =
  /** None: a role for any owner is enough, and lists contain the records of the session's owners. */
  | 'server'
  /** The owner of the record that the path names; `owner` is an enterprise or a person itself. */
  | 'owner'
  | 'sensor'
  | 'asset'
  | 'member'
  | 'application'
  | 'tool-api'
  | 'invitation'
  /** The account itself; `visitor` for routes without a session too. */
  | 'account'
  | 'visitor'
  /** The owner that `?owner=` names. */
  | 'owner-in-query'
  /** The enterprise that `X-Enterprise` names. */
  | 'enterprise-in-header'
  /** As `enterprise-in-header`; without the header, the person itself. */
  | 'owner-in-header'

export type Rule = {
  of: Subject
  /** The roles that may use the route, besides the operator. */
  for: readonly Exclude<ActingRole, 'operator'>[]
  /** Fields of the body that only the operator may set. */
  operatorFields?: readonly string[]
  /** The body's `ownerId` names the new owner, for whom the caller needs the same rights. */
  transfers?: true
  /** Owners of an enterprise are made, changed and removed by owners only. */
  guardsOwners?: true
  /** Allowed even while the owner is suspended. */
  whileSuspended?: true
  /**
   * For routes that pages link to: links, images and document viewers cannot send a header, so `?enterprise=` may name
   * the enterprise instead of `X-Enterprise`, in requests of pages of this server only.
   */
  linked?: true
}

const NOBODY = [] as const
const OWNERS = ['owner'] as const
const MANAGERS = ['owner', 'admin'] as const
const STAFF = ['owner', 'admin', 'member'] as const
const THEMSELVES = ['person'] as const
/** Full exports contain all data, including the runs of other members. */
const OWNERS_AND_PEOPLE = [...OWNERS, ...THEMSELVES] as const
/** Roles that manage, and roles that read, records that people can own too. */
const KEEPERS = [...MANAGERS, 'person'] as const
const READERS = [...STAFF, 'person'] as const

const HOLD = ['held', 'heldReason'] as const
const ENTERPRISE_LIMITS = ['retentionDays', 'readingsPerDay', 'apiRequestsPerDay', 'credits', 'storedMb', 'storedDays']
const MANAGE = '/manage/v1'
const OWNED = '/manage/v1/owners/:ownerId'
const ASSETS = '/enterprise/v1/assets'
const GIS = '/enterprise/v1/gis'

/** Each tool has its own route; one rule covers all of them. */
export const TOOL_ROUTE = `POST ${GIS}/{tool}`

const RULES: Readonly<Record<string, Rule>> = {
  [`GET ${MANAGE}/tiers`]: { of: 'server', for: READERS },
  [`PATCH ${MANAGE}/tiers/:name`]: { of: 'server', for: NOBODY },
  [`GET ${MANAGE}/tool-api-tools`]: { of: 'server', for: READERS },
  [`GET ${MANAGE}/audit`]: { of: 'owner-in-query', for: KEEPERS },
  [`GET ${MANAGE}/audit/actors`]: { of: 'owner-in-query', for: KEEPERS },
  [`GET ${MANAGE}/audit/export`]: { of: 'owner-in-query', for: KEEPERS },

  [`POST ${MANAGE}/enterprises`]: { of: 'server', for: NOBODY },
  [`GET ${MANAGE}/enterprises`]: { of: 'server', for: READERS },
  [`GET ${MANAGE}/enterprises/:id`]: { of: 'owner', for: STAFF, whileSuspended: true },
  [`PATCH ${MANAGE}/enterprises/:id`]: {
    of: 'owner',
    for: MANAGERS,
    operatorFields: ['tier', 'status', 'assetsHeld', 'heldReason', ...ENTERPRISE_LIMITS],
  },
  [`DELETE ${MANAGE}/enterprises/:id`]: { of: 'owner', for: OWNERS },
  [`GET ${MANAGE}/enterprises/:id/belongings`]: { of: 'owner', for: OWNERS },

  [`POST ${MANAGE}/enterprises/:id/members`]: { of: 'owner', for: MANAGERS, guardsOwners: true },
  [`GET ${MANAGE}/enterprises/:id/members`]: { of: 'owner', for: MANAGERS },
  [`GET ${MANAGE}/members/:id`]: { of: 'member', for: MANAGERS },
  [`PATCH ${MANAGE}/members/:id`]: { of: 'member', for: MANAGERS, guardsOwners: true },
  [`DELETE ${MANAGE}/members/:id`]: { of: 'member', for: MANAGERS, guardsOwners: true },

  [`POST ${MANAGE}/enterprises/:id/invitations`]: { of: 'owner', for: MANAGERS, guardsOwners: true },
  [`GET ${MANAGE}/enterprises/:id/invitations`]: { of: 'owner', for: MANAGERS },
  [`DELETE ${MANAGE}/invitations/:id`]: { of: 'invitation', for: MANAGERS, guardsOwners: true },
  // for accounts without other rights (surfaces/manage/invitations.ts)
  [`POST ${MANAGE}/members/:id/reset-link`]: { of: 'member', for: MANAGERS, guardsOwners: true },
  [`POST ${MANAGE}/operators/invitations`]: { of: 'server', for: NOBODY },
  [`GET ${MANAGE}/operators/invitations`]: { of: 'server', for: NOBODY },
  [`DELETE ${MANAGE}/operators/invitations/:id`]: { of: 'server', for: NOBODY },
  [`GET ${MANAGE}/operators`]: { of: 'server', for: NOBODY },
  [`DELETE ${MANAGE}/operators/:id`]: { of: 'server', for: NOBODY },
  [`GET ${MANAGE}/operators/tokens`]: { of: 'server', for: NOBODY },
  [`POST ${MANAGE}/operators/tokens`]: { of: 'server', for: NOBODY },
  [`DELETE ${MANAGE}/operators/tokens/:id`]: { of: 'server', for: NOBODY },
  [`GET ${MANAGE}/operators/token-reminders`]: { of: 'server', for: NOBODY },
  [`GET ${MANAGE}/operator/enterprises`]: { of: 'server', for: NOBODY },
  [`GET ${MANAGE}/operator/enterprises/:id`]: { of: 'server', for: NOBODY },
  [`GET ${MANAGE}/operator/people`]: { of: 'server', for: NOBODY },
  [`GET ${MANAGE}/operator/health`]: { of: 'server', for: NOBODY },
  [`GET ${MANAGE}/operator/health/events`]: { of: 'server', for: NOBODY },
  [`GET ${MANAGE}/operator/health/samples`]: { of: 'server', for: NOBODY },
  [`GET ${MANAGE}/operator/jobs`]: { of: 'server', for: NOBODY },
  [`DELETE ${MANAGE}/operator/jobs/:id`]: { of: 'server', for: NOBODY },

  [`POST ${MANAGE}/enterprises/:id/applications`]: { of: 'owner', for: MANAGERS },
  [`GET ${MANAGE}/enterprises/:id/applications`]: { of: 'owner', for: MANAGERS },
  [`GET ${MANAGE}/applications/:id`]: { of: 'application', for: MANAGERS },
  [`PATCH ${MANAGE}/applications/:id`]: { of: 'application', for: MANAGERS },
  [`DELETE ${MANAGE}/applications/:id`]: { of: 'application', for: MANAGERS },
  [`GET ${MANAGE}/applications/:id/usage`]: { of: 'application', for: MANAGERS },
  [`POST ${MANAGE}/applications/:id/keys`]: { of: 'application', for: MANAGERS },
  [`GET ${MANAGE}/applications/:id/keys`]: { of: 'application', for: MANAGERS },
  [`DELETE ${MANAGE}/applications/:id/keys/:keyId`]: { of: 'application', for: MANAGERS },

  [`POST ${MANAGE}/people`]: { of: 'server', for: NOBODY },
  [`GET ${MANAGE}/people`]: { of: 'server', for: NOBODY },
  [`GET ${MANAGE}/people/:id`]: { of: 'owner', for: THEMSELVES },
  [`POST ${MANAGE}/people/:id/links`]: { of: 'owner', for: NOBODY },
  [`GET ${MANAGE}/people/:id/links`]: { of: 'owner', for: NOBODY },
  [`PATCH ${MANAGE}/people/:id`]: { of: 'owner', for: NOBODY },
  [`DELETE ${MANAGE}/people/:id`]: { of: 'owner', for: NOBODY },

  [`POST ${MANAGE}/enterprises/:id/sensors`]: { of: 'owner', for: MANAGERS },
  [`GET ${MANAGE}/enterprises/:id/sensors`]: { of: 'owner', for: STAFF },
  [`GET ${MANAGE}/sensors/:id`]: { of: 'sensor', for: STAFF },
  [`PATCH ${MANAGE}/sensors/:id`]: { of: 'sensor', for: MANAGERS, operatorFields: HOLD },
  [`DELETE ${MANAGE}/sensors/:id`]: { of: 'sensor', for: MANAGERS },
  [`POST ${MANAGE}/sensors/:id/keys`]: { of: 'sensor', for: MANAGERS },
  [`GET ${MANAGE}/sensors/:id/keys`]: { of: 'sensor', for: STAFF },
  [`DELETE ${MANAGE}/sensors/:id/keys/:keyId`]: { of: 'sensor', for: MANAGERS },
  [`DELETE ${MANAGE}/sensors/:id/readings`]: { of: 'sensor', for: MANAGERS },
  [`GET ${MANAGE}/sensors/:id/deletions`]: { of: 'sensor', for: STAFF },
  [`GET ${MANAGE}/sensors/:id/deletions/preview`]: { of: 'sensor', for: MANAGERS },
  [`GET ${MANAGE}/sensors/:id/deletions/:deletionId`]: { of: 'sensor', for: STAFF },
  [`POST ${MANAGE}/enterprises/:id/assets`]: { of: 'owner', for: MANAGERS },
  [`GET ${MANAGE}/enterprises/:id/assets`]: { of: 'owner', for: STAFF },
  [`GET ${MANAGE}/assets/:id`]: { of: 'asset', for: STAFF },
  [`PATCH ${MANAGE}/assets/:id`]: { of: 'asset', for: MANAGERS },
  [`DELETE ${MANAGE}/assets/:id`]: { of: 'asset', for: MANAGERS },

  [`POST ${OWNED}/layers`]: { of: 'owner', for: KEEPERS },
  [`POST ${OWNED}/layers/from-file`]: { of: 'owner', for: KEEPERS },
  [`GET ${OWNED}/layers`]: { of: 'owner', for: READERS },
  [`GET ${OWNED}/layers/:id`]: { of: 'owner', for: READERS },
  [`PATCH ${OWNED}/layers/:id`]: { of: 'owner', for: KEEPERS, transfers: true },
  [`DELETE ${OWNED}/layers/:id`]: { of: 'owner', for: KEEPERS },
  [`GET ${OWNED}/layers/:id/features`]: { of: 'owner', for: READERS },
  [`PUT ${OWNED}/layers/:id/features`]: { of: 'owner', for: KEEPERS },
  [`PATCH ${OWNED}/layers/:id/features`]: { of: 'owner', for: KEEPERS },
  [`GET ${OWNED}/layers/:id/uses`]: { of: 'owner', for: KEEPERS },
  [`GET ${OWNED}/files/:id/uses`]: { of: 'owner', for: KEEPERS },
  [`GET ${OWNED}/layers/:id/export`]: { of: 'owner', for: READERS },
  [`GET ${OWNED}/layers/:id/versions`]: { of: 'owner', for: READERS },
  [`DELETE ${OWNED}/layers/:id/versions`]: { of: 'owner', for: KEEPERS },
  [`GET ${OWNED}/layers/:id/versions/compare`]: { of: 'owner', for: READERS },
  [`GET ${OWNED}/layers/:id/versions/:version/features`]: { of: 'owner', for: READERS },
  [`POST ${OWNED}/layers/:id/versions/:version/restore`]: { of: 'owner', for: KEEPERS },
  [`GET ${OWNED}/layers/:id/features/:featureId`]: { of: 'owner', for: READERS },
  [`PUT ${OWNED}/layers/:id/features/:featureId`]: { of: 'owner', for: KEEPERS },
  [`DELETE ${OWNED}/layers/:id/features/:featureId`]: { of: 'owner', for: KEEPERS },

  [`POST ${OWNED}/files`]: { of: 'owner', for: KEEPERS },
  [`GET ${OWNED}/files`]: { of: 'owner', for: READERS },
  [`GET ${OWNED}/files/:id`]: { of: 'owner', for: READERS },
  // the scan's result protects callers of Tool APIs and people who download
  [`PATCH ${OWNED}/files/:id`]: { of: 'owner', for: KEEPERS, transfers: true, operatorFields: ['scanStatus'] },
  [`DELETE ${OWNED}/files/:id`]: { of: 'owner', for: KEEPERS },
  [`POST ${OWNED}/files/:id/versions`]: { of: 'owner', for: KEEPERS },
  [`GET ${OWNED}/files/:id/versions`]: { of: 'owner', for: READERS },
  [`GET ${OWNED}/files/:id/versions/:version`]: { of: 'owner', for: READERS },
  [`PATCH ${OWNED}/files/:id/versions/:version`]: { of: 'owner', for: NOBODY },
  [`DELETE ${OWNED}/files/:id/versions/:version`]: { of: 'owner', for: KEEPERS },
  [`GET ${OWNED}/files/:id/versions/:version/content`]: { of: 'owner', for: READERS },

  [`POST ${OWNED}/exports`]: { of: 'owner', for: OWNERS_AND_PEOPLE },
  [`GET ${OWNED}/exports`]: { of: 'owner', for: OWNERS_AND_PEOPLE },
  [`GET ${OWNED}/exports/:id`]: { of: 'owner', for: OWNERS_AND_PEOPLE },
  [`GET ${OWNED}/exports/:id/content`]: { of: 'owner', for: OWNERS_AND_PEOPLE },
  [`DELETE ${OWNED}/exports/:id`]: { of: 'owner', for: OWNERS_AND_PEOPLE },

  [`POST ${OWNED}/tool-apis`]: { of: 'owner', for: KEEPERS },
  [`GET ${OWNED}/tool-apis`]: { of: 'owner', for: KEEPERS },
  [`POST ${OWNED}/tool-api-previews`]: { of: 'owner', for: KEEPERS },
  [`GET ${OWNED}/key-reminders`]: { of: 'owner', for: KEEPERS },
  [`GET ${OWNED}/usage`]: { of: 'owner', for: KEEPERS },
  [`GET ${OWNED}/usage/daily`]: { of: 'owner', for: KEEPERS },
  [`GET ${MANAGE}/tool-apis/:id`]: { of: 'tool-api', for: KEEPERS },
  [`PATCH ${MANAGE}/tool-apis/:id`]: { of: 'tool-api', for: KEEPERS, operatorFields: HOLD },
  [`DELETE ${MANAGE}/tool-apis/:id`]: { of: 'tool-api', for: KEEPERS },
  [`GET ${MANAGE}/tool-apis/:id/usage`]: { of: 'tool-api', for: KEEPERS },
  [`GET ${MANAGE}/tool-apis/:id/statistics`]: { of: 'tool-api', for: KEEPERS },
  [`POST ${MANAGE}/tool-apis/:id/try`]: { of: 'tool-api', for: KEEPERS },
  [`POST ${MANAGE}/tool-apis/:id/keys`]: { of: 'tool-api', for: KEEPERS },
  [`GET ${MANAGE}/tool-apis/:id/keys`]: { of: 'tool-api', for: KEEPERS },
  [`DELETE ${MANAGE}/tool-apis/:id/keys/:keyId`]: { of: 'tool-api', for: KEEPERS },

  [`GET ${ASSETS}/sensors`]: { of: 'enterprise-in-header', for: STAFF },
  [`GET ${ASSETS}/sensors/states`]: { of: 'enterprise-in-header', for: STAFF },
  [`GET ${ASSETS}/crs`]: { of: 'enterprise-in-header', for: STAFF },
  [`GET ${ASSETS}/crs/:code`]: { of: 'enterprise-in-header', for: STAFF },
  [`GET ${ASSETS}/tags`]: { of: 'enterprise-in-header', for: STAFF },
  [`POST ${ASSETS}/sensors/:id/readings`]: { of: 'enterprise-in-header', for: MANAGERS },
  [`GET ${ASSETS}/sensors/:id/refusals`]: { of: 'enterprise-in-header', for: STAFF },
  [`GET ${ASSETS}/stream`]: { of: 'enterprise-in-header', for: STAFF },
  [`GET ${ASSETS}/events`]: { of: 'enterprise-in-header', for: STAFF },
  [`GET ${ASSETS}/sensors/:id/readings`]: { of: 'enterprise-in-header', for: STAFF },
  [`GET ${ASSETS}/sensors/:id/latest`]: { of: 'enterprise-in-header', for: STAFF },
  [`GET ${ASSETS}/sensors/:id/series`]: { of: 'enterprise-in-header', for: STAFF },
  [`GET ${ASSETS}/latest`]: { of: 'enterprise-in-header', for: STAFF },
  [`GET ${ASSETS}/series`]: { of: 'enterprise-in-header', for: STAFF },
  [`GET ${ASSETS}/tracks/:sensorId`]: { of: 'enterprise-in-header', for: STAFF },
  [`GET ${ASSETS}/live`]: { of: 'enterprise-in-header', for: STAFF },
  [`GET ${ASSETS}/live/stream`]: { of: 'enterprise-in-header', for: STAFF },
  [`POST ${ASSETS}/inside`]: { of: 'enterprise-in-header', for: STAFF },
  [`GET ${ASSETS}/export`]: { of: 'enterprise-in-header', for: STAFF, linked: true },
  [`POST ${ASSETS}/rules`]: { of: 'enterprise-in-header', for: MANAGERS },
  [`GET ${ASSETS}/rules`]: { of: 'enterprise-in-header', for: STAFF },
  [`GET ${ASSETS}/rules/:id`]: { of: 'enterprise-in-header', for: STAFF },
  [`PATCH ${ASSETS}/rules/:id`]: { of: 'enterprise-in-header', for: MANAGERS },
  [`DELETE ${ASSETS}/rules/:id`]: { of: 'enterprise-in-header', for: MANAGERS },
  [`GET ${ASSETS}/rules/:id/events`]: { of: 'enterprise-in-header', for: STAFF },

  // a member sees only the jobs, runs and files of their own calls (access/organization.ts)
  [TOOL_ROUTE]: { of: 'owner-in-header', for: READERS },
  [`GET ${GIS}/processes`]: { of: 'owner-in-header', for: READERS },
  [`GET ${GIS}/processes/:id`]: { of: 'owner-in-header', for: READERS },
  [`GET ${GIS}/jobs`]: { of: 'owner-in-header', for: READERS },
  [`GET ${GIS}/jobs/:id`]: { of: 'owner-in-header', for: READERS },
  [`DELETE ${GIS}/jobs/:id`]: { of: 'owner-in-header', for: READERS },
  [`GET ${GIS}/jobs/:id/results`]: { of: 'owner-in-header', for: READERS },
  [`GET ${GIS}/runs`]: { of: 'owner-in-header', for: READERS },
  [`GET ${GIS}/run-folders`]: { of: 'owner-in-header', for: READERS },
  [`GET ${GIS}/runs/:id`]: { of: 'owner-in-header', for: READERS },
  [`PATCH ${GIS}/runs/:id`]: { of: 'owner-in-header', for: READERS },
  [`GET ${GIS}/runs/:id/result`]: { of: 'owner-in-header', for: READERS },
  [`GET ${GIS}/runs/:id/artifacts/:artifactId`]: { of: 'owner-in-header', for: READERS, linked: true },
  [`GET ${GIS}/files/:key`]: { of: 'owner-in-header', for: READERS, linked: true },
  [`DELETE ${GIS}/files/:key`]: { of: 'owner-in-header', for: READERS },
  [`OPTIONS ${GIS}/uploads`]: { of: 'visitor', for: READERS },
  [`OPTIONS ${GIS}/uploads/:id`]: { of: 'visitor', for: READERS },
  [`POST ${GIS}/uploads`]: { of: 'owner-in-header', for: READERS },
  [`GET ${GIS}/uploads`]: { of: 'owner-in-header', for: READERS },
  [`GET ${GIS}/uploads/:id`]: { of: 'owner-in-header', for: READERS },
  [`PATCH ${GIS}/uploads/:id`]: { of: 'owner-in-header', for: READERS },
  [`DELETE ${GIS}/uploads/:id`]: { of: 'owner-in-header', for: READERS },

  'GET /auth/session': { of: 'visitor', for: READERS },
  'POST /auth/sign-in': { of: 'visitor', for: READERS },
  'POST /auth/reset-links': { of: 'visitor', for: READERS },
  'POST /auth/sign-up': { of: 'visitor', for: READERS },
  'GET /auth/oidc': { of: 'visitor', for: READERS },
  'GET /auth/callback/oidc': { of: 'visitor', for: READERS },
  'POST /auth/links/open': { of: 'visitor', for: READERS },
  'POST /auth/links/use': { of: 'visitor', for: READERS },
  'POST /auth/sign-out': { of: 'account', for: READERS },
  'POST /auth/sign-out-everywhere': { of: 'account', for: READERS },
  'GET /auth/sessions': { of: 'account', for: READERS },
  'DELETE /auth/sessions/:id': { of: 'account', for: READERS },
  'PATCH /auth/account': { of: 'account', for: READERS },
  'POST /auth/password': { of: 'account', for: READERS },
}

/** Undefined for a route that is not in the table, which nobody may use. */
export const ruleOf = (method: string, route: string): Rule | undefined =>
  RULES[`${method === 'HEAD' ? 'GET' : method} ${route}`]
