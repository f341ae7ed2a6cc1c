/** Data that a page shows: loaded, kept while it is loaded again, and marked with its age when that fails. */
import { type Signal, signal } from '@preact/signals'
import { useLayoutEffect, useMemo } from 'preact/hooks'
import { ApiError } from './client.ts'

export type Resource<T> = {
  data: Signal<T | undefined>
  error: Signal<ApiError | undefined>
  isLoading: Signal<boolean>
  /** When the data arrived, in milliseconds since 1970. */
  loadedAt: Signal<number | undefined>
  reload(): void
}

const RETRY_MS = 5_000

/** @param keys the data is loaded again when one of them changes; the old data stays until then */
export function useResource<T>(load: (signal: AbortSignal) => Promise<T>, keys: readonly unknown[]): Resource<T> {
  const state = useMemo(() => {
    const resource = {
      data: signal<T | undefined>(undefined),
      error: signal<ApiError | undefined>(undefined),
      isLoading: signal(true),
      loadedAt: signal<number | undefined>(undefined),
      load,
      abort: new AbortController(),
      retry: undefined as ReturnType<typeof setTimeout> | undefined,
      reload,
    }
    function reload(): void {
      clearTimeout(resource.retry)
      resource.abort.abort()
      const abort = new AbortController()
      resource.abort = abort
      resource.isLoading.value = true
      resource.load(abort.signal).then(
        (data) => {
          if (abort.signal.aborted) return
          resource.data.value = data
          resource.error.value = undefined
          resource.loadedAt.value = Date.now()
          resource.isLoading.value = false
        },
        (error: unknown) => {
          if (abort.signal.aborted) return
          resource.error.value = error instanceof ApiError ? error : new ApiError(0, 'UNEXPECTED', String(error))
          resource.isLoading.value = false
          // a dropped connection or a busy server comes back; other failures need the person
          if (resource.error.value.status === 0 || resource.error.value.status === 503)
            resource.retry = setTimeout(reload, (resource.error.value.retryAfterS ?? 0) * 1000 || RETRY_MS)
        },
      )
    }
    return resource
  }, [])
  state.load = load
  // not after the next frame: where drawing is slow, each request would start a frame later
  useLayoutEffect(() => {
    state.reload()
    return () => {
      clearTimeout(state.retry)
      state.abort.abort()
    }
  }, keys)
  return state
}
