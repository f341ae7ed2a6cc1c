/**
 * Settings of the embedded PostgreSQL, for a metadata database of megabytes on a machine that does other work.
 * Everything that decides whether a committed write survives (fsync, full_page_writes, synchronous_commit) stays at
 * PostgreSQL's default, which is on. ../README.md has the measurements.
 */

/** More than the server's pool, so that an operator can connect as well. */
const CONNECTIONS = 20

export const SETTINGS: Readonly<Record<string, string | number>> = {
  listen_addresses: '',
  max_connections: CONNECTIONS,

  // memory
  shared_buffers: '16MB',
  work_mem: '8MB',
  maintenance_work_mem: '32MB',
  max_parallel_workers_per_gather: 0,
  jit: 'off',

  // few processes: no replication, and every process does its own input and output
  io_method: 'sync',
  wal_level: 'minimal',
  max_wal_senders: 0,
  max_logical_replication_workers: 0,
  max_worker_processes: 1,
  autovacuum_max_workers: 1,

  // a small log: a start after a crash reads it in less than a second
  min_wal_size: '8MB',
  max_wal_size: '64MB',

  // one line for each event that an operator should see; failed statements are logged by the server, which knows the
  // request, and their values may be secrets
  log_destination: 'stderr',
  logging_collector: 'off',
  log_line_prefix: '',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  log_timezone: 'UTC',
}

export const settingArguments = (): string[] =>
  Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`])
