/** Start of the portal in the browser. */
import { effect } from '@preact/signals'
import { render } from 'preact'
import { followAccount } from './shell/account-preferences.ts'
import { Frame } from './shell/frame.tsx'
import { keepPreferences, language } from './shell/preferences.ts'
import { followLinks } from './shell/router.ts'
import { loadSession } from './shell/session.ts'
import { loadTexts } from './text/text.ts'

keepPreferences()
followLinks()
followAccount()
const texts = loadTexts()
const session = loadSession().catch(() => undefined)
await Promise.all([texts, session])
effect(() => {
  // a change of the language loads its texts
  if (language.value) void loadTexts()
})
render(<Frame />, document.getElementById('portal') as HTMLElement)
