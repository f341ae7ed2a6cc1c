/** Runs as the organization that made them sees them. */
import type { RunRecord, StoredFile } from '../../stores/postgres/runs.ts'

const timeOf = (moment: Date | null): string | null => moment?.toISOString() ?? null

export function runToJson(run: RunRecord, files?: readonly StoredFile[]) {
  return {
    runId: run.id,
    processID: run.toolId,
    version: run.toolVersion,
    memberId: run.memberId,
    applicationId: run.applicationId,
    requestId: run.requestId,
    jobId: run.jobId,
    status: run.status,
    code: run.code,
    settings: run.settings,
    creditsCharged: run.status === 'running' ? 0 : run.credits,
    inputBytes: run.inputBytes,
    outputBytes: run.outputBytes,
    durationMs: run.durationMs,
    startedAt: timeOf(run.startedAt),
    finishedAt: timeOf(run.finishedAt),
    ...(files && {
      inputs: files.filter(({ role }) => role === 'input').map(inputOf),
      artifacts: files.filter(({ role }) => role !== 'input').map(artifactOf),
    }),
  }
}

const inputOf = ({ id, role, field, filename, mediaType, bytes }: StoredFile) => ({
  ...{ key: id, role, field, filename, mediaType, bytes },
})

const artifactOf = ({ id, artifactId, role, filename, mediaType, crs, bytes }: StoredFile) => ({
  ...{ artifactId, key: id, role, filename, mediaType, crs, bytes },
})
