/** The data folder, its permissions, its disk, and the speed of that disk. */
import { existsSync, type Stats } from 'node:fs'
import { access, constants, open, readdir, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { socketPathIn } from '../stores/clickhouse/embedded/process.ts'
import { isLocked, lockHolder } from '../stores/file-lock.ts'
import { SOCKET } from '../stores/postgres/embedded/server.ts'
import { socketPathFault } from '../stores/socket-path.ts'
import { causeOf, type Finding, ok, problem, warning } from './finding.ts'

const MIB = 2 ** 20
const FOLDER = 'data folder'
const DISK = 'disk'
const SPEED = 'disk speed'
const SYNCS = 21
const SYNC_BYTES = 4_096
/** Every call of readings waits for one sync, which concurrent calls share. */
const SLOW_SYNC_MS = 20
/** Files that nobody else may read. */
const SECRETS = ['operator.token', 'first-operator.link', 'portal.secret']
const MIN_FREE_INODES = 10_000

/** The folder, or the nearest one above it that exists. */
function existing(path: string): string {
  let folder = resolve(path)
  while (!existsSync(folder)) folder = dirname(folder)
  return folder
}

export type Holder = { isRunning: boolean; text: string }

/** Whether a server uses the folder. */
export function holderOf(dir: string): Holder {
  const path = join(dir, 'lock')
  if (!existsSync(path)) return { isRunning: false, text: 'no server uses it' }
  try {
    return isLocked(path)
      ? { isRunning: true, text: `a server uses it${lockHolder(path)}` }
      : { isRunning: false, text: 'no server uses it' }
  } catch (error) {
    return { isRunning: false, text: `its lock cannot be read: ${causeOf(error)}` }
  }
}

export async function folderFindings(config: Config): Promise<Finding[]> {
  const { home } = config
  const place = existing(home)
  if (!(await stat(place)).isDirectory())
    return [problem(FOLDER, `${place} is not a folder`, 'Set DATA_DIR to a folder, or remove the file.')]
  try {
    await access(place, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    return [
      problem(
        FOLDER,
        `${place} cannot be written to by uid ${process.getuid?.()}: ${causeOf(error)}`,
        'Make the account of the server its owner, or set DATA_DIR to another folder.',
      ),
    ]
  }
  const tooLong = socketFindings(config)
  if (place !== resolve(home) && tooLong.length > 0) return tooLong
  if (place !== resolve(home)) return [ok(FOLDER, `${home} does not exist; the first start creates it in ${place}`)]
  const info = await stat(home)
  const findings = [...permissionFindings(home, info), ...(await secretFindings(home)), ...tooLong]
  return findings.length > 0 ? findings : [ok(FOLDER, `${home}, mode 0700; ${holderOf(config.dataDir).text}`)]
}

/** The server does not start with them. */
function socketFindings({ postgresUrl, postgresSocketDir, clickhouseUrl, clickhouseSocketDir }: Config): Finding[] {
  const sockets = [
    ...(postgresUrl === undefined ? [join(postgresSocketDir, SOCKET)] : []),
    ...(clickhouseUrl === undefined ? [socketPathIn(clickhouseSocketDir)] : []),
  ]
  const fault = sockets.map(socketPathFault).find((text) => text !== undefined)
  return fault === undefined ? [] : [problem(FOLDER, fault, 'Set DATA_DIR to a shorter path.')]
}

function permissionFindings(home: string, info: Stats): Finding[] {
  const mode = info.mode & 0o777
  const uid = process.geteuid?.()
  const findings: Finding[] = []
  if (uid !== undefined && uid !== 0 && info.uid !== uid)
    findings.push(
      problem(
        FOLDER,
        `${home} belongs to uid ${info.uid}; this is uid ${uid}`,
        `Run "chown -R ${uid} ${home}" as root, or run the server as uid ${info.uid}.`,
      ),
    )
  // root shares the folder with the account of PostgreSQL, which has only search permission
  const isPassable = uid === 0 && mode === 0o711
  if ((mode & 0o077) !== 0 && !isPassable)
    findings.push(
      problem(
        FOLDER,
        `${home} has mode 0${mode.toString(8)}, so other accounts can enter it`,
        `Run "chmod 700 ${home}" as its owner.`,
      ),
    )
  return findings
}

async function secretFindings(home: string): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const name of SECRETS) {
    const path = join(home, name)
    if (!existsSync(path)) continue
    const mode = (await stat(path)).mode & 0o777
    if ((mode & 0o077) !== 0)
      findings.push(
        problem(
          FOLDER,
          `${path} has mode 0${mode.toString(8)}, so other accounts can read it`,
          `Run "chmod 600 ${path}", and replace its secrets if others may have read them.`,
        ),
      )
  }
  return findings
}

export async function diskFindings(config: Config): Promise<Finding[]> {
  const { bavail, blocks, bsize, ffree, files } = await statfs(existing(config.dataDir))
  const [free, total] = [Math.floor((bavail * bsize) / MIB), Math.floor((blocks * bsize) / MIB)]
  const reserve = config.minFreeDiskBytes / MIB
  const text = `${free} of ${total} MB are free; MIN_FREE_DISK_MB is ${reserve}`
  const findings: Finding[] = []
  if (free < reserve)
    findings.push(problem(DISK, text, 'Free some space or move DATA_DIR: calls with files are refused.'))
  else if (free < 2 * reserve)
    findings.push(warning(DISK, text, 'Free some space: calls with files are refused below MIN_FREE_DISK_MB.'))
  const ceiling = config.logCeilingBytes / MIB
  if (free < ceiling)
    findings.push(
      warning(
        DISK,
        `${free} MB are free, less than LOG_CEILING_MB=${ceiling}, which the log may need while ClickHouse is away`,
        'Free some space, or lower LOG_CEILING_MB so that the log stops before the disk is full.',
      ),
    )
  // some file systems have no fixed number
  if (files > 0 && ffree < MIN_FREE_INODES)
    findings.push(
      problem(DISK, `${ffree} inodes are free`, 'Remove small files, or use a file system with more inodes.'),
    )
  return findings.length > 0 ? findings : [ok(DISK, text)]
}

/** Appends and syncs as the log does. */
export async function speedFindings(config: Config): Promise<Finding[]> {
  const folder = existing(config.dataDir)
  // folderFindings reports it
  if (!(await stat(folder)).isDirectory()) return []
  const path = join(folder, `.doctor-${process.pid}`)
  try {
    const file = await open(path, 'wx', 0o600)
    const times: number[] = []
    try {
      const block = Buffer.alloc(SYNC_BYTES, 1)
      for (let i = 0; i < SYNCS; i++) {
        const startedMs = performance.now()
        await file.write(block)
        await file.datasync()
        times.push(performance.now() - startedMs)
      }
    } finally {
      await file.close()
    }
    const sorted = times.sort((a, b) => a - b)
    const [median, worst] = [sorted[SYNCS >> 1] as number, sorted.at(-1) as number]
    const text = `a write and its sync take ${median.toFixed(1)} ms, at most ${worst.toFixed(1)} ms, of ${SYNCS}`
    if (median < SLOW_SYNC_MS) return [ok(SPEED, text)]
    return [
      warning(
        SPEED,
        text,
        'Every call of readings waits for a sync. Use a local SSD for DATA_DIR, or find out what else writes to this disk.',
      ),
    ]
  } catch (error) {
    return [problem(SPEED, `${folder} cannot be written to: ${causeOf(error)}`, 'See the data folder.')]
  } finally {
    await rm(path, { force: true })
  }
}

/** The major version of the embedded PostgreSQL's folder; undefined when there is none. */
export async function embeddedPostgresVersion(config: Config): Promise<string | undefined> {
  const path = join(config.postgresDir, 'PG_VERSION')
  const entries = existsSync(config.postgresDir) ? await readdir(config.postgresDir) : []
  return entries.includes('PG_VERSION') ? (await Bun.file(path).text()).trim() : undefined
}
