/** OpenAPI components of the Enterprise GIS API: usage, jobs, runs. */
import {
  anyObject,
  boolean,
  dateTime,
  ENVELOPE_SCHEMAS,
  integer,
  type Json,
  list,
  nullable,
  object,
  oneOf,
  ref,
  string,
} from '../../http/openapi/openapi-schemas.ts'
import { STORAGE_KEY } from '../../stores/files/client.ts'
import { LAYER_ID } from '../../stores/postgres/layers/layers.ts'
import { RECIPE_SCHEMAS } from './recipe-schema.ts'

const storedFile = { key: string, role: string, filename: string, mediaType: string, bytes: integer }
/** When the file will be deleted; null for an owner's file, and for a deleted one. */
const expiresAt = nullable(dateTime)
/** `storageKey` only if `key` names an owner's file: the key of the version that was read. */
const input = object({ ...storedFile, field: nullable(string), storageKey: string, expiresAt }, [
  ...Object.keys(storedFile),
  'field',
  'expiresAt',
])
const artifact = object({ ...storedFile, artifactId: string, crs: nullable(string), expiresAt })

const processSummary = {
  id: string,
  title: string,
  description: string,
  version: string,
  keywords: list(string),
  jobControlOptions: list(oneOf('sync-execute', 'async-execute')),
  outputTransmission: list({ const: 'value' }),
  svc: anyObject,
  links: list(ref('Link')),
}

const run = {
  runId: nullable(string),
  processID: string,
  version: string,
  name: nullable(string),
  folder: nullable(string),
  memberId: nullable(string),
  memberEmail: nullable(string),
  applicationId: nullable(string),
  applicationName: nullable(string),
  requestId: nullable(string),
  jobId: nullable(string),
  status: oneOf('accepted', 'running', 'successful', 'failed', 'dismissed'),
  code: nullable(string),
  settings: anyObject,
  creditsCharged: integer,
  inputBytes: integer,
  outputBytes: integer,
  durationMs: nullable({ type: 'number' }),
  startedAt: dateTime,
  finishedAt: nullable(dateTime),
  inputs: list(input),
  artifacts: list(artifact),
}

export const SCHEMAS: Json = {
  ...ENVELOPE_SCHEMAS,
  ...RECIPE_SCHEMAS,
  /** OGC API – Processes Part 1, clause 7.10. */
  ProcessSummary: object(processSummary),
  ProcessList: object({ processes: list(ref('ProcessSummary')), links: list(ref('Link')) }),
  /** OGC API – Processes Part 1, clause 7.11. */
  Process: object({ ...processSummary, inputs: anyObject, outputs: anyObject }),
  StoredKey: {
    type: 'string',
    pattern: STORAGE_KEY,
    description:
      'Key of a stored file of the same owner, in place of the bytes: `key` or `inputKey` of a result, `X-Stored-Key` of an upload, or the id of an owner’s file or of one of its versions. An owner’s file stands for its newest version that was scanned clean.',
  },
  LayerId: {
    type: 'string',
    pattern: LAYER_ID,
    description: 'Id of a layer of the same owner, in place of a file of features: its newest version as GeoJSON.',
  },
  Upload: object({
    id: string,
    filename: string,
    bytes: integer,
    receivedBytes: integer,
    state: oneOf('open', 'stored', 'refused'),
    reason: nullable(string),
    key: nullable(string),
    createdAt: dateTime,
    expiresAt: dateTime,
  }),
  Link: object({ rel: string, href: string, type: string }),
  Usage: object({
    channel: string,
    requestId: string,
    runId: string,
    creditsCharged: integer,
    creditsRemaining: integer,
    inputBytes: integer,
    outputBytes: integer,
    totalBytes: integer,
    periodStartAt: dateTime,
    periodEndAt: dateTime,
  }),
  Job: object({
    jobID: string,
    processID: string,
    runId: nullable(string),
    type: { const: 'process' },
    status: oneOf('accepted', 'running', 'successful', 'failed', 'dismissed'),
    progress: { type: 'integer', minimum: 0, maximum: 100 },
    message: string,
    created: dateTime,
    started: nullable(dateTime),
    finished: nullable(dateTime),
    updated: dateTime,
    links: list(ref('Link')),
  }),
  RunFolder: object({ name: string, runs: integer }),
  RunDetail: object({ ...run, hasResult: boolean, isDismissed: boolean }),
  /** A run as an item of a list. */
  ListedRun: object({ ...run, isDismissed: boolean, progress: integer }),
}
