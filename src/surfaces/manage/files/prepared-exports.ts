/**
 * Exports that were made for an answer to HEAD. A page sends HEAD before the browser downloads, because a browser does
 * not show why a download failed. Keeping the file avoids making it twice.
 */
import { rm } from 'node:fs/promises'
import type { Warning } from '../../../warnings/warning.ts'

export type PreparedExport = {
  /** Its own folder, deleted with the export. */
  scratch: string
  output: { path: string; filename: string; mediaType: string }
  warnings: Warning[]
}

export type PreparedExports = {
  keep(key: string, made: PreparedExport): Promise<void>
  /** Takes the kept export. The caller deletes its folder. */
  take(key: string): PreparedExport | undefined
}

const KEPT_MS = 60_000
/** Most exports kept for all callers together: each may be as large as a layer. */
const MAX_PREPARED_EXPORTS = 16

export const removeExport = ({ scratch }: PreparedExport): Promise<void> =>
  rm(scratch, { recursive: true, force: true })

export function createPreparedExports(): PreparedExports {
  const kept = new Map<string, { made: PreparedExport; timer: ReturnType<typeof setTimeout> }>()

  function take(key: string): PreparedExport | undefined {
    const found = kept.get(key)
    if (found === undefined) return undefined
    clearTimeout(found.timer)
    kept.delete(key)
    return found.made
  }
  async function drop(key: string): Promise<void> {
    const made = take(key)
    if (made !== undefined) await removeExport(made)
  }
  return {
    take,
    async keep(key, made) {
      await drop(key)
      const [oldest] = kept.keys()
      if (kept.size >= MAX_PREPARED_EXPORTS && oldest !== undefined) await drop(oldest)
      // a folder that cannot be deleted now is deleted at the next start
      const timer = setTimeout(() => void drop(key).catch(() => undefined), KEPT_MS)
      timer.unref()
      kept.set(key, { made, timer })
    },
  }
}
