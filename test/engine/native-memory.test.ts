/** Memory that native code has freed goes back to the system. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { NODE } from '../support/engine.ts'
import { runProgram } from '../support/program.ts'

const MODULE = join(import.meta.dir, '../../src/engine/native-memory.ts')
/** Frees many pieces of memory below one that stays, and prints the size of the process before and after. */
const PROGRAM = `
import koffi from 'koffi'
const { releaseFreeMemory } = await import('${MODULE}')
const library = koffi.load('libc.so.6')
const allocate = library.func('void *calloc(size_t count, size_t size)')
const free = library.func('void free(void *memory)')
const fill = library.func('void *memset(void *memory, int value, size_t size)')
const pieces = Array.from({ length: 2000 }, () => fill(allocate(1, 64 * 1024), 1, 64 * 1024))
for (const piece of pieces.slice(0, -1)) free(piece)
const before = process.memoryUsage.rss()
await releaseFreeMemory()
console.log(JSON.stringify([before, process.memoryUsage.rss()]))
`

test.each([
  ['Bun', process.execPath, ['-e', PROGRAM]],
  ['Node', NODE, ['--input-type=module', '-e', PROGRAM]],
])('in %s', (_name, program, args) => {
  const { status, stdout, stderr } = runProgram(program, args)
  expect({ status, stderr }).toMatchObject({ status: 0 })
  const [before, after] = JSON.parse(stdout.toString()) as [number, number]
  expect(before - after).toBeGreaterThan(100e6)
})
