/** Runs, and jobs without a run, as JSON for the organization or person that started them. */
import type { ListedRun, RunNames } from '../stores/postgres/runs/run-list.ts'
import type { RunRecord, StoredFile } from '../stores/postgres/runs/runs.ts'
import type { RunInput } from '../stores/postgres/schema.ts'

const timeOf = (moment: Date | null): string | null => moment?.toISOString() ?? null

type Named = { memberId: string | null; applicationId: string | null }

/** The caller that started the run. */
const startedBy = ({ memberId, applicationId }: Named, names: RunNames) => ({
  memberId,
  memberEmail: (memberId !== null && names.members.get(memberId)) || null,
  applicationId,
  applicationName: (applicationId !== null && names.applications.get(applicationId)) || null,
})

type Files = {
  files: readonly StoredFile[]
  /** Deletion times of stored files, by key. */
  expiry: ReadonlyMap<string, Date>
}

/** @param given all inputs of a run that used stored files */
function filesToJson({ files, expiry }: Files, given: readonly RunInput[] | null = null) {
  const expiresAt = (key: string): string | null => timeOf(expiry.get(key) ?? null)
  return {
    inputs:
      given?.map((input) => ({ ...givenInputOf(input), expiresAt: expiresAt(input.storageKey) })) ??
      files.filter(({ role }) => role === 'input').map((file) => ({ ...inputOf(file), expiresAt: expiresAt(file.id) })),
    artifacts: files
      .filter(({ role }) => role !== 'input')
      .map((file) => ({ ...artifactOf(file), expiresAt: expiresAt(file.id) })),
  }
}

/** Storage keys of a run's files. */
export const storageKeysOf = (files: readonly StoredFile[], given: readonly RunInput[] | null = null): string[] => [
  ...files.map(({ id }) => id),
  ...(given ?? []).map(({ storageKey }) => storageKey),
]

export function runToJson(run: RunRecord, { names, ...files }: Files & { names: RunNames }) {
  return {
    runId: run.id,
    processID: run.toolId,
    version: run.toolVersion,
    name: run.name,
    folder: run.folder,
    ...startedBy(run, names),
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
    ...filesToJson(files, run.inputs),
  }
}

/** An entry of a list. A job lacks a run's settings, credits and outcome. */
export function listedToJson(listed: ListedRun, names: RunNames, expiry: Files['expiry']) {
  if (listed.kind === 'run') {
    const { run, isDismissed } = listed
    const files = [run.id, run.jobId ?? ''].flatMap((id) => names.files.get(id) ?? [])
    return { ...runToJson(run, { files, expiry, names }), isDismissed, progress: run.status === 'running' ? 0 : 100 }
  }
  const { job } = listed
  return {
    runId: null,
    processID: job.toolId,
    version: job.toolVersion,
    name: null,
    folder: null,
    ...startedBy(job, names),
    requestId: null,
    jobId: job.id,
    status: job.status,
    code: null,
    settings: {},
    creditsCharged: 0,
    inputBytes: 0,
    outputBytes: 0,
    durationMs: null,
    startedAt: timeOf(job.startedAt ?? job.createdAt),
    finishedAt: timeOf(job.finishedAt),
    ...filesToJson({ files: names.files.get(job.id) ?? [], expiry }),
    isDismissed: job.status === 'dismissed',
    progress: job.progress,
  }
}

/** `storageKey` if the caller named an owner's file: the key of the version that was read. */
const givenInputOf = ({ field, key, storageKey, filename, bytes }: RunInput) => ({
  key,
  role: 'input',
  field,
  filename,
  mediaType: 'application/octet-stream',
  bytes,
  ...(storageKey !== key && { storageKey }),
})

const inputOf = ({ id, role, field, filename, mediaType, bytes }: StoredFile) => ({
  key: id,
  role,
  field,
  filename,
  mediaType,
  bytes,
})

const artifactOf = ({ id, artifactId, role, filename, mediaType, crs, bytes }: StoredFile) => ({
  artifactId,
  key: id,
  role,
  filename,
  mediaType,
  crs,
  bytes,
})
