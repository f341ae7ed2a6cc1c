/** Above pages without the frame: the name, and the choice of the language. */
import { language } from '../shell/preferences.ts'
import { Button } from './button.tsx'

export function PublicHead() {
  const other = language.value === 'ar' ? 'en' : 'ar'
  return (
    <header class="public-head">
      <svg viewBox="0 0 16 16" width="24" height="24" aria-hidden="true">
        <path d="M1 10q2-8 4 0t4 0 4 0" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" />
      </svg>
      <strong dir="ltr">Groundwave</strong>
      <Button
        kind="quiet"
        icon="language"
        onClick={() => {
          language.value = other
        }}
      >
        <span lang={other}>{other === 'ar' ? 'العربية' : 'English'}</span>
      </Button>
    </header>
  )
}
