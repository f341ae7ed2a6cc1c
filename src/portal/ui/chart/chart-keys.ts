/** The keyboard of a chart. */
import { useSignal } from '@preact/signals'
import { nearestIndex } from './chart-legend.tsx'

type Keys = {
  cursor: { value: number | undefined }
  x: readonly number[]
  onZoom: (fromMs: number, toMs: number) => void
}

/** Arrow keys move the cursor, with Shift they select; Enter zooms into the selection, Escape drops it. */
export function useKeys({ cursor, x, onZoom }: Keys) {
  const selection = useSignal<readonly [number, number] | undefined>(undefined)
  const isUsed = useSignal(false)
  function onKeyDown(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
    if (event.target !== event.currentTarget || x.length === 0) return
    const at = cursor.value === undefined ? x.length - 1 : nearestIndex(x, cursor.value)
    const by = event.ctrlKey || event.metaKey ? 20 : 1
    const next = { ArrowLeft: at - by, ArrowRight: at + by, Home: 0, End: x.length - 1 }[event.key]
    if (next !== undefined) {
      event.preventDefault()
      isUsed.value = true
      const ms = x[Math.max(0, Math.min(x.length - 1, next))] as number
      const before = cursor.value ?? ms
      cursor.value = ms
      // also without a selection, so that the panels draw the cursor
      selection.value = event.shiftKey ? [selection.value?.[0] ?? before, ms] : [ms, ms]
    } else if (event.key === 'Enter' && selection.value !== undefined) {
      const [a, b] = selection.value
      event.preventDefault()
      selection.value = undefined
      if (a !== b) onZoom(Math.min(a, b), Math.max(a, b))
    } else if (event.key === 'Escape') selection.value = undefined
  }
  function onBlur(): void {
    isUsed.value = false
    selection.value = undefined
  }
  return { onKeyDown, onBlur, selection, isUsed }
}
