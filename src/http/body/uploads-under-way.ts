/** Forms with files that are being received, for the operator. */
import { requestContextOf } from '../request-context.ts'

type UnderWay = { path: string; caller: string; bytes: number; startedMs: number }

const underWay = new Set<UnderWay>()

/** @returns a function to call with the size of every chunk, and one to call at the end */
export function beginUpload(request: Request): { received(bytes: number): void; end(): void } {
  const { path, caller = '' } = requestContextOf(request)
  const upload = { path, caller, bytes: 0, startedMs: Date.now() }
  underWay.add(upload)
  return {
    received(bytes) {
      upload.bytes += bytes
    },
    end: () => void underWay.delete(upload),
  }
}

/** Maximum number of uploads in the list; the oldest come first. */
const MAX_LISTED = 200

export const uploadsUnderWay = () =>
  [...underWay].slice(0, MAX_LISTED).map(({ path, caller, bytes, startedMs }) => ({
    path,
    caller,
    bytes,
    startedAt: new Date(startedMs).toISOString(),
  }))

export const countUploads = (): number => underWay.size
