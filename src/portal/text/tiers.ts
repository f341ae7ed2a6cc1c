/** Names of the tiers of enterprises and of the plans of people. */
import { t } from './text.ts'

const KNOWN = ['starter', 'business', 'scale', 'free', 'pro', 'max'] as const

/** Operators may have added tiers, which have their own name only. */
export const tierName = (name: string): string => {
  const known = KNOWN.find((tier) => tier === name)
  return known === undefined ? name : t(`enterprise.tiers.${known}`)
}
