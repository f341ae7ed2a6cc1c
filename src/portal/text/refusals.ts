/** Refusals in words: the cause, the reason, and the person who can change it. By code and cause, never by status alone. */
import type { Refusal } from '../../errors.ts'
import { enterpriseId, membership, session } from '../shell/session.ts'
import { t } from './text.ts'

export type RefusalText = { title: string; text: string; reason?: string | null }

const KINDS: Record<string, 'held' | 'off' | 'licence'> = {
  SENSOR_HELD: 'held',
  TOOL_API_HELD: 'held',
  SENSOR_DISABLED: 'off',
  TOOL_API_DISABLED: 'off',
  LICENSE_FEATURE_MISSING: 'licence',
}

const textOf = (
  kind: 'suspended' | 'account' | 'assets' | 'held' | 'off' | 'licence' | 'tier' | 'plan' | 'operator',
) => ({
  title: t(`failures.refused.${kind}.title`),
  text: t(`failures.refused.${kind}.text`),
})

function ofRole(role: string | undefined, roles: readonly string[]): RefusalText {
  const title = t('failures.refused.role.title')
  if (role !== 'owner' && role !== 'admin' && role !== 'member')
    return { title, text: t('failures.refused.role.noEnterprise') }
  const needed = roles.includes('admin') ? 'administer' : 'own'
  return { title, text: t(`failures.refused.role.${needed}`, { role: t(`accounts.members.roles.${role}`) }) }
}

/** @returns undefined for other failures, whose message says everything */
export function refusalOf(error: { status: number; code: string; data: unknown }): RefusalText | undefined {
  const { status, code } = error
  if (status !== 403) return undefined
  const refusal = (error.data ?? undefined) as Refusal | undefined
  if (code === 'ENTERPRISE_SUSPENDED')
    return { ...textOf('suspended'), ...(refusal?.cause === 'suspended' && { reason: refusal.reason }) }
  if (code === 'ASSETS_HELD')
    return { ...textOf('assets'), ...(refusal?.cause === 'held' && { reason: refusal.reason }) }
  if (code === 'GIS_TIER_REQUIRED' || code === 'TOOL_API_PLAN')
    return textOf(enterpriseId.peek() === undefined ? 'plan' : 'tier')
  const kind = KINDS[code]
  if (kind !== undefined) return textOf(kind)
  if (code !== 'FORBIDDEN' || refusal === undefined) return undefined
  if (refusal.cause === 'role') return ofRole(refusal.role, refusal.roles)
  return refusal.cause === 'operator' ? textOf('operator') : { ...textOf('account'), reason: refusal.reason }
}

/** Why a page is not shown. @param needs as its route says */
export function refusalOfPage(needs: string | undefined): RefusalText {
  const suspension = session.value?.suspension
  if (needs === 'operate') return textOf('operator')
  if (suspension && enterpriseId.value === undefined) return { ...textOf('account'), reason: suspension.reason }
  return ofRole(membership.value?.role, ['owner', 'admin'])
}
