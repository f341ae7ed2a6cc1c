/** The tools that this person ran last, kept in this browser. */
import { signal } from '@preact/signals'
import { account } from '../../../shell/session.ts'

const MAX_RECENT_TOOLS = 6
const placeOf = (): string => `groundwave.tools.${account.peek()?.id ?? ''}`

function read(): string[] {
  try {
    const ids = JSON.parse(localStorage.getItem(placeOf()) ?? '[]') as unknown
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []
  } catch {
    return []
  }
}

const changes = signal(0)

/** Ids, the newest first. */
export function recentTools(): string[] {
  // another account in the same browser has a separate list
  return changes.value >= 0 && account.value !== undefined ? read() : []
}

export function rememberTool(id: string): void {
  try {
    localStorage.setItem(
      placeOf(),
      JSON.stringify([id, ...read().filter((one) => one !== id)].slice(0, MAX_RECENT_TOOLS)),
    )
    changes.value++
  } catch {
    // storage is full or disabled: the list is not changed
  }
}
