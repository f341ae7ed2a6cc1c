/**
 * What a route can declare about its rights: which roles may use it with a session. The table of all routes is derived
 * from the declarations. An operator may use every route, and keys have their own rights. The role is the session's role
 * for the owner of the route's subject; without a role, the record is treated as nonexistent.
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
  | 'fleet-key'
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
  /** Takes the personal keys of people, who have the role `person`. */
  personalKeys?: true
  /** Allowed even while the owner is suspended. */
  whileSuspended?: true
  /**
   * For routes that pages link to: links, images and document viewers cannot send a header, so `?enterprise=` may name
   * the enterprise instead of `X-Enterprise`, in requests of pages of this server only.
   */
  linked?: true
}

/** What every route that a session can use declares. */
export type Guarded = { rights: Rule }

export const NOBODY = [] as const
export const OWNERS = ['owner'] as const
export const MANAGERS = ['owner', 'admin'] as const
export const STAFF = ['owner', 'admin', 'member'] as const
export const THEMSELVES = ['person'] as const
/** Full exports contain all data, including the runs of other members. */
export const OWNERS_AND_PEOPLE = [...OWNERS, ...THEMSELVES] as const
/** Roles that manage, and roles that read, records that people can own too. */
export const KEEPERS = [...MANAGERS, 'person'] as const
export const READERS = [...STAFF, 'person'] as const

/** For making links, and for using them: link-rights.ts checks the maker again when a link is used. */
export const INVITES_MEMBERS: Rule = { of: 'owner', for: MANAGERS, guardsOwners: true }
export const RESETS_MEMBERS: Rule = { of: 'member', for: MANAGERS, guardsOwners: true }

/** The rule of a route, by its method and its path as declared. Undefined for a route that nobody may use. */
export type RuleOf = (method: string, route: string) => Rule | undefined

type DeclaredRoute = { method: string; path: string; hooks: { detail?: { rights?: Rule } } }

/** The rules that routes declare. A route without a rule is open to no session. */
export function rulesOf(routes: readonly DeclaredRoute[]): RuleOf {
  const rules = new Map(routes.map(({ method, path, hooks }) => [`${method} ${path}`, hooks.detail?.rights]))
  return (method, route) =>
    rules.get(`${method} ${route}`) ?? (method === 'HEAD' ? rules.get(`GET ${route}`) : undefined)
}

/** The rules of an application, for parts that are opened before its routes are declared. */
export type RouteRules = { of: RuleOf; declare(routes: readonly DeclaredRoute[]): void }

export function createRouteRules(): RouteRules {
  let declared: RuleOf = () => undefined
  return {
    of: (method, route) => declared(method, route),
    declare(routes) {
      declared = rulesOf(routes)
    },
  }
}
