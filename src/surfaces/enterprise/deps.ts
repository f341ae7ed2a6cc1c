import type { Organization, OrganizationGate } from '../../access/organization.ts'
import type { RateWindows } from '../../access/rate-windows.ts'
import type { Engine } from '../../engine/engine.ts'
import type { BodyLimits } from '../../http/body.ts'
import type { Changes } from '../../stores/changes.ts'
import type { FileStore } from '../../stores/files/client.ts'
import type { Database } from '../../stores/postgres/client.ts'
import type { FileKind } from '../../tools/params.ts'
import type { Registry } from '../../tools/registry.ts'

export type EnterpriseLimits = {
  callsPerMinute: number
  filesPerHour: number
  fileBytes: Record<FileKind, number>
  toolTimeoutMs: number
  jobTimeoutMs: number
  uploadTimeoutMs: number
}

/** Dependencies for running tools; all that a job worker needs. */
export type ExecutionDeps = {
  db: Database
  files: FileStore
  engine: Engine
  registry: Registry
  changes: Changes
  limits: EnterpriseLimits
  /** Folder for temporary files of runs; files remain only after a crash. */
  scratchDir: string
  instanceId: string
}

export type EnterpriseDeps = ExecutionDeps & {
  organizations: OrganizationGate
  windows: RateWindows
  jsonBody: BodyLimits
  version: string
}

/** On whose behalf a run takes place. */
export type Caller = Pick<Organization, 'memberId'> & {
  enterprise: Pick<Organization['enterprise'], 'id' | 'creditsPerMonth'>
  application: { id: string }
}
