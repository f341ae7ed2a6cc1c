/** Loads again when alerts change. */
import { useEffect, useRef } from 'preact/hooks'
import { useLive } from '../../live.ts'

/** Many alerts may change within a second. */
const GATHER_MS = 500

export function useAlertChanges(reload: () => void): void {
  const latest = useRef(reload)
  latest.current = reload
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useLive(
    {
      onAlerts: () => {
        timer.current ??= setTimeout(() => {
          timer.current = undefined
          latest.current()
        }, GATHER_MS)
      },
      refresh: () => latest.current(),
    },
    [],
  )
  useEffect(() => () => clearTimeout(timer.current), [])
}
