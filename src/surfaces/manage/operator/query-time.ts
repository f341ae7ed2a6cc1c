/** Times in requests of the operator's routes. */

import { invalidField } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/** @throws AppError VALIDATION_FAILED */
export function timeOf(text: string | null | undefined, field: string): Date | undefined {
  if (text === undefined || text === null) return undefined
  const ms = RFC_3339.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms)) throw invalidField(field, 'date-time', fieldText('dateTime'))
  return new Date(ms)
}
