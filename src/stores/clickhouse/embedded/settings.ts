/** How chDB shares out its memory. `docs/architecture.md` has the measurements. */
import type { Settings } from '../client.ts'

const MIB = 2 ** 20

/** Arguments in the form of `clickhouse local`, which each connection is given. */
export function chdbArguments(memoryBytes: number): string[] {
  const settings: Record<string, string | number> = {
    // everything that ClickHouse itself allocates, merges and caches included
    max_server_memory_usage: memoryBytes,
    mark_cache_size: 64 * MIB,
    index_mark_cache_size: 8 * MIB,
    primary_index_cache_size: 64 * MIB,
    query_condition_cache_size: 8 * MIB,
    compiled_expression_cache_size: 16 * MIB,

    // values of parameters come as part of the statement
    max_query_size: 1_000_000_000,

    // failures of statements are answered; this is for what happens in the background
    'logger.console': 1,
    'logger.level': 'error',
    'logger.console_log_level': 'error',
    'logger.formatting.type': 'json',
    'logger.levels.executeQuery': 'none',
  }
  return Object.entries(settings).map(([name, value]) => `--${name}=${value}`)
}

/** Of jemalloc, which otherwise keeps what ClickHouse frees for five seconds and longer, beyond the ceiling. */
export const ALLOCATOR = 'dirty_decay_ms:1000,background_thread:true,max_background_threads:1'

export type MemoryShares = { query: Settings; work: Settings }

/**
 * What a statement may take at most: a sixth for each of the three queries that run at once, so that storing readings,
 * which has no limit of its own, always finds memory. Sorting and grouping go to disk from half of it.
 */
export const memoryShares = (memoryBytes: number): MemoryShares => ({
  query: { max_memory_usage: Math.floor(memoryBytes / 6) },
  work: { max_memory_usage: Math.floor(memoryBytes / 3) },
})

/** Of exports through a file, whose size ClickHouse would otherwise hold in memory in large blocks. */
export const FILE_SETTINGS: Settings = {
  min_insert_block_size_rows: 65_536,
  min_insert_block_size_bytes: 0,
  output_format_parquet_row_group_size: 131_072,
}
