/** Selection by touch: movement along the time axis selects, vertical movement scrolls the page. */
import type uPlot from 'uplot'

const SHORTEST_PX = 12

/** @returns a function that removes it */
export function selectByTouch(plot: uPlot): () => void {
  const { over } = plot
  over.style.touchAction = 'pan-y'
  let start: number | undefined

  const place = (event: PointerEvent): number => {
    const { left, width } = over.getBoundingClientRect()
    return Math.max(0, Math.min(width, event.clientX - left))
  }
  function onDown(event: PointerEvent): void {
    if (event.pointerType === 'mouse') return
    start = place(event)
    plot.setCursor({ left: start, top: 20 })
  }
  function onMove(event: PointerEvent): void {
    if (start === undefined) return
    const now = place(event)
    plot.setCursor({ left: now, top: 20 })
    const select = { left: Math.min(start, now), top: 0, width: Math.abs(now - start), height: over.clientHeight }
    plot.setSelect(select, false)
  }
  function onUp(event: PointerEvent): void {
    if (start === undefined) return
    const [from, to] = [Math.min(start, place(event)), Math.max(start, place(event))]
    start = undefined
    plot.setSelect({ left: from, top: 0, width: to - from < SHORTEST_PX ? 0 : to - from, height: over.clientHeight })
  }
  /** The browser used the movement for scrolling. */
  function onCancel(): void {
    start = undefined
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
  }
  over.addEventListener('pointerdown', onDown)
  over.addEventListener('pointermove', onMove)
  over.addEventListener('pointerup', onUp)
  over.addEventListener('pointercancel', onCancel)
  return () => {
    over.removeEventListener('pointerdown', onDown)
    over.removeEventListener('pointermove', onMove)
    over.removeEventListener('pointerup', onUp)
    over.removeEventListener('pointercancel', onCancel)
  }
}
