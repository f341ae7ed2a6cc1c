/** Limits of calls to each surface, from the configuration. */
import type { Config } from '../config.ts'
import type { BodyLimits } from '../http/body/body.ts'
import type { AssetsLimits } from '../surfaces/assets/asset-routes.ts'
import type { EnterpriseLimits } from '../surfaces/enterprise/deps.ts'
import type { ManageLimits } from '../surfaces/manage/deps.ts'
import type { ToolApiLimits } from '../surfaces/tool-api/deps.ts'

export const sensorBody = (config: Config): BodyLimits => ({
  maxBytes: config.sensorBodyBytes,
  timeoutMs: config.bodyTimeoutMs,
})

/** Bodies with readings of many sensors. */
const MANY_BYTES = 5 * 1024 * 1024
export const manyBody = (config: Config): BodyLimits => ({ maxBytes: MANY_BYTES, timeoutMs: config.bodyTimeoutMs })

export const jsonBody = (config: Config): BodyLimits => ({
  maxBytes: config.jsonBodyBytes,
  timeoutMs: config.bodyTimeoutMs,
})

/** Records of /manage and rules hold at most 256 channels or 1,000 ids, and are parsed on the server's thread. */
const RECORD_BYTES = 512 * 1024
export const recordBody = (config: Config): BodyLimits => ({
  maxBytes: Math.min(config.jsonBodyBytes, RECORD_BYTES),
  timeoutMs: config.bodyTimeoutMs,
})

export const assetsLimits = (config: Config): AssetsLimits => ({
  callsPerMinute: config.assetsCallsPerMinute,
  callsAtOnce: config.assetsCallsAtOnce,
  uploadsPerMinute: config.assetsUploadsPerMinute,
})

export const enterpriseLimits = (config: Config): EnterpriseLimits => ({
  callsPerMinute: config.callsPerMinute,
  filesPerHour: config.filesPerHour,
  fileBytes: {
    vector: config.vectorFileBytes,
    raster: config.rasterFileBytes,
    image: config.imageFileBytes,
    pdf: config.pdfFileBytes,
  },
  toolTimeoutMs: config.toolTimeoutMs,
  uploadTimeoutMs: config.uploadTimeoutMs,
  maxUploadBytes: config.uploadBytes,
})

export const toolApiLimits = (config: Config): ToolApiLimits => ({
  features: config.toolApiFeatures,
  resultBytes: config.toolApiResultBytes,
  timeoutMs: config.toolTimeoutMs,
})

export const manageLimits = (config: Config): ManageLimits => ({
  writesPerMinute: config.manageWritesPerMinute,
  operatorWritesPerMinute: config.operatorWritesPerMinute,
  layerBody: { maxBytes: config.layerBodyBytes, timeoutMs: config.uploadTimeoutMs },
  ownerFileBytes: {
    vector: config.vectorFileBytes,
    raster: config.rasterFileBytes,
    image: config.imageFileBytes,
    document: config.pdfFileBytes,
    table: config.vectorFileBytes,
  },
  toolTimeoutMs: config.toolTimeoutMs,
  uploadTimeoutMs: config.uploadTimeoutMs,
  retentionGraceMs: config.retentionGraceMs,
  dataExportHours: config.dataExportHours,
})
