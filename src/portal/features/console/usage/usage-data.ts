/** Shared by the parts of the usage page. */
import type { paths } from '../../../api/schema.d.ts'

type Answer<P extends keyof paths> = paths[P] extends {
  get: { responses: { 200: { content: { 'application/json': infer E } } } }
}
  ? E extends { data: infer D }
    ? D
    : never
  : never

export type Daily = Answer<'/manage/v1/owners/{ownerId}/usage/daily'>
export type Group = Daily['groups'][number]
export type CreditAllowance = { periodStart: string; periodEnd: string; used: number; allowance: number }
export type Grouping = 'tool' | 'application'
