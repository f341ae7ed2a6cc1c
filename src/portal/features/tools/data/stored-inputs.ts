/** Large files of a call are sent first, in pieces that can be repeated, and the call then names their keys. */
import { uploadFile } from '../../../api/upload.ts'
import type { ProcessDescription } from '../process-form/process.ts'
import { type FormContent, type Part, partsOf } from '../process-form/values.ts'

/** Sending a smaller file again is faster than resuming it. */
const LARGE_BYTES = 16 * 2 ** 20

type Options = {
  signal: AbortSignal
  onProgress: (sentBytes: number, totalBytes: number, isWaiting: boolean) => void
}

const sizeOf = ({ value }: Part): number => (typeof value !== 'string' && value.kind === 'local' ? value.file.size : 0)

/** Number of bytes of files to send. */
export const bytesOf = (parts: readonly Part[]): number => parts.reduce((sum, part) => sum + sizeOf(part), 0)

export const canBeJob = ({ jobControlOptions }: ProcessDescription): boolean =>
  jobControlOptions.includes('async-execute')

/** A run of large files may exceed the time limit of a call, so it becomes a job. */
export const runsLong = (process: ProcessDescription, content: FormContent): boolean =>
  canBeJob(process) && bytesOf(partsOf(content)) > LARGE_BYTES

/** @returns the parts with the keys of their large files. @throws ApiError */
export async function storeLargeFiles(parts: readonly Part[], { signal, onProgress }: Options): Promise<Part[]> {
  const totalBytes = bytesOf(parts)
  const ready: Part[] = []
  let before = 0
  for (const part of parts) {
    const { field, value } = part
    if (typeof value === 'string' || value.kind === 'stored' || value.file.size <= LARGE_BYTES) {
      ready.push(part)
      continue
    }
    const { key } = await uploadFile(value.file, {
      signal,
      onProgress: ({ sentBytes, state }) => onProgress(before + sentBytes, totalBytes, state !== 'sending'),
    })
    before += value.file.size
    ready.push({ field, value: { kind: 'stored', id: value.id, name: value.name, key } })
  }
  return ready
}
