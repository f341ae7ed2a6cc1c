/** Tool APIs: their gate and usage, and the owners' layers and files that they are bound to. */
import type { Logger } from 'pino'
import type { KeyFailures } from '../access/keys/key-failures.ts'
import type { KeyUse } from '../access/keys/key-use.ts'
import type { RateWindows } from '../access/rate-windows.ts'
import { createToolApiGate } from '../access/tool-apis.ts'
import type { Config } from '../config.ts'
import { encodeRecord } from '../lib/geo/layers/layer-records.ts'
import type { RunDeps } from '../runs/deps.ts'
import { openFileCopies } from '../stores/file-copies.ts'
import { openLayerFiles } from '../stores/layer-files.ts'
import type { ToolApiDeps } from '../surfaces/tool-api/deps.ts'
import { createToolApiUsage } from '../tool-apis/usage.ts'
import { jsonBody, toolApiLimits } from './limits.ts'

export async function openToolApis(
  config: Config,
  { db, changes, engine, files, registry, scratchDir }: RunDeps,
  { windows, failures, keyUse }: { windows: RateWindows; failures: KeyFailures; keyUse: KeyUse },
  logger: Logger,
): Promise<Omit<ToolApiDeps, 'idempotency'>> {
  const gate = createToolApiGate({
    db,
    changes,
    failures,
    windows,
    callsPerMinute: config.toolApiCallsPerMinute,
    tierOf: (toolId) => registry.byId(toolId)?.tier,
    onKeyUse: (keyId, nowMs) => keyUse.note('tool-api-key', keyId, nowMs),
  })
  const usage = createToolApiUsage(db, (error) =>
    logger.warn({ err: error }, 'usage of Tool APIs could not be stored; this will be retried'),
  )
  return {
    db,
    changes,
    engine,
    registry,
    gate,
    usage,
    scratchDir,
    body: jsonBody(config),
    layerFiles: await openLayerFiles(db, config.layersDir, config.boundCacheBytes, encodeRecord),
    fileCopies: await openFileCopies(files, config.copiesDir, config.boundCacheBytes),
    limits: toolApiLimits(config),
  }
}
