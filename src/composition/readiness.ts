/** Checks for the readiness endpoint: each throws when its part cannot do its work. */
import type { AlertChecks } from '../alerts/checks.ts'
import type { Engine } from '../engine/engine.ts'
import type { Parts } from '../http/observability/health.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { Clamd } from '../stores/clamd.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import type { FileStore } from '../stores/files/client.ts'
import type { Postgres } from '../stores/postgres/client.ts'
import type { RedisClient } from '../stores/redis/client.ts'

export type ProcessParts = { postgres: Postgres; files: FileStore; engine: Engine }

export type CheckedParts = ProcessParts & {
  clickhouse: ClickHouse
  redis: RedisClient | undefined
  clamd: Clamd | undefined
  ingest: Ingest
  alertChecks: AlertChecks
  /** Undefined without a listener. */
  mqtt?: { connections(): number } | undefined
}

/** Checks of any process that runs tools. */
export function processReadiness({ postgres, files, engine }: ProcessParts): Parts {
  return {
    postgres: () => postgres.ping(),
    files: () => files.ping(),
    workers: async () => {
      const status = engine.status()
      // the lane for readings is not required: without it only zone events are delayed
      for (const { failing } of [status.bun, status.node])
        if (failing) throw new Error('worker processes fail to start')
      return status
    },
  }
}

export function readiness({ clickhouse, redis, clamd, ingest, alertChecks, mqtt, ...process }: CheckedParts): Parts {
  return {
    ...(redis && { redis: () => redis.ping() }),
    ...processReadiness(process),
    clickhouse: async () => {
      await clickhouse.rows('SELECT 1 AS one')
    },
    ingest: async () => {
      const status = ingest.status()
      if (!status.takesMore || status.loading !== 'ok')
        throw new Error('ingestion is not accepting or not storing readings')
      // alerts that are late are not a reason to send calls elsewhere
      return { ...status, alerts: alertChecks.status() }
    },
    // a port that cannot be opened ends the start
    ...(mqtt && { mqtt: async () => ({ connections: mqtt.connections() }) }),
    ...(clamd && { clamd: () => clamd.ping() }),
  }
}
