/** Which rows of a table are selected: their ids, which stay selected while the rows move or are out of sight. */
import { type Signal, signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'

export type Selection = {
  ids: Signal<ReadonlySet<string>>
  toggle(id: string): void
  add(ids: Iterable<string>): void
  clear(): void
}

export function useSelection(): Selection {
  return useMemo(() => {
    const ids = signal<ReadonlySet<string>>(new Set())
    return {
      ids,
      toggle(id) {
        const next = new Set(ids.peek())
        if (!next.delete(id)) next.add(id)
        ids.value = next
      },
      add(more) {
        ids.value = new Set([...ids.peek(), ...more])
      },
      clear() {
        ids.value = new Set()
      },
    }
  }, [])
}
