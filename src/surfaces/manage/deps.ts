import type { FleetNotes } from '../../access/fleet/fleet-notes.ts'
import type { KeyUse } from '../../access/keys/key-use.ts'
import type { OperatorTokens } from '../../access/keys/operator-tokens.ts'
import type { LinkMail } from '../../access/mail/link-mail.ts'
import type { OneTimeLinks } from '../../access/mail/one-time-links.ts'
import type { PasswordHashing } from '../../access/sign-in/password-hashing.ts'
import type { AddressMails } from '../../destinations/mail/address-mails.ts'
import type { Allow } from '../../destinations/targets.ts'
import type { Engine } from '../../engine/engine.ts'
import type { BodyLimits } from '../../http/body/body.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import type { FileKind } from '../../intake/file-types.ts'
import type { Scanner } from '../../intake/scanner.ts'
import type { Monitor } from '../../monitoring/monitor.ts'
import type { FileRemovals } from '../../runs/file-removals.ts'
import type { FileWrites } from '../../runs/file-writes.ts'
import type { Storage } from '../../runs/storage.ts'
import type { Changes } from '../../stores/changes.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import type { FileStore } from '../../stores/files/client.ts'
import type { FreeDisk } from '../../stores/free-disk.ts'
import type { LayerFiles } from '../../stores/layer-files.ts'
import type { Database } from '../../stores/postgres/client.ts'
import type { KeySpace } from '../../stores/postgres/runs/idempotency.ts'
import type { ToolApiUsage } from '../../tool-apis/usage.ts'
import type { Registry } from '../../tools/registry.ts'

export type ManageLimits = {
  /** Limit of one account. */
  writesPerMinute: number
  /** Limit of one operator token. */
  operatorWritesPerMinute: number
  layerBody: BodyLimits
  ownerFileBytes: Record<FileKind, number>
  toolTimeoutMs: number
  uploadTimeoutMs: number
  /** Grace period before a shorter retention deletes readings. */
  retentionGraceMs: number
  /** How long full exports are kept. */
  dataExportHours: number
}

/** How long the deletion of an owner waits for the removal of files, which then continues in the background. */
export const REMOVAL_WAIT_MS = 2_000

/** The namespace of a request's `Idempotency-Key`, and whether the request was counted in the day by its personal key. */
export type PlaceOf = (request: Request) => Promise<{ space: KeySpace; route: string; isCounted: boolean }>

export type ManageServices = {
  db: Database
  clickhouse: ClickHouse
  changes: Changes
  registry: Registry
  engine: Engine
  fileStore: FileStore
  layerFiles: LayerFiles
  disk: FreeDisk
  storage: Storage
  fileRemovals: FileRemovals
  fileWrites: FileWrites
  scanner: Scanner
  usage: ToolApiUsage
  /** Writes pending counts to the database, so that queries include them. */
  flushUsage(): Promise<void>
  keyUse: Pick<KeyUse, 'flush'>
  fleetNotes: Pick<FleetNotes, 'flush'>
  oneTimeLinks: OneTimeLinks
  hashing: PasswordHashing
  linkMail: LinkMail
  monitor: Monitor
  webhookAllow: Allow
  /** Undefined for a server that sends no mail. */
  addressMails: AddressMails | undefined
  /** Encrypts the secrets of destinations. */
  serverSecret: string
  operatorTokens: OperatorTokens
  /** Receives errors of exports after their response has started. */
  onExportError(error: unknown): void
  /** Folder for temporary files of calls. */
  scratchDir: string
  limits: ManageLimits
}

export type ManageDeps = ManageServices & {
  /** The keys of requests with JSON bodies are claimed before their handlers; the keys of other requests once the body has arrived. */
  idempotency: Idempotency<Database, KeySpace>
  placeOf: PlaceOf
}
