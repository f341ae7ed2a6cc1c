/** Counts API requests against the day's allowance of their owner, which all of the owner's keys share. */
import { AppError } from '../errors.ts'
import type { Owner } from '../stores/postgres/accounts/owners.ts'
import type { Database } from '../stores/postgres/client.ts'
import { dayOf, takeRequest } from '../stores/postgres/runs/api-requests.ts'
import { apiRequestsPerDay } from './plans.ts'

const DAY_MS = 86_400_000

/** @throws AppError API_KEY_QUOTA for a person, ENTERPRISE_API_DAILY_LIMIT */
export async function countInDay(db: Database, owner: Owner, nowMs: number): Promise<void> {
  if (await takeRequest(db, owner.id, dayOf(nowMs), apiRequestsPerDay(owner))) return
  const retryAfterS = Math.ceil((DAY_MS - (nowMs % DAY_MS)) / 1000)
  throw new AppError(owner.kind === 'person' ? 'API_KEY_QUOTA' : 'ENTERPRISE_API_DAILY_LIMIT', { retryAfterS })
}
