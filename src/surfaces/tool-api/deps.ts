import type { ToolApiGate } from '../../access/tool-apis.ts'
import type { Engine } from '../../engine/engine.ts'
import type { BodyLimits } from '../../http/body/body.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import type { Changes } from '../../stores/changes.ts'
import type { FileCopies } from '../../stores/file-copies.ts'
import type { LayerFiles } from '../../stores/layer-files.ts'
import type { Database } from '../../stores/postgres/client.ts'
import type { KeySpace } from '../../stores/postgres/runs/idempotency.ts'
import type { ToolApiUsage } from '../../tool-apis/usage.ts'
import type { Registry } from '../../tools/registry.ts'

export type ToolApiLimits = { features: number; resultBytes: number; timeoutMs: number }

export type ToolApiDeps = {
  db: Database
  changes: Changes
  engine: Engine
  registry: Registry
  gate: ToolApiGate
  usage: ToolApiUsage
  idempotency: Idempotency<Database, KeySpace>
  layerFiles: LayerFiles
  fileCopies: FileCopies
  scratchDir: string
  body: BodyLimits
  limits: ToolApiLimits
}
