/** OpenAPI components of the Enterprise GIS API: usage, jobs, runs. */
import {
  anyObject,
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
} from '../../http/openapi-schemas.ts'

const storedFile = object({ key: string, role: string, filename: string, mediaType: string, bytes: integer })

const processSummary = {
  ...{ id: string, title: string, description: string, version: string, keywords: list(string) },
  ...{ jobControlOptions: list(oneOf('sync-execute', 'async-execute')), outputTransmission: list({ const: 'value' }) },
  ...{ svc: anyObject, links: list(ref('Link')) },
}

export const SCHEMAS: Json = {
  ...ENVELOPE_SCHEMAS,
  /** OGC API – Processes Part 1, clause 7.10. */
  ProcessSummary: object(processSummary),
  ProcessList: object({ processes: list(ref('ProcessSummary')), links: list(ref('Link')) }),
  /** OGC API – Processes Part 1, clause 7.11. */
  Process: object({ ...processSummary, inputs: anyObject, outputs: anyObject }),
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
  Run: object({
    runId: string,
    processID: string,
    version: string,
    memberId: nullable(string),
    applicationId: string,
    requestId: string,
    jobId: nullable(string),
    status: oneOf('running', 'successful', 'failed'),
    code: nullable(string),
    settings: anyObject,
    creditsCharged: integer,
    inputBytes: integer,
    outputBytes: integer,
    durationMs: nullable({ type: 'number' }),
    startedAt: dateTime,
    finishedAt: nullable(dateTime),
    inputs: list(storedFile),
    artifacts: list(storedFile),
  }),
}
