/**
 * Rows of a table, loaded in pages as they come into view. If the server returns a total and accepts an offset, any
 * page can be loaded, so the scroll bar covers all rows at once; with cursors alone the table grows at its end.
 */
import { type Signal, signal } from '@preact/signals'
import { useLayoutEffect, useMemo } from 'preact/hooks'
import { ApiError } from '../../api/client.ts'

export type PageRequest = {
  offset: number
  cursor: string | undefined
  limit: number
  signal: AbortSignal
  /** `seen`: a row is about to be seen for the first time. `fresh`: rows seen before. `all`: for a file. */
  purpose: 'seen' | 'fresh' | 'all'
}
/** `total` only where the server also takes an offset. */
export type RowPage<Row> = { items: readonly Row[]; nextCursor: string | null; total?: number | undefined }
export type LoadRows<Row> = (request: PageRequest) => Promise<RowPage<Row>>

export type Rows<Row> = {
  /** Changes with every row, so that the table renders again. */
  version: Signal<number>
  /** Changes with `keys`: another list begins. */
  started: Signal<number>
  /** Undefined until the first answer. */
  count: Signal<number | undefined>
  /** Whether there are more than `count`, because the end has not been reached. */
  hasMore: Signal<boolean>
  error: Signal<ApiError | undefined>
  isLoading: Signal<boolean>
  /** When the newest page arrived, in milliseconds since 1970. */
  loadedAt: Signal<number | undefined>
  /** Undefined while its page is loading. */
  at(index: number): Row | undefined
  /** Loads missing pages between two rows. */
  want(first: number, last: number): void
  /** Reloads the rows between two, in place. */
  refresh(first: number, last: number): Promise<void>
  /** A row that the table should scroll to. */
  shown: Signal<number | undefined>
  /** Marks all rows but those between two to be reloaded when they come into view. */
  forget(first: number, last: number): void
  /** Starts again; the old rows stay until the new ones arrive. */
  reload(): void
  /** Changes a row that is loaded. */
  change(matches: (row: Row) => boolean, change: (row: Row) => Row): void
  /** Every row in the order of the table, not only the loaded ones. */
  all(options: { signal?: AbortSignal; most?: number; onRows?: (count: number) => void }): Promise<Row[]>
}

const PAGE_ROWS = 100
/** The largest page that the API returns. */
const LARGEST_PAGE = 1_000
const RETRY_MS = 5_000

/** @param keys everything that changes which rows there are, and their order */
export function useRows<Row>(load: LoadRows<Row>, keys: readonly unknown[], pageRows = PAGE_ROWS): Rows<Row> {
  const state = useMemo(() => createRows(load, pageRows), [])
  state.load = load
  // not after the next frame: where drawing is slow, the list would start a frame later
  useLayoutEffect(() => {
    state.rows.started.value++
    state.rows.reload()
    return state.stop
  }, keys)
  return state.rows
}

function createRows<Row>(firstLoad: LoadRows<Row>, pageRows: number) {
  const version = signal(0)
  const started = signal(0)
  const count = signal<number | undefined>(undefined)
  const hasMore = signal(false)
  const error = signal<ApiError | undefined>(undefined)
  const isLoading = signal(true)
  const loadedAt = signal<number | undefined>(undefined)
  const shown = signal<number | undefined>(undefined)
  let items: (Row | undefined)[] = []
  let nextCursor: string | undefined
  /** Offsets of pages that are loading. */
  let loading = new Set<number>()
  let abort = new AbortController()
  let retry: ReturnType<typeof setTimeout> | undefined

  function stop(): void {
    clearTimeout(retry)
    abort.abort()
  }

  function put(offset: number, page: RowPage<Row>): void {
    for (const [i, item] of page.items.entries()) items[offset + i] = item
    if (page.total !== undefined) {
      items.length = page.total
      hasMore.value = false
    } else {
      nextCursor = page.nextCursor ?? undefined
      hasMore.value = nextCursor !== undefined
    }
    count.value = items.length
    error.value = undefined
    loadedAt.value = Date.now()
    version.value++
  }

  function failed(failure: unknown, again: () => void): void {
    error.value = failure instanceof ApiError ? failure : new ApiError(0, 'UNEXPECTED', String(failure))
    clearTimeout(retry)
    // a dropped connection or a busy server comes back; other failures need the person
    if (error.value.status === 0 || error.value.status === 503)
      retry = setTimeout(again, (error.value.retryAfterS ?? 0) * 1000 || RETRY_MS)
  }

  async function loadPage(offset: number, isFirst = false): Promise<void> {
    if (loading.has(offset)) return
    const { signal } = abort
    const mine = loading
    mine.add(offset)
    isLoading.value = true
    try {
      const cursor = isFirst ? undefined : nextCursor
      const page = await state.load({ offset, cursor, limit: pageRows, signal, purpose: 'seen' })
      if (signal.aborted) return
      if (isFirst) items = []
      put(offset, page)
    } catch (failure) {
      if (!signal.aborted) failed(failure, () => void loadPage(offset, isFirst))
    } finally {
      mine.delete(offset)
      if (mine === loading) isLoading.value = mine.size > 0
    }
  }

  const rows: Rows<Row> = {
    version,
    started,
    count,
    hasMore,
    error,
    isLoading,
    loadedAt,
    shown,
    at: (index) => items[index],
    want(first, last) {
      if (count.peek() === undefined || error.peek() !== undefined) return
      if (hasMore.peek()) {
        if (last >= items.length) void loadPage(items.length)
        return
      }
      for (let i = Math.max(0, first); i <= Math.min(last, items.length - 1); i++)
        if (items[i] === undefined) {
          const offset = i - (i % pageRows)
          void loadPage(offset)
          i = offset + pageRows - 1
        }
    },
    async refresh(first, last) {
      if (count.peek() === undefined || nextCursor !== undefined) return
      const { signal } = abort
      const offset = Math.max(0, first)
      try {
        const limit = Math.min(LARGEST_PAGE, Math.max(1, last - offset + 1))
        const page = await state.load({ offset, cursor: undefined, limit, signal, purpose: 'fresh' })
        if (!signal.aborted && page.total !== undefined) put(offset, page)
      } catch (failure) {
        if (!signal.aborted) failed(failure, () => void rows.refresh(first, last))
      }
    },
    forget(first, last) {
      if (nextCursor !== undefined) return
      items = items.map((item, i) => (i < first || i > last ? undefined : item))
    },
    reload() {
      stop()
      abort = new AbortController()
      loading = new Set()
      nextCursor = undefined
      error.value = undefined
      void loadPage(0, true)
    },
    change(matches, change) {
      let changed = false
      for (const [i, row] of items.entries())
        if (row !== undefined && matches(row)) {
          items[i] = change(row)
          changed = true
        }
      if (changed) version.value++
    },
    async all({ signal = new AbortController().signal, most = Number.POSITIVE_INFINITY, onRows }) {
      const found: Row[] = []
      for (let cursor: string | undefined; found.length < most; ) {
        const page = await state.load({ offset: found.length, cursor, limit: LARGEST_PAGE, signal, purpose: 'all' })
        found.push(...page.items)
        onRows?.(found.length)
        cursor = page.nextCursor ?? undefined
        if (cursor === undefined || page.items.length === 0) break
      }
      return found.length > most ? found.slice(0, most) : found
    },
  }
  const state = { load: firstLoad, rows, stop }
  return state
}
