/** An owner's current use of each allowance. */
import { apiRequestsPerDay, creditsPerMonth, limitsOf } from '../../access/plans.ts'
import { creditPeriod } from '../../runs/price.ts'
import { findEnterpriseRecord } from '../../stores/postgres/accounts/enterprises.ts'
import type { Owner } from '../../stores/postgres/accounts/owners.ts'
import { dayOf, requestsUsed } from '../../stores/postgres/runs/api-requests.ts'
import { creditsUsed } from '../../stores/postgres/runs/runs.ts'
import { readingDaysBetween } from '../../stores/postgres/sensors/reading-days.ts'
import type { ManageDeps } from './deps.ts'

type OfDay = { day: string; used: number; allowance: number }

export type Allowances = {
  requests: OfDay
  /** Null for people, who have no sensors. */
  readings: OfDay | null
  /** Null for people, whose runs are not charged. */
  credits: { periodStart: string; periodEnd: string; used: number; allowance: number } | null
  /** `expiring`: files that will be deleted within the grace period of lifetimes. */
  storage: Awaited<ReturnType<ManageDeps['storage']['useOf']>>
}

export async function allowancesOf(
  { db, storage, flushUsage }: Pick<ManageDeps, 'db' | 'storage' | 'flushUsage'>,
  owner: Owner,
): Promise<Allowances> {
  await flushUsage()
  const day = dayOf(Date.now())
  const [used, stored, record] = await Promise.all([
    requestsUsed(db, owner.id, day),
    storage.useOf(owner.id),
    owner.kind === 'enterprise' ? findEnterpriseRecord(db, owner.id) : undefined,
  ])
  const requests = { day, used, allowance: apiRequestsPerDay(owner) }
  if (record === undefined) return { requests, readings: null, credits: null, storage: stored }
  const { enterprise, tier, retention } = record
  const { start, end } = creditPeriod()
  const [[readings], credits] = await Promise.all([
    readingDaysBetween(db, owner.id, day, day),
    creditsUsed(db, owner.id, start),
  ])
  return {
    requests,
    readings: {
      day,
      used: readings?.readings ?? 0,
      allowance: limitsOf(enterprise, tier, retention).readingsPerDay,
    },
    credits: {
      periodStart: start.toISOString(),
      periodEnd: end.toISOString(),
      used: credits,
      allowance: creditsPerMonth(enterprise, tier),
    },
    storage: stored,
  }
}
