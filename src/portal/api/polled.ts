/** Data that is loaded again every few seconds while the tab is visible. */
import { useEffect } from 'preact/hooks'
import { type Resource, useResource } from './resource.ts'

export function usePolled<T>(
  load: (signal: AbortSignal) => Promise<T>,
  keys: readonly unknown[],
  everyMs: number,
): Resource<T> {
  const resource = useResource(load, keys)
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden && !resource.isLoading.peek()) resource.reload()
    }, everyMs)
    return () => clearInterval(timer)
  }, keys)
  return resource
}
