/** Asking for a link by mail: to reset a password, or to create an account. */
import { useState } from 'preact/hooks'
import { href } from '../../shell/router.ts'
import { session } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { Empty } from '../../ui/states.tsx'
import { AccountForm, EmailField, FormFailure, PublicColumn, useAccountForm } from './account-form.tsx'
import { postJson } from './sign-in.tsx'

export function ResetPasswordPage() {
  return session.value?.mail === false ? <Off area="reset" /> : <MailLink area="reset" address="/auth/reset-links" />
}

export function SignUpPage() {
  const { mail, signUp } = session.value ?? {}
  const isOff = mail === false || signUp === 'closed'
  return isOff ? <Off area="signUp" /> : <MailLink area="signUp" address="/auth/sign-up" />
}

/** Instructions where the server sends no links. */
function Off({ area }: { area: 'reset' | 'signUp' }) {
  return (
    <PublicColumn>
      <PageHead title={t(`accounts.${area}.title`)} />
      <Empty title={t(`accounts.${area}.offTitle`)} text={t(`accounts.${area}.off`)}>
        <a class="button" href={href('/sign-in')}>
          {t('accounts.reset.back')}
        </a>
      </Empty>
    </PublicColumn>
  )
}

function MailLink({ area, address }: { area: 'reset' | 'signUp'; address: string }) {
  const form = useAccountForm({ email: '' })
  const [sentTo, setSentTo] = useState<string | undefined>(undefined)
  async function submit(): Promise<void> {
    const { email } = form.values.peek()
    if (await form.submit((values) => postJson(address, values))) setSentTo(email)
  }
  return (
    <PublicColumn>
      <PageHead title={t(`accounts.${area}.title`)} />
      {sentTo !== undefined ? (
        <p role="status">{t(`accounts.${area}.sent`, { email: sentTo })}</p>
      ) : (
        <AccountForm action={t(`accounts.${area}.submit`)} onSubmit={submit}>
          <p class="weak">{t(`accounts.${area}.text`)}</p>
          <FormFailure error={form.error.value} />
          <EmailField isAccount {...form.field('email')} />
        </AccountForm>
      )}
      <a href={href('/sign-in')}>{t('accounts.reset.back')}</a>
    </PublicColumn>
  )
}
