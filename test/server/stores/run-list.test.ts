/** Runs and jobs in one list, on a real PostgreSQL: in every state of a job and its runs, each job is listed once. */
import { expect, test } from 'bun:test'
import { newId } from '../../../src/stores/postgres/ids.ts'
import { listRunsAndJobs } from '../../../src/stores/postgres/runs/run-list.ts'
import { migratedPostgres } from '../../support/stores/migrated-postgres.ts'

const { postgres } = await migratedPostgres()
await postgres.script("INSERT INTO enterprises (id, name, tier) VALUES ('ent_1', 'One', 'scale')")

const JOB_STATES = ['accepted', 'running', 'successful', 'failed', 'dismissed'] as const
const RUN_STATES = ['running', 'successful', 'failed'] as const

async function addJob(status: string, runId: string | undefined): Promise<string> {
  const id = newId('job')
  await postgres.script(`
    INSERT INTO jobs (id, enterprise_id, tool_id, tool_version, call, status, run_id)
    VALUES ('${id}', 'ent_1', 'vector.centroids', '1', '{}', '${status}', ${runId === undefined ? 'NULL' : `'${runId}'`})`)
  return id
}
async function addRun(id: string, jobId: string, status: string): Promise<void> {
  await postgres.script(`
    INSERT INTO runs (id, enterprise_id, tool_id, tool_version, request_id, job_id, status, settings, credits, period_start, file_count, input_bytes, instance_id)
    VALUES ('${id}', 'ent_1', 'vector.centroids', '1', 'r', '${jobId}', '${status}', '{}', 1, now(), 0, 0, 'i')`)
}

test('each job is listed once, as its newest run when it has ended', async () => {
  const expected = new Map<string, 'run' | 'job'>()
  for (const status of JOB_STATES) {
    const isOver = status !== 'accepted' && status !== 'running'
    // dismissed before it started, also when a process was just starting it
    expected.set(await addJob(status, undefined), 'job')
    const begun = await addJob(status, undefined)
    await addRun(newId('run'), begun, 'failed')
    expected.set(begun, 'job')
    for (const last of RUN_STATES) {
      const runId = newId('run')
      const job = await addJob(status, runId)
      await addRun(newId('run'), job, 'failed')
      await addRun(runId, job, last)
      expected.set(job, isOver ? 'run' : 'job')
    }
  }
  const { items } = await listRunsAndJobs(postgres.db, { ownerId: 'ent_1' }, { limit: 1_000, cursor: undefined })
  const found = items.map((item) => [item.kind === 'run' ? item.run.jobId : item.job.id, item.kind] as const)
  expect(found.toSorted()).toEqual([...expected].toSorted())
})
