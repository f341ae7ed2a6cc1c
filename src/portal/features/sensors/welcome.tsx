/** The page of a one-time link: first operator, invitation, reset of a password. */
import { useState } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import type { PageProps } from '../../shell/page.ts'
import { href, navigate } from '../../shell/router.ts'
import { account, loadSession } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { AccountForm, EmailField, FormFailure, PublicColumn, useAccountForm } from '../account/account-form.tsx'
import { postJson } from '../account/sign-in.tsx'

type LinkContent = {
  kind: 'operator' | 'invitation' | 'person' | 'sign-up' | 'reset'
  email: string | null
  role: 'owner' | 'admin' | 'member' | null
  enterpriseName: string | null
}

const MIN_PASSWORD = 10

export function WelcomePage({ parameters }: PageProps) {
  const token = parameters.token ?? ''
  const link = useResource(async () => {
    const response = await postJson('/auth/links/open', { token })
    return ((await response.json()) as { data: LinkContent }).data
  }, [token])
  if (link.error.value?.code === 'LINK_INVALID')
    return (
      <PublicColumn>
        <Empty title={t('accounts.welcome.invalidTitle')} text={t('accounts.welcome.invalid')}>
          <a class="button" href={href('/sign-in')}>
            {t('accounts.welcome.toSignIn')}
          </a>
        </Empty>
      </PublicColumn>
    )
  return (
    <PublicColumn>
      <Loaded resource={link}>{(content) => <Link token={token} content={content} />}</Loaded>
    </PublicColumn>
  )
}

async function enter(): Promise<void> {
  await loadSession()
  navigate('/', { replace: true })
}

function Link({ token, content }: { token: string; content: LinkContent }) {
  const { kind, email } = content
  const current = account.value
  if (kind !== 'reset' && current !== undefined && email !== null)
    return <Join token={token} content={content} email={current.email} />
  return <NewAccount token={token} content={content} />
}

function titleOf({ kind, enterpriseName }: LinkContent): string {
  if (kind === 'reset') return t('accounts.welcome.resetTitle')
  if (kind === 'invitation') return t('accounts.welcome.invitationTitle', { enterprise: enterpriseName ?? '' })
  return t('accounts.welcome.operatorTitle')
}

function textOf({ kind, email, role }: LinkContent): string {
  if (kind === 'reset') return t('accounts.welcome.resetText', { email: email ?? '' })
  if (kind === 'operator') return t(email === null ? 'accounts.welcome.firstOperator' : 'accounts.welcome.operator')
  if (kind !== 'invitation') return t('accounts.welcome.person')
  if (role === 'owner') return t('accounts.welcome.asOwner')
  return t(role === 'admin' ? 'accounts.welcome.asAdmin' : 'accounts.welcome.asMember')
}

function NewAccount({ token, content }: { token: string; content: LinkContent }) {
  const form = useAccountForm({ email: content.email ?? '', name: '', password: '' })
  const isReset = content.kind === 'reset'
  const [isShown, setShown] = useState(false)

  async function submit(): Promise<void> {
    const isDone = await form.submit(({ email, name, password }) =>
      postJson('/auth/links/use', {
        token,
        password,
        ...(!isReset && { name }),
        ...(content.email === null && { email }),
      }),
    )
    if (isDone) await enter()
  }

  return (
    <>
      <PageHead title={titleOf(content)} />
      <p class="weak">{textOf(content)}</p>
      <AccountForm action={t(isReset ? 'accounts.welcome.reset' : 'accounts.welcome.create')} onSubmit={submit}>
        <FormFailure error={form.error.value} />
        {content.email === null ? (
          <EmailField isAccount {...form.field('email')} />
        ) : (
          <p>
            <bdi dir="ltr">{content.email}</bdi>
            {/* password managers store the password under this name */}
            <input type="email" autocomplete="username" value={content.email} readOnly hidden />
          </p>
        )}
        {!isReset && (
          <TextField
            label={t('accounts.welcome.name')}
            autocomplete="name"
            required
            maxLength={200}
            autoFocus={content.email !== null}
            {...form.field('name')}
          />
        )}
        <TextField
          label={t('accounts.welcome.newPassword')}
          help={t('accounts.welcome.passwordHelp')}
          type={isShown ? 'text' : 'password'}
          autocomplete="new-password"
          dir="ltr"
          required
          minLength={MIN_PASSWORD}
          maxLength={256}
          {...form.field('password')}
        />
        <label class="check">
          <input type="checkbox" checked={isShown} onChange={(event) => setShown(event.currentTarget.checked)} />
          <span>{t('accounts.welcome.showPassword')}</span>
        </label>
      </AccountForm>
      {!isReset && content.email !== null && (
        <a href={href('/sign-in', {}, { next: `/welcome/${token}` })}>{t('accounts.welcome.haveAccount')}</a>
      )}
    </>
  )
}

/** Somebody who is signed in accepts with that account. */
function Join({ token, content, email }: { token: string; content: LinkContent; email: string }) {
  const form = useAccountForm({})
  async function join(): Promise<void> {
    if (await form.submit(() => postJson('/auth/links/use', { token, asSignedIn: true }))) await enter()
  }
  async function signOut(): Promise<void> {
    if (await form.submit(() => postJson('/auth/sign-out', {}))) await loadSession()
  }
  return (
    <>
      <PageHead title={titleOf(content)} />
      <p class="weak">{textOf(content)}</p>
      <FormFailure error={form.error.value} />
      {email === content.email ? (
        <Button kind="main" onClick={join}>
          {t('accounts.welcome.join', { email })}
        </Button>
      ) : (
        <>
          <p>{t('accounts.welcome.otherAccount', { email, other: content.email ?? '' })}</p>
          <Button onClick={signOut}>{t('frame.signOut')}</Button>
        </>
      )}
    </>
  )
}
