/** The accounts that operate the server: who they are, inviting others, taking the role away. */
import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import type { components } from '../../api/schema.d.ts'
import { account, loadSession } from '../../shell/session.ts'
import { formatDay } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { LastUse } from '../../ui/age.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { attempt } from '../../ui/failure-text.tsx'
import { PlainTable, ROWS_ON_PHONE } from '../../ui/plain-table.tsx'
import { Loaded } from '../../ui/states.tsx'
import { notify } from '../../ui/toasts.tsx'
import { AccountForm, EmailField, FormFailure, useAccountForm } from '../account/account-form.tsx'
import { KeyBox } from '../account/key-box.tsx'

type Operator = components['schemas']['Operator']
type Made = { email: string; path: string }
const MAX_OPERATORS = 1_000

export function Operators() {
  const operators = useResource(
    (signal) => dataOf(api.GET('/manage/v1/operators', { params: { query: { limit: MAX_OPERATORS } }, signal })),
    [],
  )
  const invitations = useResource((signal) => dataOf(api.GET('/manage/v1/operators/invitations', { signal })), [])
  const [isInviting, setInviting] = useState(false)
  const [made, setMade] = useState<Made | undefined>(undefined)
  const [removed, setRemoved] = useState<Operator | undefined>(undefined)

  async function remove({ id, email }: Operator): Promise<void> {
    const params = { path: { id } }
    const isDone = await attempt(() => dataOf(api.DELETE('/manage/v1/operators/{id}', { params })))
    setRemoved(undefined)
    if (!isDone) return
    notify(t('operator.operators.removed', { email }))
    // an operator who removes their own role loses access to this page
    if (id === account.peek()?.id) await loadSession()
    else operators.reload()
  }
  async function revoke(id: string): Promise<void> {
    await attempt(() => dataOf(api.DELETE('/manage/v1/operators/invitations/{id}', { params: { path: { id } } })))
    invitations.reload()
  }

  return (
    <div class="stack operator-tab">
      <div class="row">
        <Button kind="main" icon="add" onClick={() => setInviting(true)}>
          {t('operator.operators.invite')}
        </Button>
        <span class="weak">{t('operator.operators.inviteText')}</span>
      </div>
      <Loaded resource={operators}>
        {({ items }) => (
          <PlainTable
            label={t('operator.people.tabs.operators')}
            kind={`operator-people ${ROWS_ON_PHONE}`}
            rows={items}
            keyOf={({ id }) => id}
            columns={[
              [
                t('operator.people.columns.email'),
                ({ id, email }) => (
                  <>
                    <bdi dir="ltr">{email}</bdi>
                    {id === account.value?.id && <span class="weak"> ({t('operator.operators.you')})</span>}
                  </>
                ),
              ],
              [t('operator.operators.name'), ({ name }) => <bdi>{name}</bdi>],
              [
                t('operator.operators.lastUse'),
                ({ lastUsedAt }) => (
                  <LastUse at={lastUsedAt} recordedEvery="day" none={t('operator.people.noSession')} />
                ),
              ],
              [t('operator.operators.since'), ({ createdAt }) => <time>{formatDay(Date.parse(createdAt))}</time>],
              [
                t('operator.operators.actions'),
                (one) =>
                  items.length > 1 && (
                    <IconButton
                      icon="remove"
                      label={t('operator.operators.removeOf', { email: one.email })}
                      onClick={() => setRemoved(one)}
                    />
                  ),
                { isTitleHidden: true, kind: 'operator-actions' },
              ],
            ]}
          />
        )}
      </Loaded>
      <Loaded resource={invitations} lines={1}>
        {({ items }) =>
          items.length > 0 && (
            <section class="stack" aria-labelledby="pending">
              <h2 id="pending">{t('operator.operators.pending')}</h2>
              <ul class="operator-lines panel">
                {items.map((link) => (
                  <li key={link.id}>
                    <bdi dir="ltr" class="cut">
                      {link.email ?? '–'}
                    </bdi>
                    <span class="row">
                      <span class="weak">
                        {t('operator.people.validUntil', { day: formatDay(Date.parse(link.expiresAt)) })}
                      </span>
                      <Button
                        title={t('operator.operators.revokeOf', { name: link.email ?? link.id })}
                        onClick={() => revoke(link.id)}
                      >
                        {t('operator.operators.revoke')}
                      </Button>
                    </span>
                  </li>
                ))}
              </ul>
            </section>
          )
        }
      </Loaded>
      {isInviting && (
        <InviteOperator
          onClose={() => setInviting(false)}
          onMade={(link) => {
            setInviting(false)
            setMade(link)
            invitations.reload()
          }}
        />
      )}
      {made !== undefined && (
        <Dialog title={t('operator.operators.invite')} isWide>
          <KeyBox
            title={t('operator.people.linkOf', { email: made.email })}
            text={t('operator.people.linkText')}
            secret={location.origin + made.path}
            onSaved={() => setMade(undefined)}
          />
        </Dialog>
      )}
      {removed !== undefined && (
        <Confirm
          title={t('operator.operators.remove')}
          onConfirm={() => remove(removed)}
          onClose={() => setRemoved(undefined)}
        >
          <p>{t('operator.operators.removeText', { email: removed.email })}</p>
        </Confirm>
      )}
    </div>
  )
}

function InviteOperator(props: { onMade: (link: Made) => void; onClose: () => void }) {
  const form = useAccountForm({ email: '' })
  async function submit(): Promise<void> {
    await form.submit(async (body, key) => {
      const headers = { 'idempotency-key': key }
      const link = await dataOf(api.POST('/manage/v1/operators/invitations', { body, headers }))
      props.onMade({ path: link.path, email: link.email ?? body.email })
    })
  }
  return (
    <Dialog title={t('operator.operators.invite')} onClose={props.onClose}>
      <AccountForm action={t('operator.people.makeLink')} onSubmit={submit}>
        <FormFailure error={form.error.value} />
        <EmailField label={t('operator.people.columns.email')} {...form.field('email')} />
      </AccountForm>
    </Dialog>
  )
}
