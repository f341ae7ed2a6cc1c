/**
 * The rule by which a maker may make a one-time link for a recipient. Checked when the link is made, and again when it
 * is used.
 */

import { AppError } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { hasRightsElsewhere, roleOfMaker } from '../../stores/postgres/accounts/account-roles.ts'
import { findMember, findMemberByEmail } from '../../stores/postgres/accounts/members.ts'
import type { OneTimeLink } from '../../stores/postgres/accounts/one-time-links.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { INVITES_MEMBERS, RESETS_MEMBERS } from '../authorization.ts'

/** @returns why the link may be neither made nor used; undefined if it may */
export async function objectionTo(tx: Database, link: OneTimeLink): Promise<AppError | undefined> {
  const member = link.memberId === null ? undefined : await findMember(tx, link.memberId)
  if (link.memberId !== null && (member === undefined || member.accountId !== link.accountId))
    return new AppError('FORBIDDEN')
  const role = await roleOfMaker(tx, link, member?.enterpriseId ?? link.enterpriseId)
  const isInvitation = link.kind === 'invitation' && link.enterpriseId !== null && link.email !== null
  if (role !== 'operator') {
    const rule = isInvitation ? INVITES_MEMBERS : RESETS_MEMBERS
    if (role === undefined || !rule.for.includes(role) || (!isInvitation && member === undefined))
      return new AppError('FORBIDDEN')
    if (rule.guardsOwners && role !== 'owner' && (member?.role ?? link.role) === 'owner')
      return new AppError('FORBIDDEN')
    // anybody with the link can sign in as the account, so the account must have no rights beyond the enterprise
    if (member?.accountId && (await hasRightsElsewhere(tx, member.accountId, member.enterpriseId)))
      return new AppError('FORBIDDEN', {
        message: fieldText('rightsElsewhere'),
      })
  }
  if (!isInvitation || link.role === 'owner') return undefined
  const known = await findMemberByEmail(tx, link.enterpriseId ?? '', link.email ?? '')
  return known?.role === 'owner'
    ? new AppError('CONFLICT', {
        message: fieldText('invitedOwner'),
      })
    : undefined
}
