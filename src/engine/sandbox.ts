/**
 * The sandbox of worker processes, which decode files of strangers. Each gives up its rights before it starts
 * (confine/launch.ts): Landlock leaves it the system's programs, this package, a folder of inputs that it reads and one
 * of results that it writes, and seccomp denies it sockets, child processes and signals to other processes. Where the
 * system allows it, the process also gets its own namespaces: no network, no other processes, no capabilities and,
 * under root, a separate account that owns nothing. Processes, memory and open files are limited. util-linux starts it,
 * so that nothing is compiled.
 */
import { randomInt } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import type { Rules } from './confine/launch.ts'
import { ProcessFolders } from './process-folders.ts'

export type SandboxFolders = {
  /** Where the sandbox keeps its own files. */
  home: string
  /** Contains the scratch folders of runs, and the folders of processes. */
  scratch: string
}

export const ISOLATIONS = ['namespaces', 'landlock', 'limits'] as const
/**
 * `namespaces`: with Landlock where the kernel has it. `limits`: the process can read all files that its account can
 * read.
 */
export type Isolation = (typeof ISOLATIONS)[number]

export type Sandbox = {
  isolation: Isolation
  /** Why namespaces are not used. */
  reason: string | undefined
  /** The command to start instead, inside the sandbox. @param memoryBytes memory limit of the process */
  wrap(command: readonly string[], memoryBytes: number): Confined
}

/** A command for one process. */
export type Confined = { command: string[]; folders: ProcessFolders }

/** The requested isolation does not work here; the message says how to fix it. */
export class IsolationError extends Error {}

const ROOT = join(import.meta.dir, '../..')
const LAUNCH = join(import.meta.dir, 'confine/launch.ts')
/** The rest of the package folder may hold the data folder. */
const PACKAGE = ['src', 'node_modules', 'package.json'].map((name) => join(ROOT, name))
/** The system's programs and libraries; links such as /lib to /usr/lib are created as links. */
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

/** User ids that neither Debian nor systemd assigns; more than there are concurrent processes. */
const FIRST_ACCOUNT = 60_600
const ACCOUNTS = 500
/** Threads count as processes. */
const LIMITS = [`--nproc=${128 + 16 * availableParallelism()}`, '--core=0', '--nofile=4096', `--fsize=${16 * 2 ** 30}`]
/** Address space that Bun and V8 reserve, which counts as data although most of it is never used. */
const RESERVED_BYTES = 16 * 2 ** 30
const NO_RIGHTS = ['--bounding-set=-all', '--inh-caps=-all', '--no-new-privs', '--pdeathsig', 'KILL']
/** The folder is its own mount, so that it can become the root; the old root is not reachable any more after that. */
const ENTER =
  'PATH=/usr/sbin:/usr/bin:/sbin:/bin; mount -a -T "$1" && cd "$2" && pivot_root . . && umount -l . && cd / && shift 2 && exec "$@"'
const PROBE_TIMEOUT_MS = 10_000
const PROBE_BYTES = 2 ** 30

/** @param asked the required isolation; by default the best available @throws IsolationError */
export async function openSandbox({ home, scratch }: SandboxFolders, asked?: Isolation): Promise<Sandbox> {
  const isRoot = process.geteuid?.() === 0
  await mkdir(scratch, { recursive: true })
  const root = join(home, 'root')
  /** Mounts of all processes, as fstab(5) has them. */
  const mounts: string[] = []
  // on the same disk as the runs' folders, because files are hard-linked into it
  const processes = join(scratch, 'processes')
  await rm(processes, { recursive: true, force: true })
  await mkdir(processes)
  let started = 0
  // servers on one machine would otherwise share accounts, whose threads the system counts together
  let accounts = randomInt(ACCOUNTS)
  let ownAccounts = isRoot

  /** @param view the path of its folder for the process */
  const launched = (
    command: readonly string[],
    { view, landlock, bytes }: { view: string; landlock: Rules['landlock']; bytes: number },
    rights: readonly string[],
  ): string[] => {
    const rules: Rules = {
      landlock,
      programs: [...system(), ...PACKAGE, ...programFolder()],
      listed: [ROOT],
      readable: [join(view, 'in')],
      writable: [join(view, 'out')],
      devices: DEVICES,
    }
    const memory = `--data=${RESERVED_BYTES + 2 * bytes}`
    const before = [PRLIMIT, ...LIMITS, memory, '--', SETPRIV, ...rights, '--']
    return [...before, process.execPath, LAUNCH, JSON.stringify(rules), ...command]
  }
  const folderOf = (): string => {
    const own = join(processes, String(++started))
    for (const folder of [own, join(own, 'in'), join(own, 'out')]) {
      mkdirSync(folder)
      chmodSync(folder, 0o755)
    }
    return own
  }
  const plain =
    (landlock: Rules['landlock']): Sandbox['wrap'] =>
    (command, bytes) => {
      const own = folderOf()
      const rights = isRoot ? NO_RIGHTS : NO_RIGHTS.slice(2)
      const folders = new ProcessFolders({ own, view: own, scratch, account: undefined })
      return { command: launched(command, { view: own, landlock, bytes }, rights), folders }
    }
  const isolated: Sandbox['wrap'] = (command, bytes) => {
    const own = folderOf()
    const account = ownAccounts ? FIRST_ACCOUNT + (accounts++ % ACCOUNTS) : undefined
    const rights = account === undefined ? [] : [`--reuid=${account}`, `--regid=${account}`, '--clear-groups']
    if (account !== undefined) chownSync(join(own, 'out'), account, account)
    // in the process's folder, only the folder for results is writable
    const ownMounts = [
      mountOf(own, scratch, 'ro,nosuid,nodev,noexec'),
      mountOf(join(own, 'out'), join(scratch, 'out'), 'nosuid,nodev,noexec'),
    ]
    const table = join(own, 'mounts')
    writeFileSync(table, [...mounts, ...ownMounts, ''].join('\n'))
    const inside = launched(command, { view: scratch, landlock: 'wanted', bytes }, [...rights, ...NO_RIGHTS])
    return {
      command: [
        SETPRIV,
        '--pdeathsig',
        'KILL',
        '--',
        UNSHARE,
        ...(isRoot ? [] : ['--user', '--map-root-user']),
        '--mount',
        '--net',
        '--pid',
        '--ipc',
        '--uts',
        '--fork',
        '--kill-child',
        '--',
        SHELL,
        '-c',
        ENTER,
        'sh',
        table,
        root,
        ...inside,
      ],
      folders: new ProcessFolders({ own, view: scratch, scratch, account }),
    }
  }
  /** @returns why it does not work */
  const tryOut = async (wrap: Sandbox['wrap']): Promise<string | undefined> => {
    const missing = [SETPRIV, PRLIMIT].find((program) => !existsSync(program))
    if (missing !== undefined) return `${missing} is not installed`
    let folders: ProcessFolders | undefined
    try {
      const confined = wrap([process.execPath, '--version'], PROBE_BYTES)
      folders = confined.folders
      return await probe(confined.command)
    } catch (error) {
      // root of a container may not give folders to other accounts
      return String(error)
    } finally {
      await folders?.remove()
    }
  }
  const reasons: string[] = []
  for (const isolation of ISOLATIONS) {
    if (isolation !== (asked ?? isolation) || (asked === undefined && isolation === 'limits')) continue
    const wrap = isolation === 'namespaces' ? isolated : plain(isolation === 'landlock' ? 'needed' : 'none')
    const failed = isolation === 'namespaces' ? await prepare() : await tryOut(wrap)
    if (failed === undefined) return { isolation, reason: reasons[0], wrap }
    reasons.push(`${isolation}: ${failed}`)
  }
  throw new IsolationError(
    `Worker processes, which decode files of strangers, cannot be isolated here (${reasons.join('; ')}). ${ADVICE}`,
  )

  /** @returns why namespaces do not work here */
  async function prepare(): Promise<string | undefined> {
    if (!existsSync(UNSHARE)) return `${UNSHARE} is not installed`
    await rm(home, { recursive: true, force: true })
    for (const folder of [root, join(root, '/proc'), join(root, scratch)]) await makeFolder(folder)
    mounts.push(mountOf(root, '', 'ro'))
    for (const path of [...system(), ...PACKAGE, ...programFolder()]) {
      await makePlace(path)
      mounts.push(mountOf(path, path, 'ro,nosuid,nodev'))
    }
    for (const path of DEVICES) {
      await makePlace(path)
      mounts.push(mountOf(path, path, 'nosuid,noexec'))
    }
    mounts.push(`proc ${escaped(join(root, '/proc'))} proc nosuid,nodev,noexec 0 0`)
    for (const path of SYSTEM) if (isLink(path)) await symlink(readlinkSync(path), join(root, path))
    const reason = await tryOut(isolated)
    if (reason === undefined || !isRoot) return reason
    // root of a container may have no other account
    ownAccounts = false
    return tryOut(isolated)
  }

  function mountOf(from: string, to: string, options: string): string {
    return `${escaped(realpathSync(from))} ${escaped(join(root, to))} none bind,${options} 0 0`
  }

  /** An empty folder or file as a mount point. */
  async function makePlace(path: string): Promise<void> {
    const place = join(root, path)
    const isFolder = lstatSync(realpathSync(path)).isDirectory()
    await makeFolder(isFolder ? place : dirname(place))
    if (!isFolder) await writeFile(place, '')
  }

  /** Readable for all accounts under any umask. */
  async function makeFolder(path: string): Promise<void> {
    if (existsSync(path)) return
    await makeFolder(dirname(path))
    await mkdir(path)
    await chmod(path, 0o755)
  }
}

/** Advice to the operator when no isolation works. */
export const ADVICE =
  'Use a kernel of version 5.13 or later with Landlock switched on, which needs no privilege; or install util-linux and mount and allow user namespaces and mounts: kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0, or the seccomp profile of the container. WORKER_ISOLATION=limits starts without isolation: a fault in a decoder then opens everything that this account can read.'

const isLink = (path: string): boolean => existsSync(path) && lstatSync(path).isSymbolicLink()
const system = (): string[] => SYSTEM.filter((path) => existsSync(path) && !isLink(path))

/** The folder of the running program, if it is neither in the package nor a system folder. */
function programFolder(): string[] {
  const folder = dirname(realpathSync(process.execPath))
  return [...PACKAGE, ...SYSTEM].some((known) => folder.startsWith(`${known}/`)) ? [] : [folder]
}

/** Escaped as in fstab(5). */
const escaped = (path: string): string =>
  path.replace(/[\s\\]/g, (c) => `\\${c.charCodeAt(0).toString(8).padStart(3, '0')}`)

/** @returns its error; undefined when it works */
async function probe(command: readonly string[]): Promise<string | undefined> {
  const child = Bun.spawn([...command], { env: {}, stdio: ['ignore', 'ignore', 'pipe'], timeout: PROBE_TIMEOUT_MS })
  const [errors, code] = await Promise.all([new Response(child.stderr).text(), child.exited])
  return code === 0 ? undefined : errors.trim() || `the probe ended with ${code}`
}
