import type { Engine } from '../engine/engine.ts'
import type { Changes } from '../stores/changes.ts'
import type { FileStore } from '../stores/files/client.ts'
import type { FreeDisk } from '../stores/free-disk.ts'
import type { Database } from '../stores/postgres/client.ts'
import type { Registry } from '../tools/registry.ts'
import type { Plan } from '../tools/tool.ts'
import type { FileRemovals } from './file-removals.ts'
import type { FileWrites } from './file-writes.ts'
import type { InstanceLeases } from './instance-leases.ts'
import type { Storage } from './storage.ts'

/** Dependencies of running tools, in a server and in a job worker. */
export type RunDeps = {
  db: Database
  files: FileStore
  engine: Engine
  registry: Registry
  disk: FreeDisk
  storage: Storage
  fileRemovals: FileRemovals
  fileWrites: FileWrites
  changes: Changes
  /** A folder for temporary files; emptied at every start. */
  scratchDir: string
  instanceId: string
  leases: InstanceLeases
  jobTimeoutMs: number
}

/** The owner of runs. The plan sets the limits of a tool; without credits nothing is charged. */
export type RunOwner = {
  kind: 'enterprise' | 'person'
  id: string
  plan: Plan
  creditsPerMonth: number | null
}

/** The caller that a run is charged to. */
export type Caller = {
  owner: RunOwner
  /** Undefined for a signed-in account. */
  applicationId: string | undefined
  /** Undefined when the call is attributed to no member. */
  memberId: string | undefined
}

/** The call that started a run, as stated in its envelope and record. */
export type CallHead = { path: string; method: string; requestId: string }
