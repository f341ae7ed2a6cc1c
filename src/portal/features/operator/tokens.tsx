/** Operator tokens for scripts, besides the one in the server's data folder. */
import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { formatDay } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { attempt } from '../../ui/failure-text.tsx'
import { TextField } from '../../ui/field.tsx'
import { PlainTable, ROWS_ON_PHONE } from '../../ui/plain-table.tsx'
import { bearer, snippetsOf } from '../../ui/snippets.ts'
import { Loaded } from '../../ui/states.tsx'
import { notify } from '../../ui/toasts.tsx'
import { AccountForm, FormFailure, useAccountForm } from '../account/account-form.tsx'
import { KeyBox } from '../account/key-box.tsx'
import { actorName } from '../data/layers/words.ts'

type Made = { name: string; token: string }
const MAX_TOKENS = 1_000

export function OperatorTokens() {
  const tokens = useResource(
    (signal) => dataOf(api.GET('/manage/v1/operators/tokens', { params: { query: { limit: MAX_TOKENS } }, signal })),
    [],
  )
  const [isAdding, setAdding] = useState(false)
  const [made, setMade] = useState<Made | undefined>(undefined)
  const [revoked, setRevoked] = useState<{ id: string; name: string } | undefined>(undefined)
  async function revoke({ id, name }: { id: string; name: string }): Promise<void> {
    const params = { path: { id } }
    const isDone = await attempt(() => dataOf(api.DELETE('/manage/v1/operators/tokens/{id}', { params })))
    setRevoked(undefined)
    tokens.reload()
    if (isDone) notify(t('operator.operators.revoked', { name }))
  }
  return (
    <div class="stack operator-tab">
      <p class="weak">{t('operator.operators.tokensText')}</p>
      <div class="row">
        <Button kind="main" icon="add" onClick={() => setAdding(true)}>
          {t('operator.operators.addToken')}
        </Button>
      </div>
      <Loaded resource={tokens}>
        {({ items }) =>
          items.length === 0 ? (
            <p>{t('operator.operators.noTokens')}</p>
          ) : (
            <PlainTable
              label={t('operator.people.tabs.tokens')}
              kind={`operator-people ${ROWS_ON_PHONE}`}
              rows={items}
              keyOf={({ id }) => id}
              columns={[
                [
                  t('operator.operators.name'),
                  ({ name, lastFour }) => (
                    <>
                      <bdi>{name}</bdi>{' '}
                      <code dir="ltr" class="weak">
                        …{lastFour}
                      </code>
                    </>
                  ),
                ],
                [t('operator.operators.createdBy'), ({ createdBy }) => <bdi>{actorName(createdBy)}</bdi>],
                [t('operator.operators.lastUse'), ({ lastUsedAt }) => <Age at={lastUsedAt} />],
                [
                  t('operator.operators.expires'),
                  ({ expiresAt }) =>
                    expiresAt === null ? t('operator.operators.never') : formatDay(Date.parse(expiresAt)),
                ],
                [
                  t('operator.operators.actions'),
                  (token) => (
                    <Button
                      title={t('operator.operators.revokeOf', { name: token.name })}
                      onClick={() => setRevoked(token)}
                    >
                      {t('operator.operators.revoke')}
                    </Button>
                  ),
                  { isTitleHidden: true, kind: 'operator-actions' },
                ],
              ]}
            />
          )
        }
      </Loaded>
      {isAdding && (
        <AddToken
          onClose={() => setAdding(false)}
          onMade={(token) => {
            setAdding(false)
            setMade(token)
            tokens.reload()
          }}
        />
      )}
      {made !== undefined && (
        <Dialog title={t('operator.operators.addToken')} isWide>
          <KeyBox
            title={t('operator.operators.tokenShown', { name: made.name })}
            secret={made.token}
            snippets={snippetsOf({ url: `${location.origin}/manage/v1/enterprises`, headers: bearer(made.token) })}
            onSaved={() => setMade(undefined)}
          />
        </Dialog>
      )}
      {revoked !== undefined && (
        <Confirm
          title={t('operator.operators.revoke')}
          onConfirm={() => revoke(revoked)}
          onClose={() => setRevoked(undefined)}
        >
          <p>{t('operator.operators.revokeText', { name: revoked.name })}</p>
        </Confirm>
      )}
    </div>
  )
}

function AddToken(props: { onMade: (token: Made) => void; onClose: () => void }) {
  const form = useAccountForm({ name: '', until: '' })
  const { name, until } = form.values.value
  async function submit(): Promise<void> {
    await form.submit(async (_, key) => {
      const headers = { 'idempotency-key': key }
      const expiresAt = until === '' ? null : new Date(`${until}T23:59:59`).toISOString()
      props.onMade(await dataOf(api.POST('/manage/v1/operators/tokens', { body: { name, expiresAt }, headers })))
    })
  }
  return (
    <Dialog title={t('operator.operators.addToken')} onClose={props.onClose}>
      <AccountForm action={t('operator.operators.addToken')} onSubmit={submit}>
        <FormFailure error={form.error.value} />
        <TextField
          label={t('operator.operators.tokenName')}
          required
          autoFocus
          maxLength={100}
          {...form.field('name')}
        />
        <TextField
          label={t('operator.operators.tokenEnd')}
          help={t('operator.operators.tokenEndHelp')}
          type="date"
          dir="ltr"
          value={until}
          onInput={form.set('until')}
          error={form.errorAt('expiresAt')}
        />
      </AccountForm>
    </Dialog>
  )
}
