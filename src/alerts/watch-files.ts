/** Rules and sensors as files for the judging process: all at first, afterwards those that changed. */
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { inTurns } from '../event-loop-yield.ts'
import { createChangeCache } from '../stores/change-cache.ts'
import type { Changes } from '../stores/changes.ts'
import { WORKER_READABLE } from '../stores/empty-folder.ts'
import {
  type JudgedRule,
  judgedRules,
  type SensorSelection,
  type UsualIntervals,
  watchedSensors,
} from '../stores/postgres/alerts/watched.ts'
import type { Database } from '../stores/postgres/client.ts'
import type { JudgeInput } from './protocol.ts'
import { toWatchedRule } from './stored-rule.ts'

export type WatchedRules = ReadonlyMap<string, JudgedRule>

export type WatchFiles = {
  /** All rules that the judging process watches, by id. */
  rules(): Promise<WatchedRules>
  /**
   * Writes what changed since the last call, or everything. If the files do not reach the process, the next call has to
   * ask for everything.
   */
  write(rules: WatchedRules, folder: string, everything: boolean): Promise<Pick<JudgeInput, 'rules' | 'sensors'>>
}

/** Changes since the last call. Sensors of a rule are found by comparing rules. */
type Pending = { sensorIds: Set<string>; enterpriseIds: Set<string>; isEverything: boolean }

const nothing = (): Pending => ({ sensorIds: new Set(), enterpriseIds: new Set(), isEverything: false })
/** Ids that one query takes. */
const MAX_IDS = 5_000

export function createWatchFiles(db: Database, changes: Changes, usualIntervals: UsualIntervals): WatchFiles {
  const cache = createChangeCache({
    load: async (_: 'all') => new Map((await judgedRules(db)).map((rule) => [rule.id, rule])),
    maxSize: 1,
    invalidatedBy: { changes, kinds: ['zone-rule', 'layer', 'enterprise', 'missed'] },
  })
  let pending = nothing()
  let sent: WatchedRules = new Map()
  let rulesVersion = 0
  let sensorsVersion = 0
  changes.subscribe((change) => {
    if (change.kind === 'missed') pending.isEverything = true
    // without rules nothing is sent, and everything is with the first one
    else if (sent.size === 0) return
    else if (change.kind === 'sensor') pending.sensorIds.add(change.id)
    else if (change.kind === 'enterprise') pending.enterpriseIds.add(change.id)
  })

  return {
    rules: () => cache.get('all'),
    async write(rules, folder, wantsEverything) {
      const { sensorIds, enterpriseIds, isEverything } = pending
      pending = nothing()
      const before = sent
      sent = rules
      const everything = wantsEverything || isEverything || before.size === 0
      const selections = everything ? (['all'] as const) : selectionsOf(before, rules, sensorIds, enterpriseIds)
      const hasOtherRules = everything || rules !== before
      const rulesPath = hasOtherRules ? await writeRules(rules, join(folder, 'rules.json')) : null
      const sensorsPath = await writeSensors(db, rules, selections, usualIntervals, join(folder, 'sensors.json'))
      if (rulesPath !== null) rulesVersion++
      if (sensorsPath !== null) sensorsVersion++
      return {
        rules: { version: rulesVersion, path: rulesPath },
        sensors: { version: sensorsVersion, path: sensorsPath, isComplete: everything },
      }
    },
  }
}

function selectionsOf(
  before: WatchedRules,
  rules: WatchedRules,
  sensorIds: ReadonlySet<string>,
  enterpriseIds: ReadonlySet<string>,
): SensorSelection[] {
  const enterprises = new Set(enterpriseIds)
  const changed: JudgedRule[] = []
  for (const rule of rules.values()) {
    const known = before.get(rule.id)
    // sensors that it does not watch any more too
    if (known !== undefined && known.targets !== rule.targets) enterprises.add(rule.enterpriseId)
    // a rule that means something else may name other channels
    else if (known?.since.getTime() !== rule.since.getTime()) changed.push(rule)
  }
  for (const { allSensors, enterpriseId } of changed) if (allSensors) enterprises.add(enterpriseId)
  const byEnterprise = Map.groupBy(
    changed.filter(({ enterpriseId }) => !enterprises.has(enterpriseId)),
    ({ enterpriseId }) => enterpriseId,
  )
  const ids = [...sensorIds]
  const chunks = Array.from({ length: Math.ceil(ids.length / MAX_IDS) }, (_, i) =>
    ids.slice(i * MAX_IDS, (i + 1) * MAX_IDS),
  )
  return [
    ...chunks.map((chunk) => ({ sensorIds: chunk })),
    ...(enterprises.size === 0 ? [] : [{ enterpriseIds: [...enterprises] }]),
    ...[...byEnterprise].map(([enterpriseId, own]) => ({
      byRules: { enterpriseId, ruleIds: own.map(({ id }) => id), tags: [...new Set(own.flatMap(({ tags }) => tags))] },
    })),
  ]
}

/** Thousands of rules are written in turns. */
async function writeRules(rules: WatchedRules, path: string): Promise<string> {
  const list = [...rules.values()]
  const texts: string[] = []
  await inTurns(list.length, (i) => {
    const rule = list[i] as JudgedRule
    texts.push(JSON.stringify(toWatchedRule(rule, rule.enterprise)))
  })
  await Bun.write(path, `[${texts.join(',\n')}]`, { mode: WORKER_READABLE })
  return path
}

/** @returns null if there is nothing to write */
async function writeSensors(
  db: Database,
  rules: WatchedRules,
  selections: readonly SensorSelection[],
  usualIntervals: UsualIntervals,
  path: string,
): Promise<string | null> {
  if (selections.length === 0) return null
  let file: FileHandle | undefined
  try {
    file = await open(path, 'w')
    await file.chmod(WORKER_READABLE)
    for (const selection of selections)
      for await (const lines of watchedSensors(db, rules, selection, usualIntervals)) await file.appendFile(lines)
  } finally {
    await file?.close()
  }
  return path
}
