import type { ToolApiUsage } from '../../access/tool-api-usage.ts'
import type { Engine } from '../../engine/engine.ts'
import type { BodyLimits } from '../../http/body.ts'
import type { FileKind } from '../../intake/file-types.ts'
import type { Changes } from '../../stores/changes.ts'
import type { FileStore } from '../../stores/files/client.ts'
import type { Database } from '../../stores/postgres/client.ts'
import type { Owner } from '../../stores/postgres/owners.ts'
import type { Registry } from '../../tools/registry.ts'
import type { Scanner } from './scanner.ts'

export type ManageLimits = {
  layerBody: BodyLimits
  ownerFileBytes: Record<FileKind, number>
  toolTimeoutMs: number
  uploadTimeoutMs: number
}

export type ManageDeps = {
  db: Database
  changes: Changes
  registry: Registry
  engine: Engine
  fileStore: FileStore
  scanner: Scanner
  usage: ToolApiUsage
  /** Whether the plan or tier of an owner that has Tool APIs is enough for a tool. */
  tierAllows(toolId: string, owner: Owner): boolean
  /** A folder for what is gone when a call ends. */
  scratchDir: string
  limits: ManageLimits
}
