/** What plans of people and tiers of enterprises grant. An enterprise's own limits replace those of its tier. */
import type { Database } from '../stores/postgres/client.ts'
import { type Enterprise, listEnterprisesWithTiers, type Tier } from '../stores/postgres/enterprises.ts'
import type { Owner } from '../stores/postgres/owners.ts'

/** Lowest first. */
const PLANS = ['free', 'plus', 'pro', 'max'] as const
export type Plan = (typeof PLANS)[number]

/** The plan that an owner's tools run with: an enterprise has what the highest plan has. */
export const planOf = ({ kind, tier }: Owner): Plan => (kind === 'enterprise' ? 'max' : (tier.name as Plan))

/** @param toolTier the lowest plan that may run the tool; undefined when every plan may */
export const mayRunTool = (owner: Owner, toolTier: Plan | undefined): boolean =>
  toolTier === undefined || PLANS.indexOf(planOf(owner)) >= PLANS.indexOf(toolTier)

export const mayUseToolApis = ({ tier }: Owner): boolean => tier.toolApis

export const apiRequestsPerDay = ({ ownApiRequestsPerDay, tier }: Owner): number =>
  ownApiRequestsPerDay ?? tier.apiRequestsPerDay ?? 0

export type EnterpriseLimits = { retentionDays: number; readingsPerDay: number; apiRequestsPerDay: number }

export const limitsOf = (enterprise: Enterprise, tier: Tier | undefined): EnterpriseLimits => ({
  retentionDays: enterprise.retentionDays ?? tier?.retentionDays ?? 0,
  readingsPerDay: enterprise.readingsPerDay ?? tier?.readingsPerDay ?? 0,
  apiRequestsPerDay: enterprise.apiRequestsPerDay ?? tier?.apiRequestsPerDay ?? 0,
})

export const creditsPerMonth = (enterprise: Enterprise, tier: Tier): number =>
  enterprise.credits ?? tier.creditsPerMonth ?? 0

/** The retention of each enterprise in days, by the enterprises' numbers. */
export async function listRetentionDays(db: Database): Promise<Map<number, number>> {
  const all = await listEnterprisesWithTiers(db)
  return new Map(all.map(({ enterprise, tier }) => [enterprise.number, limitsOf(enterprise, tier).retentionDays]))
}
