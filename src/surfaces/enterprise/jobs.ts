/** Jobs: accepted here, stored before the answer, worked on by whichever process takes them. */
import type { Organization } from '../../access/organization.ts'
import { AppError } from '../../errors.ts'
import { requestContextOf } from '../../http/request-context.ts'
import { newId } from '../../stores/postgres/ids.ts'
import { addJob, type Job } from '../../stores/postgres/jobs.ts'
import { addStoredFiles, creditsUsed } from '../../stores/postgres/runs.ts'
import type { Tool } from '../../tools/tool.ts'
import type { EnterpriseDeps } from './deps.ts'
import { creditPeriod, filesIn, settingsOf } from './execute.ts'

export const GIS_PREFIX = '/enterprise/v1/gis'

/** What a job keeps of its call. */
export type JobCall = {
  path: string
  method: string
  requestId: string
  settings: Record<string, unknown>
  files: { field: string; key: string; filename: string; bytes: number; several: boolean }[]
  inputBytes: number
  creditsPerMonth: number
}

/** @throws AppError CREDITS_EXHAUSTED when they are spent already */
export async function acceptJob(
  deps: EnterpriseDeps,
  request: Request,
  tool: Tool,
  organization: Organization,
  input: Record<string, unknown>,
  inputBytes: number,
): Promise<{ document: object; location: string }> {
  const { enterprise, application, memberId } = organization
  const { path, method, requestId } = requestContextOf(request)
  const used = await creditsUsed(deps.db, enterprise.id, creditPeriod().start)
  if (used + tool.credits > enterprise.creditsPerMonth) throw new AppError('CREDITS_EXHAUSTED')
  const id = newId('job')
  const files: JobCall['files'] = []
  for (const { field, file } of filesIn(input)) {
    const key = newId('fil')
    await deps.files.put(key, file.path)
    files.push({ field, key, filename: file.filename, bytes: file.bytes, several: Array.isArray(input[field]) })
  }
  const about = { enterpriseId: enterprise.id, memberId: memberId ?? null, runId: id, artifactId: null, crs: null }
  await addStoredFiles(
    deps.db,
    files.map(({ key, field, filename, bytes }) => ({
      ...about,
      ...{ id: key, role: 'input' as const, field, filename, mediaType: 'application/octet-stream', bytes },
    })),
  )
  const settings = settingsOf(input)
  const call: JobCall = {
    ...{ path, method, requestId, settings, files, inputBytes },
    creditsPerMonth: enterprise.creditsPerMonth,
  }
  const job = await addJob(deps.db, {
    id,
    enterpriseId: enterprise.id,
    applicationId: application.id,
    memberId: memberId ?? null,
    toolId: tool.id,
    toolVersion: tool.version,
    call,
  })
  await deps.changes.publish({ kind: 'job', id, dismissed: false })
  return { document: jobDocument(job), location: `${GIS_PREFIX}/jobs/${id}` }
}

const MESSAGES: Record<Job['status'], string> = {
  accepted: 'Waiting for a process to take it on.',
  running: 'Under way.',
  successful: 'Done; the results are there.',
  failed: 'Failed; the results tell why.',
  dismissed: 'Dismissed.',
}

const timeOf = (moment: Date | null): string | null => moment?.toISOString() ?? null

/** A job's status, in the words of OGC API – Processes (OGC 18-062r2, 7.12). */
export function jobDocument(job: Job) {
  const href = `${GIS_PREFIX}/jobs/${job.id}`
  const hasResults = job.status === 'successful' || job.status === 'failed'
  return {
    jobID: job.id,
    processID: job.toolId,
    type: 'process',
    status: job.status,
    progress: job.progress,
    message: MESSAGES[job.status],
    created: timeOf(job.createdAt),
    started: timeOf(job.startedAt),
    finished: timeOf(job.finishedAt),
    updated: timeOf(job.updatedAt),
    links: [
      { rel: 'self', href, type: 'application/json' },
      { rel: 'service-desc', href: `${GIS_PREFIX}/openapi.json`, type: 'application/vnd.oai.openapi+json;version=3.1' },
      ...(hasResults
        ? [
            {
              rel: 'http://www.opengis.net/def/rel/ogc/1.0/results',
              href: `${href}/results`,
              type: 'application/json',
            },
          ]
        : []),
    ],
  }
}
