/** /manage/v1 and the tools of enterprises: their limits, and the services that they use. */
import type { Monitor } from '../monitoring/monitor.ts'
import type { LayerFiles } from '../stores/layer-files.ts'
import type { EnterpriseDeps } from '../surfaces/enterprise/deps.ts'
import type { ManageSurfaceDeps } from '../surfaces/manage/management-routes.ts'
import type { Callers } from './callers.ts'
import type { Destinations } from './destinations.ts'
import type { ServerHost } from './host.ts'
import type { Ingestion } from './ingest.ts'
import { enterpriseLimits, jsonBody, manageLimits, recordBody } from './limits.ts'
import type { OwnerFiles } from './owner-files.ts'
import type { Runs } from './runs.ts'
import type { Stores } from './stores/stores.ts'
import type { ToolApis } from './tool-apis.ts'

export type ManageNeeds = {
  runs: Runs
  callers: Callers
  toolApis: ToolApis
  ingestion: Ingestion
  files: OwnerFiles
  monitor: Monitor
  destinations: Destinations
}

export function openManage(
  { config, warn }: ServerHost,
  { clickhouse }: Stores,
  { runs, callers, toolApis, ingestion, files, monitor, destinations }: ManageNeeds,
): ManageSurfaceDeps {
  const { db, changes, disk, engine, fileRemovals, fileWrites, registry, scratchDir, storage } = runs
  const { accounts, keyUse, operatorOnly, operatorTokens, sessionRights, windows, idempotency } = callers
  return {
    db,
    clickhouse,
    changes,
    disk,
    storage,
    fileRemovals,
    fileWrites,
    engine,
    registry,
    scanner: files.scanner,
    scratchDir,
    fileStore: runs.files,
    usage: toolApis.usage,
    layerFiles: toolApis.layerFiles,
    toolApiCalls: toolApis.calls,
    flushUsage: ingestion.flushCounts,
    keyUse,
    fleetNotes: ingestion.fleetNotes,
    oneTimeLinks: accounts.auth.links,
    linkMail: accounts.linkMail,
    hashing: accounts.hashing,
    monitor,
    ...destinations,
    serverSecret: accounts.auth.secret,
    operatorOnly,
    operatorTokens,
    sessionRights,
    windows,
    idempotency: idempotency.ofRecords,
    recordBody: recordBody(config),
    limits: manageLimits(config),
    onExportError: warn('an export of the audit log broke off'),
  }
}

export function openEnterprise(
  { config, version }: ServerHost,
  runs: Runs,
  { organizations, windows, idempotency }: Callers,
  { uploads, layerFiles }: Pick<OwnerFiles, 'uploads'> & { layerFiles: LayerFiles },
): EnterpriseDeps {
  return {
    ...runs,
    version,
    organizations,
    windows,
    uploads,
    layerFiles,
    idempotency: idempotency.ofRuns,
    limits: enterpriseLimits(config),
    jsonBody: jsonBody(config),
  }
}
