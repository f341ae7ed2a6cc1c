/**
 * Starts a program as Docker's default profile would: `bun without-namespaces.ts [--refuse=CALL] COMMAND…`. New namespaces
 * and mounts are refused, all else is allowed.
 */
import { dlopen, FFIType, ptr } from 'bun:ffi'
import { deniedOn, namedOn } from '../../../src/engine/confine/system-calls.ts'

const architecture = process.arch as 'x64' | 'arm64'
const { symbols } = dlopen('libc.so.6', { syscall: { args: Array(7).fill(FFIType.i64), returns: FFIType.i64 } })
const [denied, named] = [deniedOn(architecture), namedOn(architecture)]
const words = process.argv.slice(2)
const more = words[0]?.startsWith('--refuse=') ? [(words.shift() as string).slice('--refuse='.length)] : []
const refused = ['unshare', 'mount', 'setns', 'fsopen', 'open_tree', ...more].map(
  (name) => denied.get(name) ?? named.get(name) ?? -1,
)
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET */
const NAMESPACES = 0x7e020000
const program: [number, number, number, number][] = [
  [0x20, 0, 0, 0],
  ...refused.map((number, i): [number, number, number, number] => [0x15, refused.length - i + 3, 0, number]),
  [0x15, 0, 2, named.get('clone') ?? -1],
  [0x20, 0, 0, 16],
  [0x45, 1, 0, NAMESPACES],
  [0x06, 0, 0, 0x7fff0000],
  [0x06, 0, 0, 0x00050001],
]
const bytes = Buffer.alloc(program.length * 8)
for (const [i, [code, jumpIf, jumpElse, k]] of program.entries()) {
  bytes.writeUInt16LE(code, i * 8)
  bytes.set([jumpIf, jumpElse], i * 8 + 2)
  bytes.writeUInt32LE(k, i * 8 + 4)
}
const header = Buffer.from(new BigUint64Array([BigInt(program.length), BigInt(ptr(bytes))]).buffer)
const call = (name: string, ...args: number[]): number =>
  Number(symbols.syscall(named.get(name) ?? -1, ...([...args, 0, 0, 0, 0, 0, 0].slice(0, 6) as [0, 0, 0, 0, 0, 0])))
const texts = (values: string[]): Buffer[] => values.map((value) => Buffer.from(`${value}\0`))
const command = texts(words)
const environment = texts(Object.entries(process.env).map(([name, value]) => `${name}=${value}`))
const list = (values: Buffer[]): Buffer =>
  Buffer.from(new BigUint64Array([...values.map((value) => BigInt(ptr(value))), 0n]).buffer)
const [args, variables] = [list(command), list(environment)]
call('prctl', 38, 1)
if (call('seccomp', 1, 0, ptr(header)) < 0) throw new Error('the filter was refused')
call('execve', ptr(command[0] as Buffer), ptr(args), ptr(variables))
throw new Error(`${words[0]} was not started`)
