/** `bun run backup`, `verify`, `restore` and `move`: complete systems as archives. */
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ConfigError } from '../config/config-error.ts'
import { readConfig } from '../config.ts'
import { beNice } from '../niceness.ts'
import { makePrivate } from '../stores/data-dir.ts'
import { lockFile, lockHolder } from '../stores/file-lock.ts'
import { UnsupportedStoreError } from '../stores/requirements.ts'
import { backUp } from './backup.ts'
import { BackupError } from './errors.ts'
import { readManifest } from './manifest.ts'
import { move } from './move.ts'
import { openArchive } from './open-archive.ts'
import { createProgress, type Progress } from './progress.ts'
import { requireIntact, restore } from './restore.ts'
import { openSystem } from './system.ts'
import { configOf } from './variables.ts'
import { verifyArchive } from './verify.ts'

const HELP = `bun run backup TARGET              back up the system of this environment; its server may run
bun run verify TARGET              read a whole backup and report what is damaged
bun run restore TARGET             bring a backup into the empty system of this environment
bun run move [--from FILE] --to FILE [--via TARGET]
                                   move a stopped system to other stores; FILE has lines like POSTGRES_URL=…

TARGET is a folder, or a bucket: http[s]://accessKey:secretKey@host[:port]/bucket[/prefix][?region=…]
A backup into the target of an earlier one copies what is new. Interrupted commands can be run again.
See docs/operations.md.
`

class UsageError extends BackupError {}

async function run(words: string[], progress: Progress): Promise<void> {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      from: { type: 'string' },
      to: { type: 'string' },
      via: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const [command = '', target, ...more] = positionals
  if (values.help) {
    process.stdout.write(HELP)
    return
  }
  if (command === 'move') {
    if (values.to === undefined || target !== undefined) throw new UsageError(`move requires --to FILE\n\n${HELP}`)
    const from = values.from === undefined ? readConfig(process.env) : await configOf(values.from, process.env)
    return move(from, await configOf(values.to, process.env), values.via, progress)
  }
  if (target === undefined || more.length > 0) throw new UsageError(`${command} requires one TARGET\n\n${HELP}`)
  const config = readConfig(process.env)
  if (command === 'backup') {
    if (!existsSync(config.home))
      throw new BackupError(`DATA_DIR ${config.home} does not exist; set the variables that the server has`)
    const unlock = lockBackups(config.home)
    const store = await openArchive(target, join(config.home, 'backup-spool'), true)
    const system = await openSystem(config, { mustBeStopped: false, isNew: false })
    try {
      await backUp(system, store, progress)
    } finally {
      await system.close()
      unlock()
    }
    return
  }
  const store = await openArchive(target, join(config.home, 'backup-spool'), false)
  const manifest = await readManifest(store)
  if (command === 'verify') {
    const damages = await verifyArchive(store, manifest, progress)
    for (const { name, reason } of damages) progress.say(`${name} ${reason}`)
    if (damages.length > 0)
      throw new BackupError(
        `${store.label} is damaged: ${damages.length} objects. A new backup into it replaces those that the system still has`,
      )
    progress.say(`${store.label} is complete: the backup of ${manifest.createdAt} by version ${manifest.version}`)
    return
  }
  await requireIntact(store, manifest, progress)
  const system = await openSystem(config, { mustBeStopped: true, isNew: true })
  try {
    await restore(system, store, manifest, progress)
  } finally {
    await system.close()
  }
}

/** A lock, because two concurrent backups of a system would remove each other's copies of tables. */
function lockBackups(home: string): () => void {
  makePrivate(home)
  const path = join(home, 'backup.lock')
  const unlock = lockFile(path)
  if (unlock === undefined) throw new BackupError(`Another backup of ${home} is running${lockHolder(path)}`)
  return unlock
}

process.umask(0o077)
// low priority: the server comes first
beNice(constants.priority.PRIORITY_BELOW_NORMAL)
const progress = createProgress()
run(process.argv.slice(2), progress)
  .then(() => process.exit(0))
  .catch((error: unknown) => {
    progress.stop()
    const isExpected =
      error instanceof BackupError ||
      error instanceof ConfigError ||
      error instanceof UnsupportedStoreError ||
      (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS') === true
    process.stderr.write(`${isExpected ? (error as Error).message : ((error as Error).stack ?? error)}\n`)
    process.exit(1)
  })
