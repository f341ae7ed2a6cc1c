/** Memory that native code has freed is returned to the system. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { runProgram } from '../../support/program.ts'

const MODULE = join(import.meta.dir, '../../../src/engine/native-memory.ts')
/** Frees many pieces of memory below a piece that stays, and prints the size of the process before and after. */
const PROGRAM = `
import { dlopen } from 'bun:ffi'
const { releaseFreeMemory } = await import('${MODULE}')
const { symbols } = dlopen('libc.so.6', {
  calloc: { args: ['usize', 'usize'], returns: 'ptr' },
  free: { args: ['ptr'], returns: 'void' },
  memset: { args: ['ptr', 'int', 'usize'], returns: 'ptr' },
})
const size = 64 * 1024
const pieces = Array.from({ length: 2000 }, () => symbols.memset(symbols.calloc(1, size), 1, size))
for (const piece of pieces.slice(0, -1)) symbols.free(piece)
const before = process.memoryUsage.rss()
await releaseFreeMemory()
console.log(JSON.stringify([before, process.memoryUsage.rss()]))
`

test('a process releases free memory', () => {
  const { status, stdout, stderr } = runProgram(process.execPath, ['-e', PROGRAM])
  expect({ status, stderr }).toMatchObject({ status: 0 })
  const [before, after] = JSON.parse(stdout.toString()) as [number, number]
  expect(before - after).toBeGreaterThan(100e6)
})
