/** An enterprise with the limits in force. */
import type { components } from '../../../api/schema.d.ts'

export type Enterprise = components['schemas']['Enterprise'] & {
  limits: { retentionDays: number; readingsPerDay: number; apiRequestsPerDay: number }
}
