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

/** What running tools needs, in a server and in a process that only works on jobs. */
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

/** Whose runs they are. The plan decides what the tool may do; without credits nothing is charged. */
export type RunOwner = {
  kind: 'enterprise' | 'person'
  id: string
  plan: Plan
  creditsPerMonth: number | null
}

/** Whom a run is charged to. */
export type Caller = {
  owner: RunOwner
  /** Undefined for an account that is signed in. */
  applicationId: string | undefined
  /** Undefined when the call is attributed to no member. */
  memberId: string | undefined
}

/** The call that started a run, as its envelope and its record state it. */
export type CallHead = { path: string; method: string; requestId: string }
