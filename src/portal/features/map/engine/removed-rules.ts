/**
 * Deletion that can be undone: the rule disappears from the page at once and is deleted when the time for undo has
 * passed, because a rule that is created again would have lost its events. Leaving the tab deletes it at once.
 */
import { signal } from '@preact/signals'
import { api, dataOf, send, sessionHeaders } from '../../../api/client.ts'
import { t } from '../../../text/text.ts'
import { notifyFailure } from '../../../ui/failure-text.tsx'
import { notify } from '../../../ui/toasts.tsx'
import type { ZoneRule } from '../../zones/zone-data.ts'

/** As long as the message with the undo button is shown. */
const UNDO_MS = 12_000
const timers = new Map<string, ReturnType<typeof setTimeout>>()
export const removedRules = signal<ReadonlySet<string>>(new Set())

function show(id: string): void {
  clearTimeout(timers.get(id))
  timers.delete(id)
  removedRules.value = new Set([...removedRules.value].filter((other) => other !== id))
}

async function remove({ id }: ZoneRule): Promise<void> {
  timers.delete(id)
  try {
    await dataOf(api.DELETE('/enterprise/v1/assets/rules/{id}', { params: { path: { id } } }))
  } catch (error) {
    show(id)
    notifyFailure(error)
  }
}

export function removeRule(rule: ZoneRule): void {
  removedRules.value = new Set([...removedRules.value, rule.id])
  timers.set(
    rule.id,
    setTimeout(() => void remove(rule), UNDO_MS),
  )
  notify(t('zones.removed', { name: rule.name }), {
    undo: async () => show(rule.id),
  })
}

addEventListener('pagehide', () => {
  for (const [id, timer] of timers) {
    clearTimeout(timer)
    // the page closes before an answer arrives
    send(`/enterprise/v1/assets/rules/${id}`, {
      method: 'DELETE',
      headers: sessionHeaders('DELETE'),
      keepalive: true,
    }).catch(() => undefined)
  }
  timers.clear()
})
