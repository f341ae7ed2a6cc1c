/** Where an upload resumes after a reload of the page: the address of each unfinished upload, by owner and file. */
import { account, ownerId } from '../shell/session.ts'

const KEY = 'groundwave.uploads'
/** The server keeps unfinished uploads for about as long. */
const MAX_AGE_MS = 24 * 3_600_000

type Remembered = Record<string, { path: string; atMs: number }>

/** A browser does not reveal the path of a chosen file; these properties distinguish files. */
const fingerprintOf = ({ name, size, lastModified }: File): string =>
  JSON.stringify([account.peek()?.id, ownerId.peek(), name, size, lastModified])

/** Storage can be disabled or full; then an upload starts again after a reload. */
function read(): Remembered {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Remembered
  } catch {
    return {}
  }
}

function write(remembered: Remembered): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(remembered))
  } catch {
    // see read()
  }
}

export const rememberedUpload = (file: File): string | undefined => read()[fingerprintOf(file)]?.path

export function rememberUpload(file: File, path: string): void {
  const nowMs = Date.now()
  const recent = Object.entries(read()).filter(([, { atMs }]) => nowMs - atMs < MAX_AGE_MS)
  write({ ...Object.fromEntries(recent), [fingerprintOf(file)]: { path, atMs: nowMs } })
}

export function forgetUpload(file: File): void {
  const { [fingerprintOf(file)]: _, ...others } = read()
  write(others)
}
