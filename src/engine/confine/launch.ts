/**
 * Starts a program that has given up its rights: `bun launch.ts RULES COMMAND…`. Landlock and seccomp belong to the
 * calling thread, and `execve` keeps only that thread, so that a process with threads can apply both and pass them on.
 * They need no privilege, and the default profiles of Docker and containerd allow them. It imports little, because each
 * start of a worker process waits for it.
 */
import { dlopen, FFIType, ptr, read } from 'bun:ffi'
import { seccompFilter } from './filter.ts'
import { type Architecture, namedOn } from './system-calls.ts'

export type Rules = {
  /** Without Landlock in the kernel, `needed` fails and `wanted` starts anyway. */
  landlock: 'needed' | 'wanted' | 'none'
  /** Folders and files with programs. */
  programs: string[]
  /** Folders whose file names can be listed: Bun looks for packages there. */
  listed: string[]
  readable: string[]
  writable: string[]
  devices: string[]
}

const { symbols } = dlopen(process.platform === 'linux' ? 'libc.so.6' : 'libc', {
  syscall: { args: Array(7).fill(FFIType.i64), returns: FFIType.i64 },
  __errno_location: { args: [], returns: FFIType.ptr },
})
const architecture = process.arch as Architecture
const numbers = namedOn(architecture)

/** Memory behind the pointers of a call must stay alive until the call returns. */
const kept: Buffer[] = []
const pointer = (bytes: Buffer): number => {
  kept.push(bytes)
  return ptr(bytes)
}
const text = (value: string): number => pointer(Buffer.from(`${value}\0`))
const array = (values: readonly string[]): number =>
  pointer(Buffer.from(new BigUint64Array([...values.map((value) => BigInt(text(value))), 0n]).buffer))

function call(name: string, ...args: number[]): number {
  const all = [...args, ...Array<number>(6 - args.length).fill(0)] as [number, number, number, number, number, number]
  return Number(symbols.syscall(numbers.get(name) ?? -1, ...all))
}
function must(name: string, ...args: number[]): number {
  const result = call(name, ...args)
  if (result >= 0) return result
  const errno = symbols.__errno_location()
  throw new Error(`${name} failed with ${errno === null ? '?' : read.i32(errno)}`)
}

const [EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, REFER, TRUNCATE, IOCTL_DEV] = [0, 1, 2, 3, 13, 14, 15]
const [REMOVE_DIR, REMOVE_FILE, MAKE_DIR, MAKE_REG] = [4, 5, 7, 8]
const bits = (...of: (number | undefined)[]): number => of.reduce<number>((sum, bit = 31) => sum | (1 << bit), 0)
/** Rights on files that each version of Landlock knows: 13 in the first, one more in the second, third and fifth. */
const known = (version: number): number => 2 ** (13 + [2, 3, 5].filter((since) => version >= since).length) - 1
const FILE = bits(EXECUTE, WRITE_FILE, READ_FILE, TRUNCATE, IOCTL_DEV)
const [VERSION_FLAG, PATH_BENEATH] = [1, 1]
const [O_PATH, O_DIRECTORY, O_CLOEXEC, AT_FDCWD] = [0o10000000, 0o200000, 0o2000000, -100]

function restrict({ programs, listed, readable, writable, devices }: Rules, version: number): void {
  const handled = known(version)
  const network = version >= 4 ? 3 : 0
  const scoped = version >= 6 ? 3 : 0
  const attributes = Buffer.from(new BigUint64Array([handled, network, scoped].map(BigInt)).buffer)
  const ruleset = must('landlock_create_ruleset', pointer(attributes), version >= 6 ? 24 : version >= 4 ? 16 : 8, 0)
  const allow = (path: string, access: number): void => {
    const folder = call('openat', AT_FDCWD, text(path), O_PATH | O_DIRECTORY | O_CLOEXEC)
    const opened = folder >= 0 ? folder : must('openat', AT_FDCWD, text(path), O_PATH | O_CLOEXEC)
    const rule = Buffer.alloc(16)
    rule.writeBigUInt64LE(BigInt(access & handled & (folder >= 0 ? -1 : FILE)))
    rule.writeInt32LE(opened, 8)
    must('landlock_add_rule', ruleset, PATH_BENEATH, pointer(rule), 0)
  }
  for (const path of programs) allow(path, bits(EXECUTE, READ_FILE, READ_DIR))
  for (const path of listed) allow(path, bits(READ_DIR))
  for (const path of readable) allow(path, bits(READ_FILE, READ_DIR))
  const write = [WRITE_FILE, READ_FILE, READ_DIR, REMOVE_DIR, REMOVE_FILE, MAKE_DIR, MAKE_REG, REFER, TRUNCATE]
  for (const path of writable) allow(path, bits(...write))
  for (const path of devices) allow(path, bits(WRITE_FILE, READ_FILE))
  // the right is attached to the folder's inode in memory, which this descriptor keeps there
  must('openat', AT_FDCWD, text('/proc/self'), O_PATH | O_DIRECTORY)
  allow('/proc/self', bits(READ_FILE, READ_DIR))
  must('landlock_restrict_self', ruleset, 0)
}

/** The system call answers 20 minus the niceness. */
const [NICENESS, NICE] = [10, 10]
/** Otherwise older kernels turn on Spectre mitigations for filtered processes, which slow compiled code down. */
const SPEC_ALLOW = 4
const [SET_NO_NEW_PRIVS, SECCOMP_FILTER, CLOSE_ON_EXEC] = [38, 1, 4]

function main([given = '{}', ...command]: string[]): void {
  const rules = JSON.parse(given) as Rules
  // all but the standard ones and the channel to the server
  call('close_range', 4, 0xffffffff, CLOSE_ON_EXEC)
  // lower priority than the server, which ingests readings; a lower priority stays
  if (call('getpriority', 0, 0) > NICE) call('setpriority', 0, 0, NICENESS)
  must('prctl', SET_NO_NEW_PRIVS, 1)
  const version = rules.landlock === 'none' ? 0 : call('landlock_create_ruleset', 0, 0, VERSION_FLAG)
  if (version > 0) restrict(rules, version)
  else if (rules.landlock === 'needed') throw new Error('this kernel has no Landlock, or it is switched off')
  const { bytes, length } = seccompFilter(architecture, process.pid)
  const program = Buffer.from(new BigUint64Array([BigInt(length), BigInt(pointer(bytes))]).buffer)
  const environment = Object.entries(process.env).map(([name, value]) => `${name}=${value}`)
  const [path, args, variables] = [text(command[0] ?? ''), array(command), array(environment)]
  must('seccomp', SECCOMP_FILTER, SPEC_ALLOW, pointer(program))
  must('execve', path, args, variables)
}

// Bun searches for its settings from the working directory upwards, and fails to start if it may not list a folder
process.chdir(import.meta.dir)
main(process.argv.slice(2))
