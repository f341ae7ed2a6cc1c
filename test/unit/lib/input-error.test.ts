/** Which errors of libraries are caused by the input. */
import { expect, test } from 'bun:test'
import { fieldText } from '../../../src/field-texts/field-text.ts'
import { InputError } from '../../../src/lib/input-error.ts'

/** A module that ends with the instruction `unreachable`. */
const TRAP = '0061736d01000000010401600000030201000801000a05010300000b'

function trap(): unknown {
  try {
    const module = new WebAssembly.Module(Uint8Array.fromHex(TRAP))
    return new WebAssembly.Instance(module)
  } catch (error) {
    return error
  }
}

const refuse = (cause: unknown): InputError => new InputError('unreadable', fieldText('invalid'), cause)

test.each<[string, unknown]>([
  ['a trap of WebAssembly', trap()],
  ['a full disk, from a system call', Object.assign(new Error('write'), { code: 'ENOSPC', syscall: 'write' })],
  ['a full disk, from SQLite', new Error('sqlite3_exec(INSERT) failed: database or disk is full')],
  ['a full disk, from C', new Error('qpdf: /run/a.pdf: No space left on device')],
  ['too many open files', Object.assign(new Error('open'), { code: 'EMFILE' })],
])('%s is a failure of our own', (_, cause) => {
  expect(cause).toBeInstanceOf(Error)
  expect(() => refuse(cause)).toThrow(cause as Error)
})

test.each<[string, unknown]>([
  ['no cause', undefined],
  ['damage that a library found', new Error('TIFFFillTile: Read error at row 12')],
  // the length that the file states
  ['an array that is too long', new RangeError('Out of memory')],
  ['a missing file', Object.assign(new Error('no such file'), { code: 'ENOENT' })],
])('%s is the fault of the input', (_, cause) => {
  const { rule, cause: kept } = refuse(cause)
  expect({ rule, kept }).toEqual({ rule: 'unreadable', kept: cause })
})
