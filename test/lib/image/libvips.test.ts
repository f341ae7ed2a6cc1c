/** libvips called directly: it stays blocked, frees what it made, works beside JavaScript, and may be absent. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import koffi from 'koffi'
import { openSandbox } from '../../../src/engine/sandbox.ts'
import { openImage } from '../../../src/lib/image/image.ts'
import { writeMarked } from '../../../src/lib/image/insert-mark.ts'
import { type Libvips, loadedLibrary, loadLibvips } from '../../../src/lib/image/libvips.ts'
import { NODE } from '../../support/engine.ts'
import { picture } from '../../support/images.ts'
import { runProgram } from '../../support/program.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-libvips-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const SOURCE = join(import.meta.dir, '../../../src/lib/image')

const library = (): string => loadedLibrary(readFileSync('/proc/self/maps', 'utf8')) as string
const noise = (size: string) => picture('a.jpg', '-size', size, '-seed', '7', 'plasma:fractal')
const mark = (side: number) => ({ data: Buffer.alloc(side * side * 4, 99), width: side, height: side, left: 3, top: 5 })

test('the loaders that are blocked in sharp are blocked here', async () => {
  const { image } = (await loadLibvips()) as Libvips
  const { path } = noise('20x20')
  expect(() => image('rawload', { filename: path, width: 4, height: 4, bands: 3 })).toThrow('blocked')
  expect(() => image('svgload', { filename: path })).toThrow('blocked')
})

test('errors name the operation and its reason, each once', async () => {
  const { image } = (await loadLibvips()) as Libvips
  for (const name of ['first', 'second'])
    expect(() => image('jpegload', { filename: join(home, name) })).toThrow(
      new RegExp(`^jpegload: ${join(home, name)}: unable to open for read\\n.*No such file or directory$`),
    )
  expect(() => image('jpegload', { filename: home, access: 'sideways' })).toThrow('sideways')
  expect(() => image('absent', {})).toThrow('absent')
})

/** Waits until threads that ended have returned their buffers. */
async function heldMemory(): Promise<number> {
  const memory = koffi.load(library()).func('size_t vips_tracked_get_mem()') as () => number
  for (let i = 0; i < 100 && memory() > 0; i++) await Bun.sleep(20)
  return memory()
}

test.each(['sound', 'truncated', 'absent', 'unwritable'])(
  'nothing stays in memory after runs on a file that is %s',
  async (kind) => {
    const { path, content } = noise('300x200')
    const image = await openImage(path, { maxPixels: 1e8 })
    if (kind === 'truncated') writeFileSync(path, content.subarray(0, content.length / 2))
    if (kind === 'absent') rmSync(path)
    const target = kind === 'unwritable' ? join(home, 'no-folder/a.jpg') : join(home, 'a.jpg')
    await loadLibvips()
    const before = await heldMemory()
    let failed = 0
    for (let i = 0; i < 100; i++) await writeMarked(image, mark(60), 'jpeg', target).catch(() => failed++)
    expect(failed).toBe(kind === 'sound' ? 0 : 100)
    expect([before, await heldMemory()]).toEqual([0, 0])
  },
)

test('JavaScript goes on meanwhile, and several runs at a time do not disturb each other', async () => {
  const { path } = noise('3000x2000')
  const image = await openImage(path, { maxPixels: 1e8 })
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  const targets = Array.from({ length: 8 }, (_, i) => join(home, `${i}.jpg`))
  await Promise.all(targets.map((target) => writeMarked(image, mark(700), 'jpeg', target)))
  clearInterval(timer)
  expect(turns).toBeGreaterThan(10)
  expect(new Set(targets.map((target) => Bun.hash(readFileSync(target)))).size).toBe(1)
})

test.each([
  ['/app/libvips-cpp.so.8.18.3', '/app/libvips-cpp.so.8.18.3'],
  // replaced by an update while this process runs
  ['/app/libvips-cpp.so.8.18.3 (deleted)', undefined],
  ['/app/libvips.so.42', undefined],
])('of memory that maps %s, the library is %p', (file, expected) => {
  const line = '7f0000000000-7f0000001000 r-xp 00000000 08:01 12345'
  expect(loadedLibrary(`${line} /usr/lib/libc.so.6\n${line}        ${file}\n${line} [heap]\n`)).toBe(expected)
})

/** Prints whether the library is there, and writes an image with a mark. */
const PROGRAM = `
import { loadLibvips } from '${SOURCE}/libvips.ts'
import { openImage } from '${SOURCE}/image.ts'
import { writeMarked } from '${SOURCE}/insert-mark.ts'
const [path, target] = process.argv.slice(2)
console.log(await loadLibvips() !== undefined)
if (path !== undefined) {
  const mark = { data: Buffer.alloc(40 * 40 * 4, 99), width: 40, height: 40, left: 3, top: 5 }
  await writeMarked(await openImage(path, { maxPixels: 1e8 }), mark, 'jpeg', target)
}
`
/** Loads no module of this name. */
const WITHOUT_KOFFI = `
import { registerHooks } from 'node:module'
registerHooks({ resolve(name, context, next) { if (name === 'koffi') throw new Error('absent'); return next(name, context) } })
`

function scriptOf(name: string, code: string): string {
  const script = join(home, name)
  writeFileSync(script, code)
  return script
}

test('Bun, Node, and Node without what calls the library, write the same file', () => {
  const { path } = noise('301x203')
  const script = scriptOf('program.mjs', PROGRAM)
  const hooks = scriptOf('hooks.mjs', WITHOUT_KOFFI)
  const results = [[process.execPath], [NODE], [NODE, '--import', hooks]].map(([program, ...options], i) => {
    const target = join(home, `program-${i}.jpg`)
    const { status, stdout, stderr } = runProgram(program as string, [...options, script, path, target])
    return { status, stdout: stdout.toString().trim(), stderr, hash: Bun.hash(readFileSync(target)) }
  })
  expect(results.map(({ status }) => status)).toEqual([0, 0, 0])
  expect(results.map(({ stdout }) => stdout)).toEqual(['true', 'true', 'false'])
  expect(new Set(results.map(({ hash }) => hash)).size).toBe(1)
})

test.each([
  ['Bun', process.execPath],
  ['Node', NODE],
])('the sandbox of %s shows the library', async (name, program) => {
  const folder = join(home, name)
  const sandbox = await openSandbox({ home: join(folder, 'sandbox'), scratch: join(folder, 'scratch'), readable: [] })
  const code = `const { loadLibvips } = await import('${SOURCE}/libvips.ts'); console.log(await loadLibvips() !== undefined)`
  const { command, runFolders } = sandbox.wrap([program, '--input-type=module', '-e', code])
  const child = Bun.spawn(command, { stderr: 'inherit' })
  expect((await new Response(child.stdout).text()).trim()).toBe('true')
  await child.exited
  await runFolders?.remove()
})
