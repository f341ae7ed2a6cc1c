/**
 * Every environment variable, declared once: its default, its range and its meaning. `src/config.ts` reads them by this
 * declaration, and `bun run docs` writes docs/configuration.md from it.
 */
import { availableParallelism } from 'node:os'
import { mqtt, mqttBridge } from './mqtt-variables.ts'
import { portal } from './portal-variables.ts'
import { tracing } from './tracing-variables.ts'
import { choice, text, url, type Variable, type Variables, whole } from './variable.ts'

const KIB = 1024
const MIB = 1024 * KIB

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

const process = {
  PORT: whole({ default: 8080, min: 0, max: 65_535 }, 'TCP port to listen on; 0 takes any free port.'),
  HOST: text('Address to listen on; `0.0.0.0` listens on all interfaces.', '127.0.0.1'),
  ADMIN_PORT: whole(
    { default: 0, min: 0, max: 65_535 },
    'TCP port for the operator. If set, the rights of operators and `/metrics` exist there only, not on `PORT`. 0 serves them on `PORT`.',
  ),
  ADMIN_HOST: text('Address that `ADMIN_PORT` and `WORKER_METRICS_PORT` listen on.', '127.0.0.1'),
  WORKER_METRICS_PORT: whole(
    { default: 0, min: 0, max: 65_535 },
    'TCP port on which `bun run worker` answers `/metrics`, `/health/live` and `/health/ready`; 0 for none. A server answers them on its own ports.',
  ),
  TRUSTED_PROXIES: text(
    'IP addresses of reverse proxies, separated by commas, without names and networks, whose `X-Forwarded-For` names the caller’s address.',
  ),
  KEY_FAILURES_PER_MINUTE: whole(
    { default: 600, min: 1, max: 1_000_000_000 },
    'Calls with invalid keys of one kind that one address may make in a clock minute. Calls with valid keys are not affected.',
  ),
  DATA_DIR: text('Folder for everything that is stored on this machine. One process at a time may use it.', './data'),
  LOG_LEVEL: choice('info', LOG_LEVELS, 'Least severe level that is logged.'),
  LICENSE_FEATURES: text(
    'Licensed products, separated by commas. Without `assets` the sensor endpoint answers `LICENSE_FEATURE_MISSING`.',
    'assets',
  ),
  INSTANCES: whole(
    { default: 1, min: 1, max: 256 },
    'Server processes on one port. More than one needs `POSTGRES_URL`, `REDIS_URL` and `CLICKHOUSE_URL`.',
  ),
  INSTANCE: whole(
    { default: 0, min: 0, max: 256 },
    'Number of this process among several. Set by the supervisor of `INSTANCES`; do not set it yourself.',
  ),
} as const satisfies Variables

const stores = {
  POSTGRES_URL: {
    ...url(
      ['postgres:', 'postgresql:'],
      'embedded PostgreSQL',
      '`postgres://user:password@host/database`, PostgreSQL 15 or newer; `?sslmode=verify-full` for TLS. With several servers, `postgres://user:password@host1:5432,host2:5432/database?target_session_attrs=read-write`, it is the one that accepts writes, after a failover too. See [highly available stores](operations.md#highly-available-stores).',
    ),
    secret: true,
    severalHosts: true,
  },
  REDIS_URL: {
    ...url(
      ['redis:', 'rediss:', 'redis+sentinel:', 'rediss+sentinel:'],
      'memory of the process',
      '`redis://user:password@host:6379`, Redis 7 or newer with `maxmemory-policy noeviction`. Some servers of a Redis Cluster: `redis://user:password@host1:6379,host2:6379`. Sentinels: `redis+sentinel://user:password@host1:26379,host2:26379/master-name`, with `?sentinelPassword=…` if they have a password. `rediss:` and `rediss+sentinel:` for TLS. See [highly available stores](operations.md#highly-available-stores).',
    ),
    secret: true,
    severalHosts: true,
  },
  CLICKHOUSE_URL: {
    ...url(
      ['http:', 'https:'],
      'embedded ClickHouse (chDB)',
      '`http://user:password@host:8123/database`, ClickHouse 25.3 or newer; `https:` for TLS.',
    ),
    secret: true,
  },
  CLICKHOUSE_MEMORY_MB: whole(
    { default: 1_536, min: 512, max: 1_000_000 },
    'Memory that the embedded ClickHouse may allocate; one query may take a sixth of it. At least 12 times `LOG_SEGMENT_MB`.',
  ),
  S3_URL: {
    ...url(
      ['http:', 'https:'],
      'the folder `files` in `DATA_DIR`',
      '`https://key:secret@host/bucket[/prefix][?region=…]`: bucket for stored files.',
    ),
    secret: true,
  },
  CLAMD_URL: url(
    ['tcp:', 'unix:'],
    'only the built-in checks',
    '`tcp://host:port` or `unix:///path` of a ClamAV daemon that scans owners’ files.',
  ),
  CLAMD_TIMEOUT_S: whole({ default: 120, min: 1, max: 86_400 }, 'Seconds that a scan by ClamAV may take.'),
  STORE_TIMEOUT_MS: whole(
    { default: 60_000, min: 1_000, max: 3_600_000 },
    'Milliseconds that a ClickHouse server may take to answer a request.',
  ),
} as const satisfies Variables

const sensors = {
  ACK: choice(
    'disk',
    ['disk', 'clickhouse'],
    'When a sensor gets its answer: with `disk`, after the readings are in the log on this machine; with `clickhouse`, after ClickHouse has acknowledged them as well.',
  ),
  SENSOR_CALLS_PER_MINUTE: whole(
    { default: 60, min: 1, max: 1_000_000_000 },
    'Calls that one sensor may make in a clock minute.',
  ),
  FLEET_CALLS_PER_MINUTE: whole(
    { default: 600, min: 1, max: 1_000_000_000 },
    'Calls that one fleet key may make in a minute. Calls with it do not count for `SENSOR_CALLS_PER_MINUTE`.',
  ),
  SENSOR_BODY_BYTES: whole(
    { default: MIB, min: KIB, max: 64 * MIB },
    'Bytes of a body of readings, after decompression.',
  ),
  LOG_SEGMENT_MB: whole(
    { default: 32, min: 1, max: 1_024 },
    'Size at which a segment of the write-ahead log is closed and loaded into ClickHouse.',
  ),
  LOG_CEILING_MB: whole(
    { default: 4_096, min: 1, max: 100_000_000 },
    'Size of the write-ahead log at which new readings are answered with 503.',
  ),
  LOAD_INTERVAL_MS: whole(
    { default: 700, min: 10, max: 60_000 },
    'Milliseconds that readings wait at most before they are loaded into ClickHouse; less while inserts are slow.',
  ),
  LOOKUP_TIMEOUT_MS: whole(
    { default: 5_000, min: 100, max: 60_000 },
    'Milliseconds that a call of readings waits for ClickHouse, or for other instances, to determine which readings are stored.',
  ),
  CLAIMS_MEMORY_MB: whole(
    { default: 256, min: 1, max: 1_000_000 },
    'Memory for the newest timestamps of sensors. Not used with `REDIS_URL`.',
  ),
  CLAIMS_KEEP_MINUTES: whole(
    { default: 60, min: 1, max: 525_600 },
    'Minutes that Redis keeps the timestamps of a sensor after its last call. Only used with `REDIS_URL`.',
  ),
  RETENTION_GRACE_MINUTES: whole(
    { default: 60, min: 0, max: 43_200 },
    'Minutes between a shorter retention, which hides older readings at once, and their deletion. A longer retention brings them back until then.',
  ),
} as const satisfies Variables

const requests = {
  JSON_BODY_BYTES: whole(
    { default: 5 * MIB, min: KIB, max: 64 * MIB },
    'Bytes of any other JSON body, after decompression.',
  ),
  BODY_TIMEOUT_MS: whole({ default: 30_000, min: 100, max: 600_000 }, 'Milliseconds in which a body must arrive.'),
  UPLOAD_TIMEOUT_S: whole(
    { default: 600, min: 1, max: 86_400 },
    'Seconds in which a form with files, or the features of a layer, must arrive.',
  ),
  LAYER_BODY_MB: whole({ default: 64, min: 1, max: 10_000 }, 'JSON body with the features of an owner’s layer.'),
  MANAGE_WRITES_PER_MINUTE: whole(
    { default: 600, min: 1, max: 1_000_000_000 },
    'Changes below `/manage/v1` that one account may make in a sliding minute.',
  ),
  OPERATOR_WRITES_PER_MINUTE: whole(
    { default: 60_000, min: 1, max: 1_000_000_000 },
    'Changes below `/manage/v1` that one token of operators may make in a sliding minute.',
  ),
  CALLS_PER_MINUTE: whole(
    { default: 600, min: 1, max: 1_000_000_000 },
    'Calls of tools and process descriptions that one application may make in a sliding minute.',
  ),
  ASSETS_CALLS_PER_MINUTE: whole(
    { default: 3_000, min: 1, max: 1_000_000_000 },
    'Calls of `/enterprise/v1/assets` that one application may send to each instance in a sliding minute.',
  ),
  ASSETS_UPLOADS_PER_MINUTE: whole(
    { default: 1_200, min: 1, max: 1_000_000_000 },
    'Batches of readings that one application may upload in place of sensors to each instance in a sliding minute.',
  ),
  ASSETS_CALLS_AT_ONCE: whole(
    { default: 4, min: 1, max: 1_000 },
    'Queries of readings that one application may run at a time; eight times as many wait, further ones are answered with 429.',
  ),
  ASSETS_STREAMS: whole(
    { default: 50, min: 1, max: 100_000 },
    'Event streams of the live layer that one application may have open.',
  ),
  FILES_PER_HOUR: whole(
    { default: 1_000, min: 1, max: 1_000_000_000 },
    'Files that one enterprise may send to tools in a sliding hour.',
  ),
  TOOL_API_CALLS_PER_MINUTE: whole(
    { default: 60, min: 1, max: 1_000_000_000 },
    'Calls of one Tool API in a sliding minute.',
  ),
  TOOL_API_FEATURES: whole({ default: 10_000, min: 1, max: 10_000_000 }, 'Features in the input of a Tool API.'),
  TOOL_API_RESULT_MB: whole({ default: 20, min: 1, max: 10_000 }, 'Result of a Tool API, as JSON.'),
  BOUND_CACHE_MB: whole(
    { default: 4_096, min: 1, max: 100_000_000 },
    'Disk space for copies of bound layers, and the same amount for copies of bound files.',
  ),
} as const satisfies Variables

const tools = {
  TOOL_WORKERS: whole(
    { default: availableParallelism(), defaultText: 'number of cores', min: 1, max: 256 },
    'Worker processes for tools that need GDAL, and the same number for all other tools. One more of each is reserved for short calls. Processes start when calls wait for them.',
  ),
  WORKER_MEMORY_MB: whole(
    { default: 1_024, min: 128, max: 1_000_000 },
    'Resident memory at which a worker process is stopped.',
  ),
  WORKER_ISOLATION: choice(
    '',
    ['namespaces', 'landlock', 'limits'],
    'How worker processes, which decode files of strangers, are kept from everything else; the server does not start where it is not available. By default namespaces with Landlock, or Landlock alone where the system forbids namespaces. With `limits`, a fault in a decoder opens everything that the account of the server can read.',
  ),
  TOOL_QUEUE: whole(
    { default: 64, min: 0, max: 100_000 },
    'Calls that may wait for a worker process; further ones are answered with `SERVICE_BUSY`.',
  ),
  TOOL_QUEUE_PER_ENTERPRISE: whole(
    { default: 32, min: 0, max: 100_000 },
    'Calls of one enterprise, or of one person, that may wait for a worker process.',
  ),
  TOOL_RUNS_PER_ENTERPRISE: whole(
    { default: 256, min: 1, max: 256 },
    'Calls of one enterprise, or of one person, that may run at a time in each kind of worker process, in addition to one short call.',
  ),
  TOOL_TIMEOUT_S: whole({ default: 120, min: 1, max: 86_400 }, 'Seconds that a run may take.'),
  JOB_TIMEOUT_S: whole({ default: 1_800, min: 1, max: 604_800 }, 'Seconds that the run of a job may take.'),
  JOB_SLOTS: whole(
    { default: 1, min: 0, max: 256 },
    'Jobs that this process runs at a time; 0 leaves all jobs to `bun run worker`, which runs `TOOL_WORKERS` at a time.',
  ),
} as const satisfies Variables

const files = {
  VECTOR_FILE_MB: whole({ default: 100, min: 1, max: 100_000 }, 'One vector or CSV file.'),
  RASTER_FILE_MB: whole({ default: 512, min: 1, max: 100_000 }, 'One raster file.'),
  IMAGE_FILE_MB: whole({ default: 25, min: 1, max: 100_000 }, 'One image file.'),
  PDF_FILE_MB: whole({ default: 100, min: 1, max: 100_000 }, 'One PDF or scanned document.'),
  UPLOAD_MB: whole({ default: 512, min: 1, max: 100_000 }, 'One upload that can be resumed.'),
  UPLOADS_OPEN: whole(
    { default: 100, min: 1, max: 1_000_000 },
    'Uploads of one enterprise, or of one person, that may be unfinished; further ones are answered with `UPLOADS_LIMITED`.',
  ),
  UPLOAD_HOURS: whole(
    { default: 24, min: 1, max: 8_760 },
    'Hours after its last byte in which an unfinished upload can be resumed.',
  ),
  STORED_MB: whole(
    { default: 51_200, min: 1, max: 2_000_000_000 },
    'Stored files of one enterprise, unless the enterprise has another quota; calls with files are then answered with `STORAGE_QUOTA_EXCEEDED`.',
  ),
  PERSON_STORED_MB: whole(
    { default: 10_240, min: 1, max: 2_000_000_000 },
    'Stored files of one person; calls with files are then answered with `STORAGE_QUOTA_EXCEEDED`.',
  ),
  STORED_DAYS: whole(
    { default: 36_500, min: 1, max: 36_500 },
    'Days after which stored files of tools are deleted, unless the enterprise or person has another lifetime. The default keeps them for a hundred years.',
  ),
  STORED_GRACE_DAYS: whole(
    { default: 7, min: 0, max: 365 },
    'Days for which a change of a lifetime deletes no file. The usage of an owner counts the files that will be deleted within this number of days.',
  ),
  DATA_EXPORT_HOURS: whole(
    { default: 72, min: 1, max: 8_760 },
    'Hours after which the archive of an export of everything is deleted.',
  ),
  MIN_FREE_DISK_MB: whole(
    { default: 1_024, min: 0, max: 100_000_000 },
    'Free disk at which calls with files are answered with `STORAGE_FULL`, so that readings can still be logged.',
  ),
  MAX_FEATURES: whole({ default: 1_000_000, min: 1, max: 100_000_000 }, 'Features of a layer.'),
  MAX_UNPACKED_MB: whole({ default: 500, min: 1, max: 100_000 }, 'Total unpacked size of a ZIP archive.'),
  IMAGE_MEGAPIXELS: whole({ default: 100, min: 1, max: 10_000 }, 'Megapixels of an image, all frames together.'),
  RASTER_MEGASAMPLES: whole(
    { default: 4_000, min: 1, max: 1_000_000 },
    'Millions of samples of a raster: columns × rows × bands.',
  ),
  PDF_PAGES: whole({ default: 2_000, min: 1, max: 1_000_000 }, 'Pages of a PDF.'),
} as const satisfies Variables

/** In the order in which the documentation lists them. */
export const VARIABLE_GROUPS = {
  'The process': process,
  Stores: stores,
  'The portal': portal,
  'Sensor readings': sensors,
  'Readings by MQTT': mqtt,
  'The bridge to an MQTT broker': mqttBridge,
  'Requests and Tool APIs': requests,
  'Running tools': tools,
  'Limits of files': files,
  'Traces (OpenTelemetry)': tracing,
} as const satisfies Record<string, Variables>

export const VARIABLES = {
  ...process,
  ...stores,
  ...portal,
  ...sensors,
  ...mqtt,
  ...mqttBridge,
  ...requests,
  ...tools,
  ...files,
  ...tracing,
}

/** Variables that can also be given as `NAME_FILE`. */
export const SECRET_VARIABLES = Object.entries<Variable>(VARIABLES)
  .filter(([, { secret }]) => secret === true)
  .map(([name]) => name)

/** The names of all variables of one kind. */
export type VariableName<Kind extends Variable['kind']> = {
  [Name in keyof typeof VARIABLES]: (typeof VARIABLES)[Name]['kind'] extends Kind ? Name : never
}[keyof typeof VARIABLES]
