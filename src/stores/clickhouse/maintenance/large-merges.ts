/**
 * Postpones large merges of readings while loading them takes a large share of the time. ClickHouse merges parts level
 * by level, and each level costs as much CPU as the one before. A fleet that sends at full speed for minutes, after an
 * outage for example, is loaded a quarter faster without the upper levels, and nothing else competes with its calls.
 * They run once ingestion is calm, or when the number of parts would slow down queries.
 */
import type { ClickHouse } from '../client.ts'

const LARGEST = 'max_bytes_to_merge_at_max_space_in_pool'
/** With many parts, ClickHouse would merge a large one with each small one that follows. */
const FEWEST = { setting: 'min_parts_to_merge_at_once', parts: 4 }
const CHECK_MS = 5_000
/** Share of the time that inserts take: 0.6 at full speed, 0.07 with 10,000 readings a second. */
const BUSY_SHARE = 0.3
/** Ingestion counts as calm after `CALM_CHECKS` consecutive checks below this share. */
const CALM_SHARE = 0.15
const CALM_CHECKS = 6
const MIB = 2 ** 20
/**
 * The largest result of a merge, by the number of parts in the month with the most parts. Above these, ClickHouse
 * decides; with 1,000 parts it would slow down inserts.
 */
const LIMITS = [
  { parts: 600, bytes: 64 * MIB },
  { parts: 800, bytes: 256 * MIB },
]

type MergedStore = Pick<ClickHouse, 'insertFile' | 'rows' | 'write' | 'close'>

/** @param onError receives errors; a failed step is repeated at the next check */
export function postponeLargeMerges<Store extends MergedStore>(
  clickhouse: Store,
  onError: (error: unknown) => void,
  checkMs = CHECK_MS,
): Store {
  let inserts = 0
  let insertMs = 0
  let countedMs = performance.now()
  let checkedMs = countedMs
  let calmChecks = 0
  let isBusy = false
  /** The limit set on the table. An earlier process may have left one. */
  let limit: number | 'unknown' | undefined = 'unknown'
  let checking: Promise<void> | undefined

  /** Adds the time since the last call, if something was inserted meanwhile. */
  function countTime(): number {
    const nowMs = performance.now()
    if (inserts > 0) insertMs += nowMs - countedMs
    countedMs = nowMs
    return nowMs
  }

  async function setLimit(wanted: number | undefined): Promise<void> {
    const change =
      wanted === undefined
        ? `RESET SETTING ${LARGEST}, ${FEWEST.setting}`
        : `MODIFY SETTING ${LARGEST} = ${wanted}, ${FEWEST.setting} = ${FEWEST.parts}`
    await clickhouse.write(`ALTER TABLE readings ${change}`)
    limit = wanted
  }

  async function check(): Promise<void> {
    const nowMs = countTime()
    const share = insertMs / (nowMs - checkedMs)
    insertMs = 0
    checkedMs = nowMs
    calmChecks = share < CALM_SHARE ? calmChecks + 1 : 0
    isBusy = share >= BUSY_SHARE || (isBusy && calmChecks < CALM_CHECKS)
    if (limit === 'unknown' && !(await hasLimit(clickhouse))) limit = undefined
    const wanted = isBusy ? limitFor(await mostParts(clickhouse)) : undefined
    if (wanted !== limit) await setLimit(wanted)
  }

  const timer = setInterval(() => {
    checking ??= check()
      .catch(onError)
      .finally(() => {
        checking = undefined
      })
  }, checkMs)
  timer.unref()
  return {
    ...clickhouse,
    async insertFile(file) {
      countTime()
      inserts++
      try {
        await clickhouse.insertFile(file)
      } finally {
        countTime()
        inserts--
      }
    },
    async close() {
      clearInterval(timer)
      await checking
      await clickhouse.close()
    },
  }
}

const limitFor = (parts: number): number | undefined => LIMITS.find((level) => parts < level.parts)?.bytes

async function mostParts(clickhouse: MergedStore): Promise<number> {
  const [row] = await clickhouse.rows<{ most: number }>(
    `SELECT max(parts) AS most FROM (
       SELECT count() AS parts FROM system.parts
       WHERE active AND database = currentDatabase() AND table = 'readings' GROUP BY partition_id)`,
  )
  return Number(row?.most ?? 0)
}

async function hasLimit(clickhouse: MergedStore): Promise<boolean> {
  const [row] = await clickhouse.rows<{ limited: number }>(
    `SELECT position(engine_full, '${LARGEST}') > 0 AS limited FROM system.tables
     WHERE database = currentDatabase() AND name = 'readings'`,
  )
  return Number(row?.limited) === 1
}
