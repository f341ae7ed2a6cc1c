/**
 * The sandbox of worker processes, which decode files of strangers. Each runs in separate Linux namespaces: it sees
 * only the system's programs, this package and the folders of runs that it works on, where it writes; it has
 * no network, sees no other process and has no capabilities; files, processes and open files are limited. Under root it
 * runs as an account that owns nothing, one for each process. util-linux starts it, so that nothing is compiled and a
 * start takes about 10 ms longer. Where the system forbids namespaces, the limits remain.
 */
import { randomInt } from 'node:crypto'
import { chmodSync, existsSync, lstatSync, mkdirSync, readlinkSync, realpathSync } from 'node:fs'
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { type RunFolders, runFoldersOf } from './run-folders.ts'

export type SandboxFolders = {
  /** Where the sandbox keeps its own files. */
  home: string
  /** Contains the scratch folders of runs, of which each worker sees its own. */
  scratch: string
  /** Folders that workers read, beside this package. */
  readable: readonly string[]
}

/** `limits`: resource limits and no capabilities, but the rest of the system is visible. */
export type Isolation = 'namespaces' | 'limits' | 'none'

export type Sandbox = {
  isolation: Isolation
  /** Why it is not `namespaces`. */
  reason: string | undefined
  /** What to start instead of the command. @param shown whether it sees the folders that are only shown to some */
  wrap(command: readonly string[], shown?: boolean): Confined
}

/** A command for one process. */
export type Confined = {
  command: string[]
  /** Undefined where the process sees the folders of all runs. */
  runFolders: RunFolders | undefined
}

const ROOT = join(import.meta.dir, '../..')
/** The rest of the package folder may hold the data folder. */
const PACKAGE = ['src', 'node_modules', 'package.json'].map((name) => join(ROOT, name))
/** The system's programs and libraries; links such as /lib to /usr/lib are made as they are. */
const SYSTEM = [
  '/usr',
  '/lib',
  '/lib32',
  '/lib64',
  '/bin',
  '/sbin',
  '/nix/store',
  '/gnu/store',
  '/etc/ld.so.cache',
  '/etc/alternatives',
]
const DEVICES = ['/dev/null', '/dev/urandom']
const [SETPRIV, UNSHARE, PRLIMIT, SHELL] = ['/usr/bin/setpriv', '/usr/bin/unshare', '/usr/bin/prlimit', '/bin/sh']

/** Accounts that neither Debian nor systemd assign; more of them than there are processes at a time. */
const FIRST_ACCOUNT = 60_600
const ACCOUNTS = 500
/** Threads count as processes. */
const LIMITS = [
  `--nproc=${128 + 16 * availableParallelism()}`,
  ...['--core=0', '--nofile=4096', `--fsize=${16 * 2 ** 30}`],
]
const NO_RIGHTS = ['--bounding-set=-all', '--inh-caps=-all', '--no-new-privs', '--pdeathsig', 'KILL']
/** The folder is its own mount, so that it can become the root; the old root is not reachable any more after that. */
const ENTER =
  'PATH=/usr/sbin:/usr/bin:/sbin:/bin; mount -a -T "$1" && mount -o bind,nosuid,nodev,noexec "$3" "$2$4" && cd "$2" && pivot_root . . && umount -l . && cd / && shift 4 && exec "$@"'
const PROBE_TIMEOUT_MS = 10_000

/** @param shown folders that only some processes read */
export async function openSandbox(folders: SandboxFolders, shown: readonly string[] = []): Promise<Sandbox> {
  const isRoot = process.geteuid?.() === 0
  const { home, scratch } = folders
  for (const folder of [scratch, ...folders.readable, ...shown]) await mkdir(folder, { recursive: true })
  // passing through, not listing: the names of runs cannot be guessed
  if (isRoot) for (const folder of [scratch, ...folders.readable, ...shown]) await chmod(folder, 0o711)
  const root = join(home, 'root')
  // on the disk of the runs' folders, which are moved there
  const processes = join(scratch, 'processes')
  await rm(processes, { recursive: true, force: true })
  await mkdir(processes)
  if (isRoot) await chmod(processes, 0o711)
  let started = 0
  // servers on one machine would otherwise share accounts, whose threads the system counts together
  let accounts = randomInt(ACCOUNTS)
  let ownAccounts = isRoot

  const limited = (command: readonly string[]): string[] => [
    ...[PRLIMIT, ...LIMITS, '--', SETPRIV, ...(isRoot ? NO_RIGHTS : NO_RIGHTS.slice(2)), '--'],
    ...command,
  ]
  const isolated = (command: readonly string[], table: string): Confined => {
    const own = join(processes, String(++started))
    mkdirSync(own)
    chmodSync(own, 0o755)
    return {
      command: isolatedCommand(command, table, own),
      runFolders: runFoldersOf(own, scratch, ownAccounts),
    }
  }
  const isolatedCommand = (command: readonly string[], table: string, own: string): string[] => {
    const account = FIRST_ACCOUNT + (accounts++ % ACCOUNTS)
    return [
      ...[SETPRIV, '--pdeathsig', 'KILL', '--', UNSHARE],
      ...(isRoot ? [] : ['--user', '--map-root-user']),
      ...['--mount', '--net', '--pid', '--ipc', '--uts', '--fork', '--kill-child', '--'],
      ...[SHELL, '-c', ENTER, 'sh', table, root, own, scratch, PRLIMIT, ...LIMITS, '--', SETPRIV],
      ...(ownAccounts ? [`--reuid=${account}`, `--regid=${account}`, '--clear-groups'] : []),
      ...[...NO_RIGHTS, '--'],
      ...command,
    ]
  }
  const missing = [SETPRIV, PRLIMIT].find((program) => !existsSync(program))
  if (missing !== undefined) return unconfined(`${missing} is not installed`)
  const reason = existsSync(UNSHARE) ? await prepare() : `${UNSHARE} is not installed`
  if (reason !== undefined) {
    const worse = await probe(limited([process.execPath, '--version']))
    return worse === undefined
      ? { ...unconfined(reason), isolation: 'limits', wrap: plain(limited) }
      : unconfined(worse)
  }
  return {
    isolation: 'namespaces',
    reason: undefined,
    wrap: (command, all = false) => isolated(command, join(home, all ? 'mounts-all' : 'mounts')),
  }

  /** @returns why namespaces do not work here */
  async function prepare(): Promise<string | undefined> {
    await rm(home, { recursive: true, force: true })
    const mounts = [...system(), ...PACKAGE, ...programFolder(), ...folders.readable]
    for (const folder of [root, ...['/proc', scratch, ...shown].map((path) => join(root, path))])
      await makeFolder(folder)
    const lines = [mountOf(root, '', 'ro')]
    for (const path of mounts) {
      await makePlace(path)
      lines.push(mountOf(path, path, 'ro,nosuid,nodev'))
    }
    for (const path of DEVICES) {
      await makePlace(path)
      lines.push(mountOf(path, path, 'nosuid,noexec'))
    }
    lines.push(`proc ${escaped(join(root, '/proc'))} proc nosuid,nodev,noexec 0 0`)
    for (const path of SYSTEM) if (isLink(path)) await symlink(readlinkSync(path), join(root, path))
    await writeFile(
      join(home, 'mounts'),
      lines.map((line) => `${line}\n`),
    )
    const all = [...lines, ...shown.map((path) => mountOf(path, path, 'ro,nosuid,nodev'))]
    await writeFile(
      join(home, 'mounts-all'),
      all.map((line) => `${line}\n`),
    )
    const tryOut = async (): Promise<string | undefined> => {
      const { command, runFolders } = isolated([process.execPath, '--version'], join(home, 'mounts'))
      try {
        return await probe(command)
      } finally {
        await runFolders?.remove()
      }
    }
    const reason = await tryOut()
    if (reason === undefined || !isRoot) return reason
    // root of a container may have no other account
    ownAccounts = false
    return tryOut()
  }

  function mountOf(from: string, to: string, options: string): string {
    return `${escaped(realpathSync(from))} ${escaped(join(root, to))} none bind,${options} 0 0`
  }

  /** An empty folder or file that another one is mounted on. */
  async function makePlace(path: string): Promise<void> {
    const place = join(root, path)
    const isFolder = lstatSync(realpathSync(path)).isDirectory()
    await makeFolder(isFolder ? place : dirname(place))
    if (!isFolder) await writeFile(place, '')
  }

  /** Readable for all accounts, whatever the umask is. */
  async function makeFolder(path: string): Promise<void> {
    if (existsSync(path)) return
    await makeFolder(dirname(path))
    await mkdir(path)
    await chmod(path, 0o755)
  }
}

export const unconfined = (reason: string): Sandbox => ({
  isolation: 'none',
  reason,
  // it ends with the server at least, however the server ends
  wrap: plain((command) =>
    existsSync(SETPRIV) ? [SETPRIV, '--pdeathsig', 'KILL', '--no-new-privs', '--', ...command] : [...command],
  ),
})

/** For processes that see the folders of all runs. */
function plain(wrap: (command: readonly string[]) => string[]): Sandbox['wrap'] {
  return (command) => ({ command: wrap(command), runFolders: undefined })
}

const isLink = (path: string): boolean => existsSync(path) && lstatSync(path).isSymbolicLink()
const system = (): string[] => SYSTEM.filter((path) => existsSync(path) && !isLink(path))

/** Where the running program lies, if it is not one of the package or the system. */
function programFolder(): string[] {
  const folder = dirname(realpathSync(process.execPath))
  return [...PACKAGE, ...SYSTEM].some((known) => folder.startsWith(`${known}/`)) ? [] : [folder]
}

/** As fstab(5) has it. */
const escaped = (path: string): string =>
  path.replace(/[\s\\]/g, (c) => `\\${c.charCodeAt(0).toString(8).padStart(3, '0')}`)

/** @returns the error that it ends with; undefined when it works */
async function probe(command: readonly string[]): Promise<string | undefined> {
  const child = Bun.spawn([...command], { env: {}, stdio: ['ignore', 'ignore', 'pipe'], timeout: PROBE_TIMEOUT_MS })
  const [errors, code] = await Promise.all([new Response(child.stderr).text(), child.exited])
  return code === 0 ? undefined : errors.trim() || `the probe ended with ${code}`
}
