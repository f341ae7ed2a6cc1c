/**
 * Processes that still work in the data folder. A server that was killed can leave its PostgreSQL behind for a
 * moment, and another program may have been started on the folder by hand.
 */
import { readdir, readFile, readlink, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { UnsupportedStoreError } from '../../requirements.ts'

const POLL_MS = 10
/** A fast shutdown waits for a checkpoint; an immediate one does not. */
const FAST_SHUTDOWN_MS = 10_000
const IMMEDIATE_SHUTDOWN_MS = 5_000

/**
 * Returns once no process works in the folder, after stopping a PostgreSQL that an earlier process of this server
 * left behind: the one that the folder's pid file names and that has its socket in `socketDir`.
 * @throws UnsupportedStoreError when another PostgreSQL uses the folder
 */
export async function stopLeftover(dir: string, socketDir: string): Promise<void> {
  const pidFile = join(dir, 'postmaster.pid')
  const postmaster = await readPostmaster(pidFile)
  let holders = await processesIn(dir)
  if (postmaster !== undefined && holders.includes(postmaster.pid)) {
    if (postmaster.socketDir !== socketDir)
      throw new UnsupportedStoreError(
        `${dir} is in use by another PostgreSQL (pid ${postmaster.pid}); stop it, or set DATA_DIR to another folder`,
      )
    kill(postmaster.pid, 'SIGINT')
    holders = await untilGone(dir, FAST_SHUTDOWN_MS)
    if (holders.includes(postmaster.pid)) kill(postmaster.pid, 'SIGQUIT')
  }
  // processes that serve a connection exit by themselves when they notice that the postmaster has ended
  if (holders.length > 0) holders = await untilGone(dir, IMMEDIATE_SHUTDOWN_MS)
  if (holders.length > 0)
    throw new UnsupportedStoreError(`${dir} is in use by pid ${holders.join(', ')}; stop it, or set DATA_DIR`)
  // its pid may belong to any process after a restart of the machine or container, which PostgreSQL cannot know
  await rm(pidFile, { force: true })
}

/** The pid file's lines: pid, data folder, start time, port, socket folder, address, shared memory, state. */
export async function readPostmaster(
  pidFile: string,
): Promise<{ pid: number; socketDir: string; state: string } | undefined> {
  try {
    const lines = (await readFile(pidFile, 'utf8')).split('\n').map((line) => line.trim())
    const pid = Number(lines[0])
    return Number.isInteger(pid) && pid > 0 ? { pid, socketDir: lines[4] ?? '', state: lines[7] ?? '' } : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** PostgreSQL's processes have the data folder as their working folder. */
async function processesIn(dir: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const folders = await Promise.all(
    // unreadable for processes of other accounts, which have no access to the folder either
    pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => undefined)),
  )
  return pids.filter((_, i) => folders[i] === dir).map(Number)
}

async function untilGone(dir: string, timeoutMs: number): Promise<number[]> {
  for (const deadlineMs = performance.now() + timeoutMs; ; await Bun.sleep(POLL_MS)) {
    const holders = await processesIn(dir)
    if (holders.length === 0 || performance.now() > deadlineMs) return holders
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // the process has just ended
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
