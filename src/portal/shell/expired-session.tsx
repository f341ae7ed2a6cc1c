/** Asks to sign in again above the page, which keeps the typed text. */
import { useState } from 'preact/hooks'
import { errorOf } from '../api/client.ts'
import { t } from '../text/text.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { account, isExpired, loadSession } from './session.ts'

/** @returns a message when the sign-in was refused */
export async function signIn(email: string, password: string): Promise<string | undefined> {
  try {
    const response = await fetch('/auth/sign-in', {
      method: 'POST',
      credentials: 'same-origin',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    })
    if (!response.ok) return (await errorOf(response)).message
    await loadSession()
    return undefined
  } catch {
    return t('frame.failures.unsent')
  }
}

export function ExpiredSession() {
  const [password, setPassword] = useState('')
  const [error, setError] = useState<string | undefined>(undefined)
  const email = account.value?.email ?? ''

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    const refused = await signIn(email, password)
    setError(refused)
    if (refused === undefined) isExpired.value = false
  }

  return (
    <Dialog title={t('frame.expiredTitle')}>
      <form onSubmit={(event) => void submit(event)}>
        <p>{t('frame.expired', { email })}</p>
        <TextField
          label={t('frame.password')}
          type="password"
          autocomplete="current-password"
          value={password}
          onInput={setPassword}
          error={error}
          autoFocus
        />
        <div class="dialog-actions">
          <Button kind="main" type="submit">
            {t('frame.signIn')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
