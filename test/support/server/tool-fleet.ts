/**
 * Systems that call tools and start jobs while servers and PostgreSQL are killed, each with an `Idempotency-Key` until
 * it is answered, and the invariants of their enterprise afterwards.
 */

import { type Random, whole } from '../random.ts'
import type { Bucket } from '../stores/bucket.ts'
import { until } from '../until.ts'
import { callTool } from '../workers/tools.ts'
import type { Envelope, Instance, Organization } from './instance.ts'

export type ToolFleet = {
  /** Number of calls answered so far. */
  answered(): number
  /** Ends when every call has an answer. */
  stop(): Promise<{ runs: number; jobs: string[] }>
}

const BUFFER = { file: 'stations.geojson', target_format: 'geojson', distance_m: 250 }
const CLIENTS = 6
const PAUSE_MS = 30

/** @param any returns an instance for each call */
export function startToolFleet(
  organization: Organization,
  any: (random: Random) => Instance,
  randomOf: (client: number) => Random,
): ToolFleet {
  let running = true
  let runs = 0
  const jobs: string[] = []

  async function call(headers: Record<string, string>, random: Random): Promise<Envelope> {
    let answer: Envelope | undefined
    await until(async () => {
      answer = await callTool(any(random), organization, '/buffer', BUFFER, true, headers)
        .then(async (response) => (await response.json()) as Envelope)
        // the instance is down, or the connection was lost: the call is repeated
        .catch(() => undefined)
      return answer !== undefined && answer.statusCode < 500 && answer.code !== 'IDEMPOTENCY_KEY_IN_USE'
    }, 'a call of a tool')
    return answer as Envelope
  }

  async function client(index: number): Promise<void> {
    const random = randomOf(index)
    while (running) {
      const isJob = whole(random, 3) === 0
      const prefer = isJob ? { prefer: 'respond-async' } : undefined
      const { ok, code, message, data } = await call({ 'idempotency-key': Bun.randomUUIDv7(), ...prefer }, random)
      if (!ok) throw new Error(`${code}: ${message}`)
      if (isJob) jobs.push(data.jobID as string)
      else runs++
      await Bun.sleep(PAUSE_MS)
    }
  }
  const clients = Array.from({ length: CLIENTS }, (_, index) => client(index))
  // an error of one system is thrown by stop()
  for (const one of clients) one.catch(() => undefined)
  return {
    answered: () => runs + jobs.length,
    async stop() {
      running = false
      await Promise.all(clients)
      return { runs, jobs }
    },
  }
}

/** Disagreements in the database and the bucket, by name; empty if there are none. */
export async function faultsOf(
  database: Bun.SQL,
  bucket: Bucket,
  { id }: Organization,
  answered: { runs: number; jobs: string[] },
): Promise<Record<string, unknown>> {
  type Row = Record<string, string | number | null>
  const [row] = (await database`
    WITH own AS (SELECT * FROM runs WHERE owner_id = ${id}),
      done AS (SELECT * FROM own WHERE status = 'successful'),
      of_jobs AS (
        SELECT jobs.status, (SELECT count(*) FROM done WHERE done.job_id = jobs.id) AS runs FROM jobs WHERE owner_id = ${id}
      )
    SELECT
      (SELECT count(*) FROM own WHERE status = 'running') AS "runs that have not ended",
      (SELECT count(*) FROM done WHERE job_id IS NULL) - ${answered.runs}::integer AS "runs besides those of answered calls",
      (SELECT count(*) FROM of_jobs WHERE status IN ('accepted', 'running')) AS "jobs that have not ended",
      (SELECT count(*) FROM of_jobs) - ${answered.jobs.length}::integer AS "jobs besides accepted ones",
      (SELECT count(*) FROM of_jobs WHERE status = 'successful' AND runs <> 1) AS "successful jobs without one run",
      (SELECT count(*) FROM of_jobs WHERE status <> 'successful' AND runs > 0) AS "runs of jobs that did not succeed",
      (SELECT coalesce(sum(used), 0) FROM credit_periods WHERE enterprise_id = ${id})
        - (SELECT coalesce(sum(credits), 0) FROM done) AS "credits besides those of runs",
      (SELECT count(*) FROM idempotency_keys WHERE status IS NULL) AS "keys under way"`) as [Row]
  const jobs = (await database`SELECT id FROM jobs WHERE owner_id = ${id}`) as { id: string }[]
  const known = new Set(jobs.map((job) => job.id))
  const files = (await database`SELECT id FROM stored_files`) as { id: string }[]
  const rows = new Set(files.map((file) => file.id))
  const objects = new Set(bucket.names())
  const counts = {
    ...row,
    'accepted jobs that are lost': answered.jobs.filter((job) => !known.has(job)).length,
    'files without a row': objects.difference(rows).size,
    'rows without a file': rows.difference(objects).size,
  }
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => Number(count) !== 0))
}
