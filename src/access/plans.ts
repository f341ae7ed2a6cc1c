/** Grants of people's plans and enterprises' tiers. An enterprise's own limits override its tier's. */
import type { Enterprise, Tier } from '../stores/postgres/accounts/enterprises.ts'
import type { Owner } from '../stores/postgres/accounts/owners.ts'
import type { Retention } from '../stores/postgres/sensors/retentions.ts'
import { retentionInForce } from '../stores/retention.ts'

/** Lowest first. */
const PLANS = ['free', 'plus', 'pro', 'max'] as const
export type Plan = (typeof PLANS)[number]

/** The plan that an owner's tools run with: the highest plan for an enterprise. */
export const planOf = ({ kind, tier }: Owner): Plan => (kind === 'enterprise' ? 'max' : (tier.name as Plan))

/** @param toolTier the lowest plan that may run the tool; undefined when every plan may */
export const includesTool = (plan: Plan, toolTier: Plan | undefined): boolean =>
  toolTier === undefined || PLANS.indexOf(plan) >= PLANS.indexOf(toolTier)

export const mayRunTool = (owner: Owner, toolTier: Plan | undefined): boolean => includesTool(planOf(owner), toolTier)

export const mayUseToolApis = ({ tier }: Owner): boolean => tier.toolApis

/** Personal keys belong to the plans pro and max. */
export const mayUsePersonalKeys = (plan: string): boolean => includesTool(plan as Plan, 'pro')

export const apiRequestsPerDay = ({ ownApiRequestsPerDay, tier }: Owner): number =>
  ownApiRequestsPerDay ?? tier.apiRequestsPerDay ?? 0

export type EnterpriseLimits = { retentionDays: number; readingsPerDay: number; apiRequestsPerDay: number }

/** Each limit is the enterprise's own, or else its tier's. */
export const limitsOf = (
  enterprise: Enterprise,
  tier: Tier | undefined,
  retention: Retention | null | undefined,
): EnterpriseLimits => ({
  retentionDays: retentionInForce(enterprise.retentionDays ?? tier?.retentionDays ?? 0, retention),
  readingsPerDay: enterprise.readingsPerDay ?? tier?.readingsPerDay ?? 0,
  apiRequestsPerDay: enterprise.apiRequestsPerDay ?? tier?.apiRequestsPerDay ?? 0,
})

export const creditsPerMonth = (enterprise: Enterprise, tier: Tier): number =>
  enterprise.credits ?? tier.creditsPerMonth ?? 0
