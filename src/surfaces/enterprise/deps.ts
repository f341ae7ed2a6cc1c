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

/** What running a tool takes; a process that only works on jobs has nothing more. */
export type ExecutionDeps = {
  db: Database
  files: FileStore
  engine: Engine
  registry: Registry
  changes: Changes
  limits: EnterpriseLimits
  /** A folder for what runs leave behind only if they are cut off. */
  scratchDir: string
  instanceId: string
}

export type EnterpriseDeps = ExecutionDeps & {
  organizations: OrganizationGate
  windows: RateWindows
  jsonBody: BodyLimits
  version: string
}

/** Who a run is for. */
export type Caller = Pick<Organization, 'memberId'> & {
  enterprise: Pick<Organization['enterprise'], 'id' | 'creditsPerMonth'>
  application: { id: string }
}
