/** Start of the portal in the browser. */
import { effect } from '@preact/signals'
import { render } from 'preact'
import { followAccount } from './account-preferences.ts'
import { Frame } from './frame.tsx'
import { keepPreferences, language } from './preferences.ts'
import { followLinks } from './router.ts'
import { loadSession } from './session.ts'
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
