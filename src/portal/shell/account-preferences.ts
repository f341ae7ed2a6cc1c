/** Stores preferences with the account, so that other devices have them too. */
import { batch, effect, untracked } from '@preact/signals'
import { api } from '../api/client.ts'
import { digits, language, type Preferences, theme, zone } from './preferences.ts'
import { account } from './session.ts'

/** Several changes in a row are sent as one. */
const SETTLE_MS = 400

const chosen = (): Required<Preferences> => ({
  language: language.value,
  theme: theme.value,
  digits: digits.value,
  zone: zone.value,
})

export function followAccount(): void {
  /** The account's preferences, as last known; undefined without an account. */
  let known: string | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let isUnsent = false

  // when a session is loaded, the account's preferences replace the browser's
  effect(() => {
    const preferences = account.value?.preferences
    untracked(() => {
      // loaded while a choice is still to be sent: the newer choice wins
      if (isUnsent && preferences !== undefined) return
      known = undefined
      if (preferences === undefined) {
        clearTimeout(timer)
        isUnsent = false
        return
      }
      batch(() => {
        language.value = preferences.language ?? language.value
        theme.value = preferences.theme ?? theme.value
        digits.value = preferences.digits ?? digits.value
        zone.value = preferences.zone ?? zone.value
      })
      known = JSON.stringify(chosen())
    })
  })
  effect(() => {
    const now = chosen()
    const text = JSON.stringify(now)
    clearTimeout(timer)
    isUnsent = known !== undefined && text !== known
    if (!isUnsent) return
    timer = setTimeout(() => {
      known = text
      // refused or offline: the choice is kept in this browser
      api
        .PATCH('/auth/account', { body: { preferences: now } })
        .catch(() => undefined)
        .finally(() => {
          if (known === text) isUnsent = false
        })
    }, SETTLE_MS)
  })
}
