import type { LinkMail } from '../../access/link-mail.ts'
import type { OneTimeLinks } from '../../access/one-time-links.ts'
import type { PasswordHashing } from '../../access/password-hashing.ts'
import type { ToolApiUsage } from '../../access/tool-api-usage.ts'
import type { Engine } from '../../engine/engine.ts'
import type { BodyLimits } from '../../http/body.ts'
import type { FileKind } from '../../intake/file-types.ts'
import type { Scanner } from '../../intake/scanner.ts'
import type { Storage } from '../../runs/storage.ts'
import type { Changes } from '../../stores/changes.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import type { FileStore } from '../../stores/files/client.ts'
import type { FreeDisk } from '../../stores/free-disk.ts'
import type { Database } from '../../stores/postgres/client.ts'
import type { Registry } from '../../tools/registry.ts'

export type ManageLimits = {
  layerBody: BodyLimits
  ownerFileBytes: Record<FileKind, number>
  toolTimeoutMs: number
  uploadTimeoutMs: number
  /** How long after a shorter retention readings are deleted. */
  retentionGraceMs: number
}

export type ManageDeps = {
  db: Database
  clickhouse: ClickHouse
  changes: Changes
  registry: Registry
  engine: Engine
  fileStore: FileStore
  disk: FreeDisk
  storage: Storage
  scanner: Scanner
  usage: ToolApiUsage
  oneTimeLinks: OneTimeLinks
  hashing: PasswordHashing
  linkMail: LinkMail
  /** Folder for temporary files of calls. */
  scratchDir: string
  limits: ManageLimits
}
