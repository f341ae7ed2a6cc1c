import type { OrganizationCallers } from '../../access/organization-callers.ts'
import type { RateWindows } from '../../access/rate-windows.ts'
import type { BodyLimits } from '../../http/body/body.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import type { RunDeps } from '../../runs/deps.ts'
import type { Uploads } from '../../runs/uploads.ts'
import type { LayerFiles } from '../../stores/layer-files.ts'
import type { Database } from '../../stores/postgres/client.ts'
import type { KeySpace } from '../../stores/postgres/runs/idempotency.ts'
import type { FileKind } from '../../tools/params.ts'

export type EnterpriseLimits = {
  callsPerMinute: number
  filesPerHour: number
  fileBytes: Record<FileKind, number>
  toolTimeoutMs: number
  uploadTimeoutMs: number
  /** Largest size of a resumable upload. */
  maxUploadBytes: number
}

export type EnterpriseDeps = RunDeps & {
  limits: EnterpriseLimits
  organizations: OrganizationCallers
  windows: RateWindows
  uploads: Uploads
  idempotency: Idempotency<Database, KeySpace>
  jsonBody: BodyLimits
  /** Layers that calls name in place of files. */
  layerFiles: LayerFiles
  version: string
}
