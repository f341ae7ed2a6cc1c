/** Accepts jobs: a job is stored before its call is answered, and any process may work on it. */
import { AppError } from '../errors.ts'
import { ownedBy } from '../stores/postgres/accounts/owners.ts'
import type { Database } from '../stores/postgres/client.ts'
import { endWrites } from '../stores/postgres/files/file-writes.ts'
import { holdFiles } from '../stores/postgres/files/given-files.ts'
import { newId } from '../stores/postgres/ids.ts'
import { addJob, type Job } from '../stores/postgres/runs/jobs.ts'
import { addStoredFiles, creditsUsed, type NewStoredFile } from '../stores/postgres/runs/runs.ts'
import type { Plan, Tool } from '../tools/tool.ts'
import { type TraceCarrier, tracing } from '../tracing.ts'
import type { Caller, CallHead, RunDeps } from './deps.ts'
import { filesIn, settingsOf } from './execute.ts'
import { keyIsGone, type StoredInputs } from './given-inputs.ts'
import { creditPeriod, priceOf } from './price.ts'

/** The stored part of a job's call. */
export type JobCall = CallHead & {
  settings: Record<string, unknown>
  /** `key` is the key of the content; `given` is the key that the caller sent. */
  files: { field: string; key: string; given?: string; filename: string; bytes: number; several: boolean }[]
  inputBytes: number
  creditsPerMonth: number | null
  /** The trace of the call, which the job continues. */
  trace?: TraceCarrier
  /** Missing in jobs of earlier releases, which all belong to enterprises. */
  plan?: Plan
}

export type NewJobCall = {
  tool: Tool
  caller: Caller
  head: CallHead
  input: Record<string, unknown>
  /** Files of the input that are stored already; the job reads them, and they stay until it has ended. */
  storedInputs: StoredInputs
  inputBytes: number
  /** A destination of the owner that gets the end of the job, whatever it subscribes to. */
  callback: string | null
  /** Runs in the transaction that stores the job; if it fails, no job is stored. */
  onAccepted?: ((tx: Database, job: Job) => Promise<void>) | undefined
}

/** @throws AppError CREDITS_EXHAUSTED when too few credits remain */
export async function acceptJob(deps: RunDeps, newCall: NewJobCall): Promise<Job> {
  const { tool, caller, head, input, storedInputs, inputBytes, callback } = newCall
  const { owner, applicationId, memberId } = caller
  const { creditsPerMonth } = owner
  const used = creditsPerMonth === null ? 0 : await creditsUsed(deps.db, owner.id, creditPeriod().start)
  if (creditsPerMonth !== null && used + priceOf(tool, owner) > creditsPerMonth) throw new AppError('CREDITS_EXHAUSTED')
  const id = newId('job')
  const files: JobCall['files'] = []
  const added: NewStoredFile[] = []
  const written: { key: string; path: string }[] = []
  const aboutFiles = { ...ownedBy(owner), memberId: memberId ?? null, runId: id, artifactId: null, crs: null }
  for (const { field, file } of filesIn(input)) {
    const { filename, bytes, path } = file
    const known = storedInputs.get(path)
    const key = known?.storageKey ?? newId('fil')
    const given = known && { given: known.key }
    files.push({ field, key, ...given, filename, bytes, several: Array.isArray(input[field]) })
    if (known !== undefined) continue
    written.push({ key, path })
    const mediaType = 'application/octet-stream'
    added.push({ ...aboutFiles, id: key, role: 'input', field, filename, mediaType, bytes })
  }
  const settings = settingsOf(input)
  const trace = tracing.on?.carrier()
  const call: JobCall = {
    ...head,
    settings,
    files,
    inputBytes,
    creditsPerMonth,
    plan: owner.plan,
    ...(trace && { trace }),
  }
  const about = { applicationId: applicationId ?? null, memberId: memberId ?? null }
  const record = { id, ...ownedBy(owner), ...about, toolId: tool.id, toolVersion: tool.version, call, callback }
  const accept = async (tx: Database): Promise<Job> => {
    const given = files.filter((file) => file.given !== undefined)
    const areThere = await holdFiles(
      tx,
      given.map(({ key }) => key),
    )
    if (!areThere) throw keyIsGone(given[0]?.field ?? 'file')
    await endWrites(
      tx,
      written.map(({ key }) => key),
    )
    await addStoredFiles(tx, added)
    const job = await addJob(tx, record)
    await newCall.onAccepted?.(tx, job)
    return job
  }
  const bytesSent = added.reduce((sum, { bytes }) => sum + bytes, 0)
  const job = await deps.storage.within(owner.id, bytesSent, () =>
    deps.fileWrites.write(written, () => deps.db.transaction(accept)),
  )
  await deps.changes.publish({ kind: 'job', id, dismissed: false })
  return job
}
