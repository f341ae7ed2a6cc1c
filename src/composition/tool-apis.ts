/** Tool APIs: their gate and usage, and the owners' layers and files that they are bound to. */
import { createToolApiGate } from '../access/tool-apis.ts'
import { encodeRecord } from '../lib/geo/layers/layer-records.ts'
import type { RunDeps } from '../runs/deps.ts'
import { openFileCopies } from '../stores/file-copies.ts'
import { openLayerFiles } from '../stores/layer-files.ts'
import { createToolApiCalls } from '../surfaces/tool-api/calls.ts'
import type { ToolApiDeps } from '../surfaces/tool-api/deps.ts'
import { createToolApiUsage } from '../tool-apis/usage.ts'
import type { Callers } from './callers.ts'
import type { ServerHost } from './host.ts'
import { jsonBody, toolApiLimits } from './limits.ts'

export async function openToolApis(
  { config, shutdown, warn }: ServerHost,
  { db, changes, engine, files, registry, scratchDir }: RunDeps,
  { windows, failures, keyUse, idempotency }: Callers,
) {
  const gate = createToolApiGate({
    db,
    changes,
    failures,
    windows,
    callsPerMinute: config.toolApiCallsPerMinute,
    tierOf: (toolId) => registry.byId(toolId)?.tier,
    onKeyUse: (keyId, nowMs) => keyUse.note('tool-api-key', keyId, nowMs),
  })
  const usage = createToolApiUsage(db, warn('usage of Tool APIs could not be stored; this will be retried'))
  shutdown.onStop('usage of Tool APIs', usage.stop)
  const deps: ToolApiDeps = {
    db,
    changes,
    engine,
    registry,
    gate,
    usage,
    idempotency: idempotency.ofRuns,
    scratchDir,
    body: jsonBody(config),
    layerFiles: await openLayerFiles(db, config.layersDir, config.boundCacheBytes, encodeRecord),
    fileCopies: await openFileCopies(files, config.copiesDir, config.boundCacheBytes),
    limits: toolApiLimits(config),
  }
  return { ...deps, calls: createToolApiCalls(deps) }
}

export type ToolApis = Awaited<ReturnType<typeof openToolApis>>
