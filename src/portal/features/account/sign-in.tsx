/** Signing in: with a password, or through the organization's provider. */
import { useEffect } from 'preact/hooks'
import { send } from '../../api/client.ts'
import { href, navigate, queryValue } from '../../shell/router.ts'
import { account, loadSession, session } from '../../shell/session.ts'
import type { TextKey } from '../../text/catalogue.ts'
import { t } from '../../text/text.ts'
import { TextField } from '../../ui/field.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { AccountForm, EmailField, FormFailure, PublicColumn, useAccountForm } from './account-form.tsx'

/** Values of `?error=` after the return from the provider. */
const PROVIDER_ERRORS: Record<string, TextKey> = {
  ACCOUNT_MISSING: 'accounts.signIn.refused',
  EMAIL_UNVERIFIED: 'accounts.signIn.unverified',
}

/** Where to go afterwards; any address that is not a page of the portal is replaced. */
function nextPage(): string {
  const next = queryValue('next') ?? '/'
  return next.startsWith('/') && !/^\/(sign-in|\/)/.test(next) ? next : '/'
}

export function postJson(url: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return send(url, { method: 'POST', headers, body: JSON.stringify(body) })
}

export function SignInPage() {
  const form = useAccountForm({ email: '', password: '' })
  const isSignedIn = account.value !== undefined
  useEffect(() => {
    if (isSignedIn) navigate(nextPage(), { replace: true })
  }, [isSignedIn])
  const providerError = queryValue('error')

  async function submit(): Promise<void> {
    const isDone = await form.submit((values) => postJson('/auth/sign-in', values))
    if (isDone) await loadSession()
    else form.set('password')('')
  }

  return (
    <PublicColumn>
      <PageHead title={t('accounts.signIn.title')} />
      {providerError !== undefined && (
        <p class="form-error" role="alert">
          {t(PROVIDER_ERRORS[providerError] ?? 'accounts.signIn.failed')}
        </p>
      )}
      <AccountForm action={t('accounts.signIn.submit')} onSubmit={submit}>
        <FormFailure error={form.error.value} />
        <EmailField isAccount {...form.field('email')} />
        <TextField
          label={t('accounts.signIn.password')}
          type="password"
          autocomplete="current-password"
          dir="ltr"
          required
          {...form.field('password')}
        />
      </AccountForm>
      {session.value?.oidc && (
        <a class="button" href={`/auth/oidc?next=${encodeURIComponent(nextPage())}`}>
          {t('accounts.signIn.withProvider')}
        </a>
      )}
      <OtherWays />
    </PublicColumn>
  )
}

function OtherWays() {
  if (session.value?.mail !== true) return <p class="weak">{t('accounts.signIn.noMail')}</p>
  return (
    <div class="row">
      <a href={href('/reset-password')}>{t('accounts.signIn.forgot')}</a>
      {session.value.signUp === 'open' && <a href={href('/sign-up')}>{t('accounts.signIn.signUp')}</a>}
    </div>
  )
}
