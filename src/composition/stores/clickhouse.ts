/** The store of readings: a ClickHouse server or cluster, or chDB in a child process. */

import { join } from 'node:path'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import { openEmbeddedClickHouse } from '../../stores/clickhouse/embedded.ts'
import { postponeLargeMerges } from '../../stores/clickhouse/maintenance/large-merges.ts'
import { migrateClickHouse } from '../../stores/clickhouse/migrate.ts'
import { createRolledHours } from '../../stores/clickhouse/queries/rolled-hours.ts'
import { openServerClickHouse } from '../../stores/clickhouse/server.ts'
import { watchClickHouse } from '../../stores/clickhouse/watch.ts'
import type { Host } from '../host.ts'
import type { Stops } from '../shutdown.ts'
import { warnOfUnknown } from './unknown-migrations.ts'
import { withVariableName } from './with-variable-name.ts'

const MIGRATIONS = join(import.meta.dir, '../../../sql/clickhouse')

/** Opens it and brings its tables up to date. @throws ConfigError when a configured server cannot be used */
export async function openClickHouse({ config, logger, metrics, warn }: Host, stops: Stops): Promise<ClickHouse> {
  const { clickhouseUrl } = config
  let clickhouse: ClickHouse = clickhouseUrl
    ? openServerClickHouse(clickhouseUrl, config.storeTimeoutMs)
    : await openEmbeddedClickHouse(config.clickhouseDir, {
        socketDir: config.clickhouseSocketDir,
        memoryBytes: config.clickhouseMemoryBytes,
        onLog: (level, text, details) => logger[level]({ process: 'clickhouse', ...details }, text),
      })
  // the last of the wrappers below, which stops what it has started
  stops.onStop('ClickHouse', () => clickhouse.close())
  const migrating = migrateClickHouse(clickhouse, MIGRATIONS)
  warnOfUnknown('ClickHouse', await (clickhouseUrl ? withVariableName('CLICKHOUSE_URL', migrating) : migrating), logger)
  clickhouse = watchClickHouse(clickhouse, metrics.storeCall)
  if (clickhouseUrl) return clickhouse
  const onError = warn('the limit of merges could not be changed; this will be retried')
  clickhouse = { ...postponeLargeMerges(clickhouse, onError), rolledHours: createRolledHours() }
  return clickhouse
}
