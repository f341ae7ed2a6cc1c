/** A job's status as JSON. */
import type { Job } from '../../stores/postgres/runs/jobs.ts'
import { GIS_PREFIX } from './paths.ts'

const MESSAGES: Record<Job['status'], string> = {
  accepted: 'The job is waiting to start.',
  running: 'The job is running.',
  successful: 'The job succeeded; its results are available.',
  failed: 'The job failed; its results contain the error.',
  dismissed: 'The job was dismissed.',
}

const timeOf = (moment: Date | null): string | null => moment?.toISOString() ?? null

/** The status document of a job, after OGC API – Processes (OGC 18-062r2, 7.12). */
export function jobDocument(job: Job) {
  const href = `${GIS_PREFIX}/jobs/${job.id}`
  const hasResults = job.status === 'successful' || job.status === 'failed'
  return {
    jobID: job.id,
    processID: job.toolId,
    /** The run of the job. */
    runId: job.runId,
    type: 'process',
    status: job.status,
    progress: job.progress,
    message: MESSAGES[job.status],
    created: timeOf(job.createdAt),
    started: timeOf(job.startedAt),
    finished: timeOf(job.finishedAt),
    updated: timeOf(job.updatedAt),
    links: [
      { rel: 'self', href, type: 'application/json' },
      { rel: 'service-desc', href: `${GIS_PREFIX}/openapi.json`, type: 'application/vnd.oai.openapi+json;version=3.1' },
      ...(hasResults
        ? [
            {
              rel: 'http://www.opengis.net/def/rel/ogc/1.0/results',
              href: `${href}/results`,
              type: 'application/json',
            },
          ]
        : []),
    ],
  }
}
