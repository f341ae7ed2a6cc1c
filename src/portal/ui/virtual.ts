/** Lays out only the rows that can be seen. Every row has the same height. */
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from '@tanstack/virtual-core'
import { useLayoutEffect, useMemo, useState } from 'preact/hooks'

/** Rows drawn beyond the edges, so that fast scrolling shows no gaps. */
const BEYOND = 12

export type Virtual = {
  items: VirtualItem[]
  totalHeight: number
  show(index: number): void
  /** The rows that can be seen, without those beyond the edges. */
  range(): { first: number; last: number }
}

/** @param headHeight of the sticky head that covers the top of the scrolled element */
export function useVirtual(options: {
  count: number
  rowHeight: number
  headHeight: number
  element: () => HTMLElement | null
}): Virtual {
  const [, draw] = useState(0)
  const virtualizer = useMemo(() => new Virtualizer<HTMLElement, HTMLElement>(settings()), [])
  function settings() {
    return {
      count: options.count,
      getScrollElement: options.element,
      estimateSize: () => options.rowHeight,
      overscan: BEYOND,
      scrollPaddingEnd: options.headHeight,
      observeElementRect,
      observeElementOffset,
      scrollToFn: elementScroll,
      onChange: () => draw((n) => n + 1),
    }
  }
  virtualizer.setOptions(settings())
  useLayoutEffect(() => virtualizer._didMount(), [])
  useLayoutEffect(() => virtualizer._willUpdate())
  return {
    items: virtualizer.getVirtualItems(),
    totalHeight: virtualizer.getTotalSize(),
    show: (index) => virtualizer.scrollToIndex(index, { align: 'auto' }),
    range: () => ({ first: virtualizer.range?.startIndex ?? 0, last: virtualizer.range?.endIndex ?? 0 }),
  }
}
