/** The metadata store: a PostgreSQL server, or one that runs as a child process. */
import { join } from 'node:path'
import { openEmbeddedPostgres, openServerPostgres, type Postgres } from '../../stores/postgres/client.ts'
import { migratePostgres } from '../../stores/postgres/migrate.ts'
import type { Host } from '../host.ts'
import type { Stops } from '../shutdown.ts'
import { warnOfUnknown } from './unknown-migrations.ts'
import { withVariableName } from './with-variable-name.ts'

const MIGRATIONS = join(import.meta.dir, '../../../sql/postgres')

/** Opens it and brings its tables up to date. @throws ConfigError when a configured server cannot be used */
export async function openPostgres({ config, logger, metrics }: Host, stops: Stops): Promise<Postgres> {
  const { postgresUrl } = config
  const postgres = postgresUrl
    ? await withVariableName(
        'POSTGRES_URL',
        openServerPostgres(postgresUrl, metrics.storeCall, (server) =>
          logger.warn({ server }, 'another PostgreSQL server is the primary now'),
        ),
      )
    : await openEmbeddedPostgres({
        dir: config.postgresDir,
        socketDir: config.postgresSocketDir,
        onLog: (level, text) => logger[level]({ process: 'postgres' }, text),
        onCall: metrics.storeCall,
      })
  stops.onStop('PostgreSQL', postgres.close)
  const migrating = migratePostgres(postgres, MIGRATIONS)
  warnOfUnknown('PostgreSQL', await (postgresUrl ? withVariableName('POSTGRES_URL', migrating) : migrating), logger)
  return postgres
}
