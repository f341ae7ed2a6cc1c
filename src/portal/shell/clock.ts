/** One clock for all ages on the page, so that they tick together. */
import { signal } from '@preact/signals'

export const now = signal(Date.now())

const TICK_MS = 1_000

setInterval(() => {
  // a hidden page updates nothing
  if (!document.hidden) now.value = Date.now()
}, TICK_MS)
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) now.value = Date.now()
})
