/** An enterprise as `GET /manage/v1/enterprises/{id}` returns it. */
import type { components } from '../../api/schema.d.ts'

export type EnterpriseRecord = components['schemas']['Enterprise'] & {
  limits: { retentionDays: number; readingsPerDay: number; apiRequestsPerDay: number }
}

export const enterprisePath = (id: string): string => `/manage/v1/enterprises/${encodeURIComponent(id)}`
