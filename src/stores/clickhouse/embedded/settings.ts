/** chDB's settings: its memory, its caches and its log. ../README.md has the measurements. */
import type { Settings } from '../client.ts'

const MIB = 2 ** 20

/** Command-line arguments in the form of `clickhouse local`; every connection takes them. */
export function chdbArguments(memoryBytes: number): string[] {
  const settings: Record<string, string | number> = {
    // the ceiling for everything that ClickHouse allocates, including merges and caches
    max_server_memory_usage: memoryBytes,
    mark_cache_size: 32 * MIB,
    index_mark_cache_size: 8 * MIB,
    primary_index_cache_size: 16 * MIB,
    query_condition_cache_size: 8 * MIB,
    compiled_expression_cache_size: 16 * MIB,

    // the values of parameters are part of the statement
    max_query_size: 1_000_000_000,

    // only errors of background work: the errors of statements are returned to the server, which logs them
    'logger.console': 1,
    'logger.level': 'error',
    'logger.console_log_level': 'error',
    'logger.formatting.type': 'json',
    'logger.levels.executeQuery': 'none',
  }
  return Object.entries(settings).map(([name, value]) => `--${name}=${value}`)
}

/** Settings of jemalloc. By default it keeps freed memory for five seconds or longer, in addition to the ceiling. */
export const ALLOCATOR = 'dirty_decay_ms:1000,background_thread:true,max_background_threads:1'

export type MemoryShares = { query: Settings; work: Settings }

/**
 * Maximum memory of a statement. Three users' queries run at once and take at most half of the ceiling together, so
 * that storing readings, which has no separate limit, always finds memory. Sorting and grouping continue on disk from
 * half of these limits.
 */
export const memoryShares = (memoryBytes: number): MemoryShares => ({
  query: { max_memory_usage: Math.floor(memoryBytes / 6) },
  work: { max_memory_usage: Math.floor(memoryBytes / 3) },
})

/** Settings of exports through a file: small blocks, which take less memory. */
export const FILE_SETTINGS: Settings = {
  min_insert_block_size_rows: 65_536,
  min_insert_block_size_bytes: 0,
  output_format_parquet_row_group_size: 131_072,
}
