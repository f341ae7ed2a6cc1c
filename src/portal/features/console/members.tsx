/** Members of the enterprise and invitations that were not used yet. */
import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import { ApiError, api, dataOf } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { enterpriseId, loadSession, may, membership, type Role } from '../../shell/session.ts'
import { formatDay } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { notifyFailure } from '../../ui/failure-text.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { PlainTable } from '../../ui/plain-table.tsx'
import { Loaded } from '../../ui/states.tsx'
import { notify } from '../../ui/toasts.tsx'
import { InviteDialog, type MadeLink } from './members/invite.tsx'
import { LinkDialog } from './members/link-dialog.tsx'

type Member = { id: string; email: string; role: Role; accountId: string | null; createdAt: string }
const ROLES = ['owner', 'admin', 'member'] as const
const PAGE = 1000

/**
 * Runs a change and shows a failure.
 * @returns whether it succeeded
 */
async function attempt(change: () => Promise<unknown>): Promise<boolean> {
  try {
    await change()
    return true
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    // the role may have been withdrawn while the page was open; then the frame shows the remaining pages
    if (error.status === 403) void loadSession()
    notifyFailure(error)
    return false
  }
}

export function MembersPage() {
  const id = enterpriseId.value ?? ''
  const path = { params: { path: { id } } }
  const members = useResource(
    (signal) =>
      dataOf(
        api.GET('/manage/v1/enterprises/{id}/members', { params: { path: { id }, query: { limit: PAGE } }, signal }),
      ),
    [id],
  )
  const invitations = useResource(
    (signal) => dataOf(api.GET('/manage/v1/enterprises/{id}/invitations', { ...path, signal })),
    [id],
  )
  const [isInviting, setInviting] = useState(false)
  const [made, setMade] = useState<MadeLink | undefined>(undefined)
  const [removed, setRemoved] = useState<Member | undefined>(undefined)
  const [ownRole, setOwnRole] = useState<{ member: Member; role: Role } | undefined>(undefined)

  async function changeRole(member: Member, role: Role): Promise<void> {
    const params = { path: { id: member.id } }
    const isDone = await attempt(() => dataOf(api.PATCH('/manage/v1/members/{id}', { params, body: { role } })))
    members.reload()
    if (!isDone) return
    setOwnRole(undefined)
    const isOwn = member.id === membership.peek()?.memberId
    const text = t('accounts.members.roleChanged', { email: member.email, role: t(`accounts.members.roles.${role}`) })
    // members who lower their own role cannot undo it
    notify(text, isOwn ? {} : { undo: () => changeRole({ ...member, role }, member.role) })
    if (isOwn) await loadSession()
  }
  /** A change of one's own role is confirmed first. */
  async function chooseRole(member: Member, role: Role): Promise<void> {
    if (member.id === membership.peek()?.memberId) setOwnRole({ member, role })
    else await changeRole(member, role)
  }
  async function invite({ email, role }: Member): Promise<void> {
    await attempt(async () => {
      const body = { email, role }
      setMade({ ...(await dataOf(api.POST('/manage/v1/enterprises/{id}/invitations', { ...path, body }))), email })
      invitations.reload()
    })
  }
  async function remove(member: Member): Promise<void> {
    const params = { path: { id: member.id } }
    if (!(await attempt(() => dataOf(api.DELETE('/manage/v1/members/{id}', { params }))))) return
    setRemoved(undefined)
    members.reload()
    notify(t('accounts.members.removed', { email: member.email }))
    if (member.id === membership.peek()?.memberId) await loadSession()
  }
  async function reset(member: Member): Promise<void> {
    const params = { path: { id: member.id } }
    await attempt(async () => {
      const link = await dataOf(api.POST('/manage/v1/members/{id}/reset-link', { params }))
      setMade({ ...link, email: member.email, isReset: true })
    })
  }
  async function revoke(invitationId: string): Promise<void> {
    await attempt(() => dataOf(api.DELETE('/manage/v1/invitations/{id}', { params: { path: { id: invitationId } } })))
    invitations.reload()
  }

  return (
    <>
      <PageHead title={t('accounts.members.title')}>
        <Button kind="main" icon="add" onClick={() => setInviting(true)}>
          {t('accounts.members.invite')}
        </Button>
      </PageHead>
      <div class="stack">
        <Loaded resource={members}>
          {({ items }) => (
            <MemberTable items={items} onRole={chooseRole} onReset={reset} onInvite={invite} onRemove={setRemoved} />
          )}
        </Loaded>
        <dl class="role-help">
          {ROLES.map((role) => (
            <Fragment key={role}>
              <dt>{t(`accounts.members.roles.${role}`)}</dt>
              <dd>{t(`accounts.members.roleHelp.${role}`)}</dd>
            </Fragment>
          ))}
        </dl>
        <Loaded resource={invitations} lines={2}>
          {({ items }) =>
            items.length > 0 && (
              <section class="stack">
                <h2>{t('accounts.members.pending')}</h2>
                <PlainTable
                  label={t('accounts.members.pending')}
                  kind="members-table"
                  rows={items}
                  keyOf={({ id }) => id}
                  columns={[
                    [t('accounts.signIn.email'), ({ email }) => <bdi dir="ltr">{email}</bdi>],
                    [t('accounts.members.role'), ({ role }) => t(`accounts.members.roles.${role ?? 'member'}`)],
                    [
                      t('accounts.members.validUntil'),
                      ({ expiresAt }) => <time>{formatDay(Date.parse(expiresAt))}</time>,
                    ],
                    [
                      t('accounts.members.actions'),
                      ({ id }) => <Button onClick={() => revoke(id)}>{t('accounts.members.revoke')}</Button>,
                      { isTitleHidden: true, kind: 'members-actions' },
                    ],
                  ]}
                />
              </section>
            )
          }
        </Loaded>
      </div>
      {isInviting && (
        <InviteDialog
          enterpriseId={id}
          onClose={() => setInviting(false)}
          onMade={(link) => {
            setInviting(false)
            setMade(link)
            invitations.reload()
          }}
        />
      )}
      {made !== undefined && <LinkDialog made={made} onClose={() => setMade(undefined)} />}
      {ownRole !== undefined && (
        <Dialog
          title={t('accounts.members.ownRole')}
          onClose={() => {
            setOwnRole(undefined)
            members.reload()
          }}
        >
          <p>{t('accounts.members.ownRoleText', { role: t(`accounts.members.roles.${ownRole.role}`) })}</p>
          <p class="weak">{t(`accounts.members.roleHelp.${ownRole.role}`)}</p>
          <div class="dialog-actions">
            <Button
              onClick={() => {
                setOwnRole(undefined)
                members.reload()
              }}
            >
              {t('frame.cancel')}
            </Button>
            <Button kind="danger" onClick={() => changeRole(ownRole.member, ownRole.role)}>
              {t('accounts.members.changeOwnRole')}
            </Button>
          </div>
        </Dialog>
      )}
      {removed !== undefined && (
        <Dialog title={t('accounts.members.remove')} onClose={() => setRemoved(undefined)}>
          <p>
            {removed.id === membership.value?.memberId
              ? t('accounts.members.removeOwnText')
              : t('accounts.members.removeText', { email: removed.email })}
          </p>
          <div class="dialog-actions">
            <Button onClick={() => setRemoved(undefined)}>{t('frame.cancel')}</Button>
            <Button kind="danger" onClick={() => remove(removed)}>
              {t('accounts.members.remove')}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  )
}

function MemberTable(props: {
  items: Member[]
  onRole: (member: Member, role: Role) => Promise<void>
  onReset: (member: Member) => Promise<void>
  onInvite: (member: Member) => Promise<void>
  onRemove: (member: Member) => void
}) {
  const owners = props.items.filter(({ role }) => role === 'owner').length
  // owners are made, changed and removed by owners only
  const isLocked = ({ role }: Member): boolean => role === 'owner' && !may.value.own
  // the operator may leave an enterprise without an owner; nobody else
  const isLastOwner = ({ role }: Member): boolean => role === 'owner' && owners === 1 && !may.value.operate
  return (
    <PlainTable
      label={t('accounts.members.title')}
      kind="members-table"
      rows={props.items}
      keyOf={({ id }) => id}
      columns={[
        [
          t('accounts.signIn.email'),
          ({ id, email }) => (
            <>
              <bdi dir="ltr">{email}</bdi>
              {id === membership.value?.memberId && <span class="weak"> ·&nbsp;{t('accounts.members.you')}</span>}
            </>
          ),
        ],
        [
          t('accounts.members.role'),
          (member) =>
            isLocked(member) || isLastOwner(member) ? (
              <>
                {t(`accounts.members.roles.${member.role}`)}
                {isLastOwner(member) && <div class="weak">{t('accounts.members.lastOwner')}</div>}
              </>
            ) : (
              <select
                aria-label={t('accounts.members.roleOf', { email: member.email })}
                value={member.role}
                onChange={(event) => void props.onRole(member, event.currentTarget.value as Role)}
              >
                {ROLES.filter((one) => one !== 'owner' || may.value.own).map((one) => (
                  <option key={one} value={one}>
                    {t(`accounts.members.roles.${one}`)}
                  </option>
                ))}
              </select>
            ),
        ],
        [
          t('accounts.members.joined'),
          ({ accountId, createdAt }) =>
            accountId === null ? <span class="weak">{t('accounts.members.noAccount')}</span> : <Age at={createdAt} />,
        ],
        [
          t('accounts.members.actions'),
          (member) => (
            <>
              {!isLocked(member) && member.accountId !== null && (
                <IconButton
                  icon="key"
                  label={t('accounts.members.resetOf', { email: member.email })}
                  onClick={() => void props.onReset(member)}
                />
              )}
              {!isLocked(member) && member.accountId === null && (
                <IconButton
                  icon="add"
                  label={t('accounts.members.inviteOf', { email: member.email })}
                  onClick={() => void props.onInvite(member)}
                />
              )}
              {!isLocked(member) && !isLastOwner(member) && (
                <IconButton
                  icon="remove"
                  label={t('accounts.members.removeOf', { email: member.email })}
                  onClick={() => props.onRemove(member)}
                />
              )}
            </>
          ),
          { isTitleHidden: true, kind: 'members-actions' },
        ],
      ]}
    />
  )
}
