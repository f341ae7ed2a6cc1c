/**
 * Attacks of code that runs in the place of a worker process. It prints the names of the attacks that succeed, and how
 * many it tried: `bun intruder.ts FACTS`.
 */
import { dlopen, FFIType, ptr } from 'bun:ffi'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'

export type Facts = {
  /** Source folder of the package. */
  src: string
  data: string
  /** Folder of this process. */
  inputs: string
  results: string
  /** Files of a run of another tenant, of its process, and the process itself. */
  otherRun: string
  otherProcess: string
  otherPid: number
  serverPid: number
  port: number
  abstract: string
}

const facts = JSON.parse(process.argv[2] ?? '') as Facts
const { deniedOn, namedOn } = await import(join(facts.src, 'engine/confine/system-calls.ts'))
const numbers = new Map<string, number>([...deniedOn(process.arch), ...namedOn(process.arch)])
const x64 = { sendto: 44, renameat2: 316, exit_group: 231 }
const arm64 = { sendto: 206, renameat2: 276, exit_group: 94 }
for (const [name, number] of Object.entries(process.arch === 'x64' ? x64 : arm64)) numbers.set(name, number)
const { symbols } = dlopen('libc.so.6', { syscall: { args: Array(7).fill(FFIType.i64), returns: FFIType.i64 } })
const kept: Buffer[] = []
const buffer = (bytes: Buffer | number): number => {
  const made = typeof bytes === 'number' ? Buffer.alloc(bytes) : bytes
  kept.push(made)
  return ptr(made)
}
const text = (value: string): number => buffer(Buffer.from(`${value}\0`))
/** @returns the result of the call: below 0 when it fails */
function call(name: string, ...args: number[]): number {
  const number = numbers.get(name)
  if (number === undefined || number < 0) return -1
  const all = [...args, 0, 0, 0, 0, 0, 0].slice(0, 6) as [number, number, number, number, number, number]
  return Number(symbols.syscall(number, ...all))
}
const works = (name: string, ...args: number[]): boolean => call(name, ...args) >= 0

const { data, inputs, results, otherRun, otherProcess, otherPid, serverPid, port } = facts
const [HERE, CREATE] = [-100, 0o101]
const [input, stored] = [join(inputs, 'input-1'), join(inputs, 'stored-1')]
const own = join(results, 'own')
fs.mkdirSync(results, { recursive: true })
fs.writeFileSync(own, 'own')
const token = join(data, 'operator.token')
const read = (path: string) => (): boolean => fs.readFileSync(path).length > 0
const list = (path: string) => (): boolean => fs.readdirSync(path).length > 0
const write = (path: string) => (): boolean => {
  const isNew = !fs.existsSync(path)
  fs.writeFileSync(path, 'intruder')
  if (isNew) fs.unlinkSync(path)
  return true
}
const did = (work: () => unknown) => (): boolean => {
  work()
  return true
}
const socket = (family: number, type: number, protocol = 0): number => call('socket', family, type, protocol)
function inet(): number {
  const address = Buffer.alloc(16)
  address.writeUInt16LE(2)
  address.writeUInt16BE(port, 2)
  address.set([127, 0, 0, 1], 4)
  return buffer(address)
}
function unix(name: string): [number, number] {
  const bytes = Buffer.concat([Buffer.from([1, 0]), Buffer.from(name), Buffer.alloc(1)])
  return [buffer(bytes), bytes.length - (name.startsWith('\0') ? 1 : 0)]
}
function pair(type: number): number {
  const two = Buffer.alloc(8)
  kept.push(two)
  return works('socketpair', 1, type, 0, ptr(two)) ? two.readInt32LE() : -1
}
const io = (): [number, number] => {
  const target = buffer(64)
  const vector = Buffer.alloc(16)
  vector.writeBigUInt64LE(BigInt(target))
  vector.writeBigUInt64LE(8n, 8)
  return [buffer(vector), 1]
}
const spawns = async (): Promise<boolean> => (await Bun.spawn(['/usr/bin/true']).exited) === 0
/** Reopens a descriptor that has no rights, asking for rights. */
const reopened = (path: string) => (): boolean => {
  const opened = call('openat', HERE, text(path), 0o10000000)
  return opened >= 0 && fs.readFileSync(`/proc/self/fd/${opened}`).length > 0
}
/** Returns only in the child. */
const clones = (flags: number) => (): boolean => {
  const child = call('clone', flags | 17)
  if (child === 0) call('exit_group')
  return child > 0
}
const [NEWUSER, NEWNS, NEWNET] = [0x10000000, 0x20000, 0x40000000]

const TRIES: Record<string, () => boolean | Promise<boolean>> = {
  // attempts to read files of others
  'read operator.token': read(token),
  'read portal.secret': read(join(data, 'portal.secret')),
  'read a stored file': read(join(data, 'files/ab/fil_1')),
  'read a layer': read(join(data, 'layers/lay_1.1')),
  'read the log': read(join(data, 'log/segment')),
  'read the run of another': read(join(otherRun, 'input-1')),
  'read the inputs of another process': read(join(otherProcess, 'in/other/input-1')),
  'read the results of another process': read(join(otherProcess, 'out/other/result')),
  'read environment of the server': read(`/proc/${serverPid}/environ`),
  'read command of the server': read(`/proc/${serverPid}/cmdline`),
  'read maps of the server': read(`/proc/${serverPid}/maps`),
  'open memory of the server': did(() => fs.openSync(`/proc/${serverPid}/mem`, 'r+')),
  'read a descriptor of the server': did(() => fs.readlinkSync(`/proc/${serverPid}/fd/0`)),
  'read through the root of the server': read(`/proc/${serverPid}/root${token}`),
  'read environment of another worker': read(`/proc/${otherPid}/environ`),
  'read accounts': read('/etc/passwd'),
  'read names of hosts': read('/etc/hosts'),
  'read the lock file of the package': read(join(facts.src, '../package-lock.json')),
  'list the data folder': list(data),
  'list the runs': list(dirname(otherRun)),
  'list the processes': list(dirname(otherProcess)),
  'list the root folder': list('/'),
  'list users': list('/home'),
  'open again what was opened without rights': reopened(token),
  'read by a second name': did(() => {
    fs.linkSync(token, join(results, 'link'))
    fs.readFileSync(join(results, 'link'))
  }),
  'read by a symbolic link': did(() => {
    fs.symlinkSync(token, join(results, 'symlink'))
    fs.readFileSync(join(results, 'symlink'))
  }),
  'move a foreign file': did(() => fs.renameSync(join(data, 'moved'), join(results, 'moved'))),
  'make a symbolic link': did(() => fs.symlinkSync(token, join(results, 'symlink-2'))),
  'make a pipe': () => works('mknodat', HERE, text(join(results, 'pipe')), 0o10666),
  'make a device': () => works('mknodat', HERE, text(join(results, 'device')), 0o20666, 0x103),
  'get the handle of a file': () =>
    works('name_to_handle_at', HERE, text(token), buffer(Buffer.from([128, ...Array(140).fill(0)])), buffer(8), 0),
  // attempts to write
  'write into the data folder': write(join(data, 'intruder')),
  'write into the folder of temporary files': write('/tmp/groundwave-intruder'),
  'write into shared memory': write('/dev/shm/groundwave-intruder'),
  'write into the package': write(join(facts.src, 'intruder')),
  'write into programs': write('/usr/intruder'),
  'write into the own folder': write(join(dirname(dirname(inputs)), 'intruder')),
  'write into the folder of results of others': write(join(otherProcess, 'out/other/intruder')),
  'change a result of others': write(join(otherProcess, 'out/other/result')),
  'add an input': write(join(inputs, 'intruder')),
  'change an input': write(input),
  'change a stored file': write(stored),
  'append to a stored file': did(() => fs.appendFileSync(stored, 'x')),
  'truncate an input': () => works('truncate', text(input), 0),
  'truncate what is opened for reading': () => works('openat', HERE, text(stored), 0o1000),
  'remove an input': did(() => fs.unlinkSync(join(inputs, 'input-2'))),
  'move an input': did(() => fs.renameSync(join(inputs, 'input-3'), join(results, 'input-3'))),
  'exchange an input': () => works('renameat2', HERE, text(own), HERE, text(input), 2),
  'give a stored file a second name': did(() => fs.linkSync(stored, join(results, 'stored'))),
  'change the mode of a stored file': () => works('fchmodat', HERE, text(stored), 0o666),
  'change the times of a stored file': () => works('utimensat', HERE, text(stored), 0, 0),
  'set an attribute of a stored file': () => works('setxattr', text(stored), text('user.x'), text('x'), 1, 0),
  'take a lease on a stored file': () => works('fcntl', fs.openSync(stored, 'r'), 1024, 0),
  // attempts to use sockets
  'TCP socket': () => works('connect', socket(2, 1), inet(), 16),
  'TCP server': () =>
    works('bind', socket(2, 1), buffer(Buffer.from([2, 0, 0, 0, 127, 0, 0, 1, ...Array(8).fill(0)])), 16),
  'UDP datagram': () => works('sendto', socket(2, 2), buffer(8), 8, 0, inet(), 16),
  'IPv6 socket': () => socket(10, 1) >= 0,
  'UNIX socket by path': () => works('connect', socket(1, 1), ...unix(join(data, 'postgres.sock'))),
  'UNIX socket by abstract name': () => works('connect', socket(1, 1), ...unix(`\0${facts.abstract}`)),
  'datagram of a pair to a path': () => pair(2) >= 0,
  'netlink socket': () => socket(16, 3) >= 0,
  'vsock socket': () => socket(40, 1) >= 0,
  'packet socket': () => socket(17, 3) >= 0,
  'socket of the kernel’s ciphers': () => socket(38, 5) >= 0,
  // attempts to reach other processes
  'signal to the server': () => works('kill', serverPid, 23),
  'signal to another worker': () => works('kill', otherPid, 23),
  'signal to all': () => works('kill', -1, 23),
  'signal to the group': () => works('kill', 0, 23),
  'signal to a thread of the server': () => works('tgkill', serverPid, serverPid, 23),
  'signal by tkill': () => works('tkill', serverPid, 23),
  'signal with a value': () => works('rt_sigqueueinfo', serverPid, 23, buffer(128)),
  'descriptor of the server': () => works('pidfd_open', serverPid, 0),
  'descriptor of the own process': () => works('pidfd_open', process.pid, 0),
  'signals of a file to the server': () => works('fcntl', fs.openSync(own, 'r'), 8, serverPid),
  'trace the server': () => works('ptrace', 0x4206, serverPid),
  'read memory of the server': () => works('process_vm_readv', serverPid, ...io(), ...io()),
  'read own memory as another’s': () => works('process_vm_readv', process.pid, ...io(), ...io()),
  'limits of the server': () => works('prlimit64', serverPid, 7, 0, buffer(16)),
  'priority of the server': () => works('setpriority', 0, serverPid, 19),
  'processors of the server': () =>
    works('sched_setaffinity', serverPid, 8, buffer(Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]))),
  'compare with the server': () => works('kcmp', process.pid, process.pid, 0, 0, 0),
  'start a program': spawns,
  fork: clones(0),
  vfork: () => numbers.has('vfork') && process.arch === 'arm64' && works('vfork'),
  'clone into a user namespace': clones(NEWUSER),
  clone3: () => {
    const child = call('clone3', buffer(Buffer.from([...Array(32).fill(0), 17, ...Array(55).fill(0)])), 88)
    if (child === 0) call('exit_group')
    return child > 0
  },
  // attempts to use the kernel
  'new user namespace': () => works('unshare', NEWUSER),
  'new mount namespace': () => works('unshare', NEWNS),
  'new network namespace': () => works('unshare', NEWNET),
  'enter a namespace': () => works('setns', fs.openSync('/proc/self/ns/uts', 'r'), 0),
  fsopen: () => works('fsopen', text('tmpfs'), 0),
  open_tree: () => works('open_tree', HERE, text(results), 1),
  io_uring_setup: () => works('io_uring_setup', 1, buffer(120)),
  userfaultfd: () => works('userfaultfd', 1),
  bpf: () => works('bpf', 0, buffer(Buffer.from([2, 0, 0, 0, 4, 0, 0, 0, 8, 0, 0, 0, 1, ...Array(60).fill(0)])), 72),
  perf_event_open: () =>
    works('perf_event_open', buffer(Buffer.from([1, 0, 0, 0, 112, ...Array(120).fill(0)])), 0, -1, -1, 0),
  add_key: () => works('add_key', text('user'), text('x'), text('x'), 1, -3),
  request_key: () => works('keyctl', 0, -3, 1),
  memfd_create: () => works('memfd_create', text('x'), 0),
  'shared memory of System V': () => works('shmget', 0, 4096, 0o1600),
  'messages of System V': () => works('msgget', 0, 0o1600),
  inotify: () => works('inotify_init1', 0),
  fanotify: () => works('fanotify_init', 0x200, 0),
  'log of the kernel': () => works('syslog', 10),
  'name of the host': () => works('sethostname', text('intruder'), 8),
  personality: () => works('personality', 0xffffffff),
  'a call that is newer than the list': () => works('openat2', HERE, text(own), buffer(24), 24),
  'create by openat': () => works('openat', HERE, text(join(data, 'created')), CREATE, 0o600),
  mount: () => works('mount', text('none'), text(results), text('tmpfs'), 0, 0),
  unmount: () => works('umount2', text(results), 2),
  chroot: () => works('chroot', text(results)),
}

const succeeded: string[] = []
for (const [name, attempt] of Object.entries(TRIES))
  try {
    if (await attempt()) succeeded.push(name)
  } catch {
    // it was refused
  }
const failed = Object.keys(TRIES).filter((name) => !succeeded.includes(name))
process.stdout.write(JSON.stringify({ succeeded, failed }))
process.exit(0)
