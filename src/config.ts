/** Reads the environment once into a frozen object. No other file reads the environment. */
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { ConfigError } from './config/config-error.ts'
import { readMqtt } from './config/mqtt.ts'
import { withSecretFiles } from './config/secret-files.ts'
import { readTracing } from './config/tracing.ts'
import type { Variable } from './config/variable.ts'
import { VARIABLES, type VariableName } from './config/variables.ts'
import { urlOfEachHost } from './multi-host-url.ts'

const MIB = 1024 * 1024
const MIN_SECRET = 32
/** Storing a segment takes up to five times its size in memory, and queries may take two thirds of the ceiling. */
const MEMORY_PER_SEGMENT = 12

export type Config = ReturnType<typeof readConfig>

/** @throws ConfigError naming the variable, its value and the allowed values */
export function readConfig(environment: Record<string, string | undefined>) {
  const { text, whole, choice, url } = variableReader(withSecretFiles(environment))
  const postgresUrl = url('POSTGRES_URL')
  const redisUrl = url('REDIS_URL')
  const clickhouseUrl = url('CLICKHOUSE_URL')
  const s3Url = url('S3_URL')
  const clamdUrl = url('CLAMD_URL')
  const instances = whole('INSTANCES')
  const instance = whole('INSTANCE')
  if (instances > 1 && !(postgresUrl && redisUrl && clickhouseUrl))
    throw new ConfigError(
      `INSTANCES="${instances}" requires POSTGRES_URL, REDIS_URL and CLICKHOUSE_URL: embedded stores serve one instance only`,
    )
  const clickhouseMb = whole('CLICKHOUSE_MEMORY_MB')
  const segmentMb = whole('LOG_SEGMENT_MB')
  if (clickhouseUrl === undefined && clickhouseMb < segmentMb * MEMORY_PER_SEGMENT)
    throw new ConfigError(
      `CLICKHOUSE_MEMORY_MB="${clickhouseMb}" must be at least ${MEMORY_PER_SEGMENT} times LOG_SEGMENT_MB, which is ${segmentMb}: ClickHouse stores a segment at once`,
    )

  const publicUrl = url('PUBLIC_URL')?.replace(/\/+$/, '')
  const smtpUrl = url('SMTP_URL')
  const signUp = choice('SIGN_UP') as 'open' | 'closed'
  if (smtpUrl !== undefined && publicUrl === undefined)
    throw new ConfigError('SMTP_URL requires PUBLIC_URL: links in mails start with it')
  if (signUp === 'open' && smtpUrl === undefined)
    throw new ConfigError('SIGN_UP="open" requires SMTP_URL: a link is sent to the address of a new account')
  const oidc = readOidc(url('OIDC_ISSUER'), text('OIDC_CLIENT_ID'), text('OIDC_CLIENT_SECRET'))
  if (oidc !== undefined && publicUrl === undefined)
    throw new ConfigError('OIDC_ISSUER requires PUBLIC_URL: the issuer sends browsers back to it')
  const portalSecret = text('PORTAL_SECRET') || undefined
  // the value is not repeated
  if (portalSecret !== undefined && portalSecret.length < MIN_SECRET)
    throw new ConfigError(`PORTAL_SECRET must have at least ${MIN_SECRET} characters`)

  const home = resolve(text('DATA_DIR'))
  // instances on one machine share the operator token and the files, nothing else
  const dataDir = instance === 0 ? home : join(home, `instance-${instance}`)
  const port = whole('PORT')
  return Object.freeze({
    port,
    host: text('HOST'),
    adminPort: whole('ADMIN_PORT'),
    adminHost: text('ADMIN_HOST'),
    workerMetricsPort: whole('WORKER_METRICS_PORT'),
    trustedProxies: proxiesOf(text('TRUSTED_PROXIES')),
    keyFailuresPerMinute: whole('KEY_FAILURES_PER_MINUTE'),
    logLevel: choice('LOG_LEVEL'),
    /** Folder of all instances on this machine. */
    home,
    /** Folder of this instance. */
    dataDir,
    postgresUrl,
    redisUrl,
    clickhouseUrl,
    s3Url,
    clamdUrl,
    filesDir: join(home, 'files'),
    layersDir: join(dataDir, 'layers'),
    copiesDir: join(dataDir, 'copies'),
    scratchDir: join(dataDir, 'scratch'),
    instances,
    instance,
    ack: choice('ACK') as 'disk' | 'clickhouse',
    postgresDir: join(dataDir, 'postgres'),
    postgresSocketDir: join(dataDir, 'run/postgres'),
    clickhouseDir: join(dataDir, 'clickhouse'),
    clickhouseSocketDir: join(dataDir, 'run/clickhouse'),
    clickhouseMemoryBytes: clickhouseMb * MIB,
    logDir: join(dataDir, 'log'),
    operatorTokenFile: join(home, 'operator.token'),
    firstOperatorFile: join(home, 'first-operator.link'),
    portalSecret,
    /** Without a trailing slash. */
    mapTiles: mapTilesOf(text('MAP_PMTILES')),
    publicUrl,
    smtpUrl,
    webhookAllow: text('WEBHOOK_ALLOW'),
    deliveryTimeScale: whole('DELIVERY_TIME_SCALE'),
    mailFrom:
      text('MAIL_FROM') || (publicUrl === undefined ? '' : `Groundwave <no-reply@${new URL(publicUrl).hostname}>`),
    signUp,
    oidc,
    signInsPerAddress: whole('SIGN_INS_PER_ADDRESS'),
    signInsPerAccount: whole('SIGN_INS_PER_ACCOUNT'),
    /** Undefined when no traces are exported. */
    tracing: readTracing({ text, whole, choice, url }),
    licenseFeatures: text('LICENSE_FEATURES')
      .split(',')
      .map((feature) => feature.trim()),

    sensorCallsPerMinute: whole('SENSOR_CALLS_PER_MINUTE'),
    fleetCallsPerMinute: whole('FLEET_CALLS_PER_MINUTE'),
    sensorBodyBytes: whole('SENSOR_BODY_BYTES'),
    /** Undefined when there is no listener. */
    mqtt: readMqtt({ text, whole }),
    jsonBodyBytes: whole('JSON_BODY_BYTES'),
    bodyTimeoutMs: whole('BODY_TIMEOUT_MS'),
    segmentBytes: segmentMb * MIB,
    logCeilingBytes: whole('LOG_CEILING_MB') * MIB,
    loadIntervalMs: whole('LOAD_INTERVAL_MS'),
    storeTimeoutMs: whole('STORE_TIMEOUT_MS'),
    lookupTimeoutMs: whole('LOOKUP_TIMEOUT_MS'),
    claimsKeepMs: whole('CLAIMS_KEEP_MINUTES') * 60_000,
    retentionGraceMs: whole('RETENTION_GRACE_MINUTES') * 60_000,
    claimsBytes: whole('CLAIMS_MEMORY_MB') * MIB,

    toolWorkers: whole('TOOL_WORKERS'),
    /** Undefined for the strictest one that the system supports. */
    workerIsolation: (choice('WORKER_ISOLATION') || undefined) as 'namespaces' | 'landlock' | 'limits' | undefined,
    jobSlots: whole('JOB_SLOTS'),
    toolQueue: whole('TOOL_QUEUE'),
    toolQueuePerTenant: whole('TOOL_QUEUE_PER_ENTERPRISE'),
    toolRunsPerTenant: whole('TOOL_RUNS_PER_ENTERPRISE'),
    workerMemoryBytes: whole('WORKER_MEMORY_MB') * MIB,
    toolTimeoutMs: whole('TOOL_TIMEOUT_S') * 1000,
    jobTimeoutMs: whole('JOB_TIMEOUT_S') * 1000,
    uploadTimeoutMs: whole('UPLOAD_TIMEOUT_S') * 1000,
    manageWritesPerMinute: whole('MANAGE_WRITES_PER_MINUTE'),
    operatorWritesPerMinute: whole('OPERATOR_WRITES_PER_MINUTE'),
    callsPerMinute: whole('CALLS_PER_MINUTE'),
    filesPerHour: whole('FILES_PER_HOUR'),
    assetsCallsPerMinute: whole('ASSETS_CALLS_PER_MINUTE'),
    assetsUploadsPerMinute: whole('ASSETS_UPLOADS_PER_MINUTE'),
    assetsCallsAtOnce: whole('ASSETS_CALLS_AT_ONCE'),
    assetsStreams: whole('ASSETS_STREAMS'),
    uploadBytes: whole('UPLOAD_MB') * MIB,
    uploadsOpen: whole('UPLOADS_OPEN'),
    uploadHours: whole('UPLOAD_HOURS'),
    storedMb: whole('STORED_MB'),
    personStoredMb: whole('PERSON_STORED_MB'),
    storedDays: whole('STORED_DAYS'),
    storedGraceDays: whole('STORED_GRACE_DAYS'),
    dataExportHours: whole('DATA_EXPORT_HOURS'),
    minFreeDiskBytes: whole('MIN_FREE_DISK_MB') * MIB,
    maxFeatures: whole('MAX_FEATURES'),
    maxUnpackedBytes: whole('MAX_UNPACKED_MB') * MIB,
    maxPixels: whole('IMAGE_MEGAPIXELS') * 1e6,
    maxPages: whole('PDF_PAGES'),
    maxSamples: whole('RASTER_MEGASAMPLES') * 1e6,
    vectorFileBytes: whole('VECTOR_FILE_MB') * MIB,
    rasterFileBytes: whole('RASTER_FILE_MB') * MIB,
    imageFileBytes: whole('IMAGE_FILE_MB') * MIB,
    layerBodyBytes: whole('LAYER_BODY_MB') * MIB,
    toolApiCallsPerMinute: whole('TOOL_API_CALLS_PER_MINUTE'),
    toolApiFeatures: whole('TOOL_API_FEATURES'),
    toolApiResultBytes: whole('TOOL_API_RESULT_MB') * MIB,
    boundCacheBytes: whole('BOUND_CACHE_MB') * MIB,
    clamdTimeoutMs: whole('CLAMD_TIMEOUT_S') * 1000,
    pdfFileBytes: whole('PDF_FILE_MB') * MIB,
  })
}

function readOidc(issuer: string | undefined, clientId: string, clientSecret: string) {
  if (issuer === undefined) return undefined
  if (clientId === '' || clientSecret === '')
    throw new ConfigError('OIDC_ISSUER requires OIDC_CLIENT_ID and OIDC_CLIENT_SECRET')
  return { issuer: issuer.replace(/\/+$/, ''), clientId, clientSecret }
}

/** Addresses are compared as text, so a network or a name would never match, and is refused. @throws ConfigError */
function proxiesOf(value: string): string[] {
  const addresses = value
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '')
  if (!addresses.every((address) => isIP(address) !== 0))
    throw new ConfigError(
      `TRUSTED_PROXIES="${value}" must contain IP addresses separated by commas, no names or networks`,
    )
  return addresses
}

/** A path is kept absolute: the server's folder may change. @throws ConfigError */
function mapTilesOf(value: string): string | undefined {
  if (value === '') return undefined
  if (!/^[a-z][a-z\d+.-]+:/i.test(value)) return resolve(value)
  if (!URL.canParse(value) || !/^https?:/i.test(value))
    throw new ConfigError('MAP_PMTILES must be the path of a file, or a URL that starts with http:// or https://')
  return value
}

/** Reads variables by their declarations. A variable that is empty counts as unset. */
export function variableReader(environment: Record<string, string | undefined>) {
  const sent = (name: string): string | undefined => environment[name]?.trim() || undefined
  return {
    text: (name: VariableName<'text'>): string => sent(name) ?? VARIABLES[name].default,
    whole(name: VariableName<'whole'>): number {
      const { default: fallback, min, max } = VARIABLES[name]
      const value = sent(name) ?? String(fallback)
      const number = Number(value)
      if (!/^\d+$/.test(value) || number < min || number > max)
        throw new ConfigError(`${name}="${value}" must be a whole number from ${min} to ${max}`)
      return number
    },
    choice(name: VariableName<'choice'>): string {
      const { default: fallback, allowed }: Extract<Variable, { kind: 'choice' }> = VARIABLES[name]
      const value = sent(name) ?? fallback
      if (value !== fallback && !allowed.includes(value))
        throw new ConfigError(`${name}="${value}" must be one of ${allowed.join(', ')}`)
      return value
    },
    url(name: VariableName<'url'>): string | undefined {
      const { protocols, severalHosts }: Extract<Variable, { kind: 'url' }> = VARIABLES[name]
      const value = sent(name)
      if (value === undefined) return undefined
      const isValid = (one: string): boolean => URL.canParse(one) && protocols.includes(new URL(one).protocol)
      // the value may contain a password, so the message does not repeat it
      if (!(severalHosts ? urlOfEachHost(value) : [value]).every(isValid))
        throw new ConfigError(`${name} must be a URL that starts with ${protocols.join('// or ')}//`)
      return value
    },
  }
}
