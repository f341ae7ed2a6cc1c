/** The seccomp filter of worker processes: a program of classic BPF. */
import { type Architecture, deniedOn, NEWEST, namedOn } from './system-calls.ts'

type Instruction = [code: number, jumpIf: number, jumpElse: number, k: number]

const LOAD = 0x20
const [EQUAL, GREATER, ANY_BIT] = [0x15, 0x25, 0x45]
const AND = 0x54
const RETURN = 0x06
const ALLOW = 0x7fff0000
const KILL = 0x80000000
const fail = (errno: number): number => 0x00050000 + errno
const [EPERM, ENOSYS] = [1, 38]

const load = (offset: number): Instruction => [LOAD, 0, 0, offset]
const answer = (value: number): Instruction => [RETURN, 0, 0, value]
/** Offsets in `struct seccomp_data`. Arguments are 64 bits; the lower half decides here, as it does in the kernel. */
const [NUMBER, ARCHITECTURE] = [0, 4]
const argument = (index: number): Instruction => load(16 + 8 * index)
const WORDS: Record<Architecture, number> = { x64: 0xc000003e, arm64: 0xc00000b7 }

const CLONE_THREAD = 0x10000
const [ACCESS_MODE, TRUNCATE] = [3, 0o1000]
const [SOCKET_TYPE, STREAM] = [0xf, 1]
/** F_SETSIG, F_SETOWN, F_SETOWN_EX, F_SETLEASE, F_NOTIFY: signals to others, and leases that delay them. */
const FCNTL = [10, 8, 15, 1024, 1026]
/** FIOSETOWN, SIOCSPGRP, TIOCSTI */
const IOCTL = [0x8901, 0x8902, 0x5412]

/** Fails unless the loaded value is in the list. */
const unlessIn = (values: readonly number[]): Instruction[] => [
  ...values.map((value, i): Instruction => [EQUAL, values.length - i, 0, value]),
  answer(fail(EPERM)),
  answer(ALLOW),
]
const ifIn = (values: readonly number[]): Instruction[] => [
  ...values.map((value, i): Instruction => [EQUAL, values.length - i, 0, value]),
  answer(ALLOW),
  answer(fail(EPERM)),
]

/** @param pid of the process that the filter is for @returns the bytes of its `struct sock_filter`s, and their number */
export function seccompFilter(architecture: Architecture, pid: number): { bytes: Buffer; length: number } {
  const own = [0, pid]
  const looked: [name: string, Instruction[]][] = [
    // threads only: child processes would need limits and monitoring of their own
    ['clone', [argument(0), [ANY_BIT, 0, 1, CLONE_THREAD], answer(ALLOW), answer(fail(EPERM))]],
    // the flags of clone3 are in memory, which a filter cannot read: libc falls back to clone
    ['clone3', [answer(fail(ENOSYS))]],
    ['openat2', [answer(fail(ENOSYS))]],
    // O_TRUNC truncates even files opened read-only, which Landlock does not check in older kernels
    ['open', withoutTruncation(1)],
    ['openat', withoutTruncation(2)],
    // libuv sets the mode of a copied file, and treats an error as a failed copy
    ['fchmod', [answer(fail(0))]],
    // a datagram socket could send to any path
    ['socketpair', [argument(1), [AND, 0, 0, SOCKET_TYPE], ...unlessIn([STREAM])]],
    ['kill', [argument(0), ...unlessIn([pid])]],
    ['tgkill', [argument(0), ...unlessIn([pid])]],
    ['prlimit64', [argument(0), ...unlessIn(own)]],
    ...['sched_setaffinity', 'sched_setscheduler', 'sched_setparam', 'sched_setattr'].map(
      (name): [string, Instruction[]] => [name, [argument(0), ...unlessIn(own)]],
    ),
    ['setpriority', [argument(1), ...unlessIn(own)]],
    ['ioprio_set', [argument(1), ...unlessIn(own)]],
    ['fcntl', [argument(1), ...ifIn(FCNTL)]],
    ['ioctl', [argument(1), ...ifIn(IOCTL)]],
  ]
  const denied = [...deniedOn(architecture).values()]
  const numbers = namedOn(architecture)
  const instructions: Instruction[] = [
    load(ARCHITECTURE),
    [EQUAL, 1, 0, WORDS[architecture]],
    answer(KILL),
    load(NUMBER),
    [GREATER, 0, 1, NEWEST],
    answer(fail(ENOSYS)),
    ...looked.flatMap(([name, body]): Instruction[] => {
      const number = numbers.get(name)
      return number === undefined ? [] : [[EQUAL, 0, body.length, number], ...body]
    }),
    ...denied.map((number, i): Instruction => [EQUAL, denied.length - i, 0, number]),
    answer(ALLOW),
    answer(fail(EPERM)),
  ]
  const bytes = Buffer.alloc(instructions.length * 8)
  for (const [i, [code, jumpIf, jumpElse, k]] of instructions.entries()) {
    bytes.writeUInt16LE(code, i * 8)
    bytes.writeUInt8(jumpIf, i * 8 + 2)
    bytes.writeUInt8(jumpElse, i * 8 + 3)
    bytes.writeUInt32LE(k, i * 8 + 4)
  }
  return { bytes, length: instructions.length }
}

/** Fails for a file that is opened for reading and truncated. */
function withoutTruncation(index: number): Instruction[] {
  return [
    argument(index),
    [ANY_BIT, 0, 3, TRUNCATE],
    [AND, 0, 0, ACCESS_MODE],
    [EQUAL, 0, 1, 0],
    answer(fail(EPERM)),
    answer(ALLOW),
  ]
}
