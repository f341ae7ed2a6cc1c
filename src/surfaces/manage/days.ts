/** Ranges of days (UTC) of usage figures. */

import { Type } from '@sinclair/typebox'
import { invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { MS_PER_DAY } from '../../ingest/timestamp.ts'
import { dayOf } from '../../stores/postgres/runs/api-requests.ts'
import { closed } from './request-schemas.ts'

const day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'Day in UTC, for example 2026-05-01' })
export const usageQuery = Type.Object({ from: Type.Optional(day), to: Type.Optional(day) }, closed)

const DEFAULT_DAYS = 30

/** Thirteen months: the current one beside the same one a year ago. */
const MAX_DAYS = 400

/** Date.parse takes the 30th of February for the 2nd of March. */
function isDay(text: string): boolean {
  const ms = Date.parse(text)
  return !Number.isNaN(ms) && dayOf(ms) === text
}

/** @throws AppError VALIDATION_FAILED */
export function daysOf(
  query: { from?: string | undefined; to?: string | undefined },
  maxDays = Number.POSITIVE_INFINITY,
): { from: string; to: string } {
  const to = query.to ?? dayOf(Date.now())
  for (const [field, day] of Object.entries({ from: query.from, to }))
    if (day !== undefined && !isDay(day)) throw invalidField(`query.${field}`, 'date', fieldText('calendarDay'))
  const from = query.from ?? dayOf(Date.parse(to) - (DEFAULT_DAYS - 1) * MS_PER_DAY)
  if (from > to) throw invalidField('query.from', 'order', fieldText('notLater', { field: 'query.to' }))
  if ((Date.parse(to) - Date.parse(from)) / MS_PER_DAY >= maxDays)
    throw invalidField('query.from', 'maximum', fieldText('daysBefore', { most: maxDays }))
  return { from, to }
}

/** Every day of a range of limited length. @throws AppError VALIDATION_FAILED */
export function everyDayOf(query: { from?: string | undefined; to?: string | undefined }): string[] {
  const { from, to } = daysOf(query, MAX_DAYS)
  const count = (Date.parse(to) - Date.parse(from)) / MS_PER_DAY + 1
  return Array.from({ length: count }, (_, i) => dayOf(Date.parse(from) + i * MS_PER_DAY))
}
