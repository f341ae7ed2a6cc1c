/** The environment, read once into a frozen object. No other file reads it. */
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'

const MIB = 1024 * 1024

export type Config = ReturnType<typeof readConfig>

/** A variable that cannot be understood; the message names it and what it may be. */
export class ConfigError extends Error {}

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/** @throws ConfigError naming the variable, its value and what is allowed */
export function readConfig(environment: Record<string, string | undefined>) {
  function text(name: string, fallback: string): string {
    const value = environment[name]?.trim()
    return value === undefined || value === '' ? fallback : value
  }
  function whole(name: string, fallback: number, min: number, max: number): number {
    const value = text(name, String(fallback))
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < min || number > max)
      throw new ConfigError(`${name}="${value}" must be a whole number from ${min} to ${max}`)
    return number
  }
  function oneOf(name: string, fallback: string, allowed: readonly string[]): string {
    const value = text(name, fallback)
    if (!allowed.includes(value)) throw new ConfigError(`${name}="${value}" must be one of ${allowed.join(', ')}`)
    return value
  }
  function url(name: string, protocols: readonly string[]): string | undefined {
    const value = text(name, '')
    if (value === '') return undefined
    // the value may hold a password, so it is not told
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol))
      throw new ConfigError(`${name} must be a URL that begins with ${protocols.join('// or ')}//`)
    return value
  }
  const postgresUrl = url('POSTGRES_URL', ['postgres:', 'postgresql:'])
  const redisUrl = url('REDIS_URL', ['redis:', 'rediss:'])
  const clickhouseUrl = url('CLICKHOUSE_URL', ['http:', 'https:'])
  const s3Url = url('S3_URL', ['http:', 'https:'])
  const clamdUrl = url('CLAMD_URL', ['tcp:', 'unix:'])
  const instances = whole('INSTANCES', 1, 1, 256)
  const instance = whole('INSTANCE', 0, 0, 256)
  if (instances > 1 && !(postgresUrl && redisUrl && clickhouseUrl))
    throw new ConfigError(
      `INSTANCES="${instances}" needs POSTGRES_URL, REDIS_URL and CLICKHOUSE_URL: what is embedded serves one`,
    )

  const home = resolve(text('DATA_DIR', './data'))
  // several instances share the operator's token and nothing else
  const dataDir = instance === 0 ? home : join(home, `instance-${instance}`)
  return Object.freeze({
    port: whole('PORT', 8080, 0, 65_535),
    host: text('HOST', '127.0.0.1'),
    logLevel: oneOf('LOG_LEVEL', 'info', LOG_LEVELS),
    dataDir,
    /** Unset: the embedded PostgreSQL on postgresDir. */
    postgresUrl,
    /** Unset: claims and counts in the process. */
    redisUrl,
    /** With user, password and database; unset: chDB in clickhouseDir. */
    clickhouseUrl,
    /** Unset: a folder in DATA_DIR, shared by the instances of this machine. */
    s3Url,
    /** ClamAV's daemon as `tcp://host:port` or `unix:///path`; unset: the built-in checks alone. */
    clamdUrl,
    filesDir: join(home, 'files'),
    layersDir: join(dataDir, 'layers'),
    copiesDir: join(dataDir, 'copies'),
    scratchDir: join(dataDir, 'scratch'),
    instances,
    /** Which of several instances on this machine this process is, from 1; 0 when it is the only one. */
    instance,
    /** What an answer to a sensor waits for. */
    ack: oneOf('ACK', 'disk', ['disk', 'clickhouse']) as 'disk' | 'clickhouse',
    postgresDir: join(dataDir, 'postgres'),
    postgresSocketDir: join(dataDir, 'run/postgres'),
    clickhouseDir: join(dataDir, 'clickhouse'),
    logDir: join(dataDir, 'log'),
    operatorTokenFile: join(home, 'operator.token'),
    /** Products that the licence of a self-hosted instance includes. */
    licenseFeatures: text('LICENSE_FEATURES', 'assets')
      .split(',')
      .map((feature) => feature.trim()),

    sensorCallsPerMinute: whole('SENSOR_CALLS_PER_MINUTE', 60, 1, 1_000_000_000),
    sensorBodyBytes: whole('SENSOR_BODY_BYTES', MIB, 1024, 64 * MIB),
    jsonBodyBytes: whole('JSON_BODY_BYTES', 5 * MIB, 1024, 64 * MIB),
    bodyTimeoutMs: whole('BODY_TIMEOUT_MS', 30_000, 100, 600_000),
    segmentBytes: whole('LOG_SEGMENT_MB', 32, 1, 1024) * MIB,
    logCeilingBytes: whole('LOG_CEILING_MB', 4096, 1, 100_000_000) * MIB,
    loadIntervalMs: whole('LOAD_INTERVAL_MS', 400, 10, 60_000),
    storeTimeoutMs: whole('STORE_TIMEOUT_MS', 60_000, 1_000, 3_600_000),
    lookupTimeoutMs: whole('LOOKUP_TIMEOUT_MS', 5_000, 100, 60_000),
    claimsKeepMs: whole('CLAIMS_KEEP_MINUTES', 60, 1, 525_600) * 60_000,
    claimsBytes: whole('CLAIMS_MEMORY_MB', 256, 1, 1_000_000) * MIB,

    /** Processes for tools that need GDAL, and as many for all other tools. */
    toolWorkers: whole('TOOL_WORKERS', availableParallelism(), 1, 256),
    /** Jobs at a time in one process; the rest of the workers is for those who wait for an answer. */
    jobSlots: whole('JOB_SLOTS', 1, 0, 256),
    toolQueue: whole('TOOL_QUEUE', 64, 0, 100_000),
    workerMemoryBytes: whole('WORKER_MEMORY_MB', 1024, 128, 1_000_000) * MIB,
    toolTimeoutMs: whole('TOOL_TIMEOUT_S', 120, 1, 86_400) * 1000,
    jobTimeoutMs: whole('JOB_TIMEOUT_S', 1800, 1, 604_800) * 1000,
    uploadTimeoutMs: whole('UPLOAD_TIMEOUT_S', 600, 1, 86_400) * 1000,
    callsPerMinute: whole('CALLS_PER_MINUTE', 600, 1, 1_000_000_000),
    filesPerHour: whole('FILES_PER_HOUR', 1000, 1, 1_000_000_000),
    maxFeatures: whole('MAX_FEATURES', 1_000_000, 1, 100_000_000),
    maxUnpackedBytes: whole('MAX_UNPACKED_MB', 500, 1, 100_000) * MIB,
    maxPixels: whole('IMAGE_MEGAPIXELS', 100, 1, 10_000) * 1e6,
    maxPages: whole('PDF_PAGES', 2_000, 1, 1_000_000),
    maxSamples: whole('RASTER_MEGASAMPLES', 4_000, 1, 1_000_000) * 1e6,
    vectorFileBytes: whole('VECTOR_FILE_MB', 100, 1, 100_000) * MIB,
    rasterFileBytes: whole('RASTER_FILE_MB', 512, 1, 100_000) * MIB,
    imageFileBytes: whole('IMAGE_FILE_MB', 25, 1, 100_000) * MIB,
    layerBodyBytes: whole('LAYER_BODY_MB', 64, 1, 10_000) * MIB,
    toolApiCallsPerMinute: whole('TOOL_API_CALLS_PER_MINUTE', 60, 1, 1_000_000_000),
    toolApiFeatures: whole('TOOL_API_FEATURES', 10_000, 1, 10_000_000),
    toolApiResultBytes: whole('TOOL_API_RESULT_MB', 20, 1, 10_000) * MIB,
    /** Copies of layers and files that Tool APIs are bound to, on this machine's disk. */
    boundCacheBytes: whole('BOUND_CACHE_MB', 4096, 1, 100_000_000) * MIB,
    clamdTimeoutMs: whole('CLAMD_TIMEOUT_S', 120, 1, 86_400) * 1000,
    pdfFileBytes: whole('PDF_FILE_MB', 100, 1, 100_000) * MIB,
  })
}
