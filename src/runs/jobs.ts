/** Accepts jobs: a job is stored before its call is answered, and any process may work on it. */
import { AppError } from '../errors.ts'
import { newId } from '../stores/postgres/ids.ts'
import { addJob, type Job } from '../stores/postgres/jobs.ts'
import { ownedBy } from '../stores/postgres/owners.ts'
import { addStoredFiles, creditsUsed } from '../stores/postgres/runs.ts'
import type { Plan, Tool } from '../tools/tool.ts'
import type { Caller, CallHead, RunDeps } from './deps.ts'
import { creditPeriod, filesIn, settingsOf } from './execute.ts'

/** What is stored of a job's call. */
export type JobCall = CallHead & {
  settings: Record<string, unknown>
  files: { field: string; key: string; filename: string; bytes: number; several: boolean }[]
  inputBytes: number
  creditsPerMonth: number | null
  /** Jobs of earlier releases have none; they are those of enterprises. */
  plan?: Plan
}

export type NewJobCall = {
  tool: Tool
  caller: Caller
  head: CallHead
  input: Record<string, unknown>
  inputBytes: number
}

/** @throws AppError CREDITS_EXHAUSTED when the remaining credits do not pay for it */
export async function acceptJob(deps: RunDeps, { tool, caller, head, input, inputBytes }: NewJobCall): Promise<Job> {
  const { owner, applicationId, memberId } = caller
  const { creditsPerMonth } = owner
  const used = creditsPerMonth === null ? 0 : await creditsUsed(deps.db, owner.id, creditPeriod().start)
  if (creditsPerMonth !== null && used + tool.credits > creditsPerMonth) throw new AppError('CREDITS_EXHAUSTED')
  const id = newId('job')
  const files: JobCall['files'] = []
  const sent = filesIn(input)
  const about = { ...ownedBy(owner), memberId: memberId ?? null, runId: id, artifactId: null, crs: null }
  const bytesSent = sent.reduce((sum, { file }) => sum + file.bytes, 0)
  await deps.storage.within(owner.id, bytesSent, async () => {
    for (const { field, file } of sent) {
      const key = newId('fil')
      await deps.files.put(key, file.path)
      files.push({ field, key, filename: file.filename, bytes: file.bytes, several: Array.isArray(input[field]) })
    }
    await addStoredFiles(
      deps.db,
      files.map(({ key, field, filename, bytes }) => ({
        ...about,
        ...{ id: key, role: 'input' as const, field, filename, mediaType: 'application/octet-stream', bytes },
      })),
    )
  })
  const settings = settingsOf(input)
  const call: JobCall = {
    ...{ ...head, settings, files, inputBytes },
    creditsPerMonth,
    plan: owner.plan,
  }
  const job = await addJob(deps.db, {
    id,
    ...ownedBy(owner),
    applicationId: applicationId ?? null,
    memberId: memberId ?? null,
    toolId: tool.id,
    toolVersion: tool.version,
    call,
  })
  await deps.changes.publish({ kind: 'job', id, dismissed: false })
  return job
}
