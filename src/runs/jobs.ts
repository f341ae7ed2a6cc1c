/** Accepts jobs: a job is stored before its call is answered, and any process may work on it. */
import { AppError } from '../errors.ts'
import { isStoreLost } from '../store-errors.ts'
import type { Database } from '../stores/postgres/client.ts'
import { holdFiles } from '../stores/postgres/given-files.ts'
import { newId } from '../stores/postgres/ids.ts'
import { addJob, type Job } from '../stores/postgres/jobs.ts'
import { ownedBy } from '../stores/postgres/owners.ts'
import { addStoredFiles, creditsUsed, type NewStoredFile } from '../stores/postgres/runs.ts'
import type { Plan, Tool } from '../tools/tool.ts'
import { type TraceCarrier, tracing } from '../tracing.ts'
import type { Caller, CallHead, RunDeps } from './deps.ts'
import { creditPeriod, filesIn, settingsOf } from './execute.ts'
import { keyIsGone, type StoredInputs } from './given-inputs.ts'

/** What is stored of a job's call. */
export type JobCall = CallHead & {
  settings: Record<string, unknown>
  /** `key` is that of the content; `given` the one that the caller named the file by. */
  files: { field: string; key: string; given?: string; filename: string; bytes: number; several: boolean }[]
  inputBytes: number
  creditsPerMonth: number | null
  /** The trace of the call, which the job continues. */
  trace?: TraceCarrier
  /** Jobs of earlier releases have none; they are those of enterprises. */
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
  /** Stores more in the transaction that stores the job; if it fails, there is no job. */
  onAccepted?: ((tx: Database, job: Job) => Promise<void>) | undefined
}

/** @throws AppError CREDITS_EXHAUSTED when the remaining credits do not pay for it */
export async function acceptJob(deps: RunDeps, newCall: NewJobCall): Promise<Job> {
  const { tool, caller, head, input, storedInputs, inputBytes } = newCall
  const { owner, applicationId, memberId } = caller
  const { creditsPerMonth } = owner
  const used = creditsPerMonth === null ? 0 : await creditsUsed(deps.db, owner.id, creditPeriod().start)
  if (creditsPerMonth !== null && used + tool.credits > creditsPerMonth) throw new AppError('CREDITS_EXHAUSTED')
  const id = newId('job')
  const files: JobCall['files'] = []
  const aboutFiles = { ...ownedBy(owner), memberId: memberId ?? null, runId: id, artifactId: null, crs: null }
  const all = filesIn(input)
  const bytesSent = all.reduce((sum, { file }) => sum + (storedInputs.has(file.path) ? 0 : file.bytes), 0)
  await deps.storage.within(owner.id, bytesSent, async () => {
    const added: NewStoredFile[] = []
    for (const { field, file } of all) {
      const { filename, bytes } = file
      const known = storedInputs.get(file.path)
      const key = known?.storageKey ?? newId('fil')
      files.push({
        field,
        key,
        ...(known && { given: known.key }),
        filename,
        bytes,
        several: Array.isArray(input[field]),
      })
      if (known !== undefined) continue
      await deps.files.put(key, file.path)
      added.push({
        ...aboutFiles,
        id: key,
        role: 'input',
        field,
        filename,
        mediaType: 'application/octet-stream',
        bytes,
      })
    }
    await addStoredFiles(deps.db, added).catch(async (error) => {
      // the owner was deleted meanwhile
      if (!isStoreLost(error)) await Promise.all(added.map(({ id }) => deps.files.remove(id)))
      throw error
    })
  })
  const settings = settingsOf(input)
  const trace = tracing.on?.carrier()
  const call: JobCall = {
    ...{ ...head, settings, files, inputBytes },
    creditsPerMonth,
    plan: owner.plan,
    ...(trace && { trace }),
  }
  const about = { applicationId: applicationId ?? null, memberId: memberId ?? null }
  const record = { id, ...ownedBy(owner), ...about, toolId: tool.id, toolVersion: tool.version, call }
  const job = await deps.db.transaction(async (tx) => {
    const given = files.filter((file) => file.given !== undefined)
    const areThere = await holdFiles(
      tx,
      given.map(({ key }) => key),
    )
    if (!areThere) throw keyIsGone(given[0]?.field ?? 'file')
    const added = await addJob(tx, record)
    await newCall.onAccepted?.(tx, added)
    return added
  })
  await deps.changes.publish({ kind: 'job', id, dismissed: false })
  return job
}
