/** qpdf as WebAssembly: reads and changes the structure of PDF files without touching page content. */
import { relative } from 'node:path'

/** The parts of Emscripten's module that are used; its own types omit most of them. */
type Emscripten = {
  callMain(args: string[]): number
  HEAPU8: Uint8Array
  NODEFS: object
  FS: {
    init(input: null, output: (byte: number) => void, error: (byte: number) => void): void
    streams: ({ fd: number } | null | undefined)[]
    close(stream: { fd: number }): void
    mkdir(path: string): void
    writeFile(path: string, text: string): void
    mount(type: object, options: { root: string }, path: string): void
    unmount(path: string): void
  }
}
type CreateModule = (options: { noInitialRun: true; preRun: ((module: Emscripten) => void)[] }) => Promise<Emscripten>

export type QpdfOutcome = {
  /**
   * 0 for success, 2 for errors, 3 for warnings. A damaged cross-reference table is an error in this build, while the
   * native program repairs it.
   */
  code: number
  output: string
  errors: string
}

/** One folder is mounted; qpdf has no other access to the file system. */
export type Qpdf = {
  /**
   * Runs qpdf with command line arguments; files are named by `at`. Errors count only if a fresh instance reports them
   * too.
   * @throws QpdfAborted when the engine itself fails twice
   */
  run(args: readonly string[]): Promise<QpdfOutcome>
  /** The name of a file of the folder inside qpdf's virtual file system. */
  at(path: string): string
}

type Instance = {
  folder: string
  /** @throws when the instance aborts or its result is incomplete; the instance cannot be reused */
  run(args: readonly string[]): QpdfOutcome
  move(folder: string): void
  heapBytes(): number
  runs(): number
}

/** Compiling the module takes longer than most runs, so one instance is reused while its memory is small. */
let cached: Instance | undefined

/** The memory of a WebAssembly instance never shrinks. */
const MAX_HEAP_BYTES = 128 * 2 ** 20
/**
 * Command line arguments stay on qpdf's stack of 64 kB, which is never freed; an overflow silently overwrites its own
 * data. Arguments are therefore passed in a file, so that a run takes 48 bytes and this many runs 10 kB; most work
 * needs 6 kB.
 */
const MAX_RUNS = 200
const WORDS = '/words'
const MOUNT = '/run'

/** @param folder contains all files of a run */
export function qpdfFor(folder: string): Qpdf {
  return {
    at: (path) => `${MOUNT}/${relative(folder, path)}`,
    async run(args) {
      const instance = await instanceFor(folder)
      const isFresh = instance.runs() === 0
      const outcome = attempt(instance, args)
      if (!(outcome instanceof Error) && (outcome.code !== FAILED || isFresh || PASSWORD.test(outcome.errors)))
        return outcome
      cached = undefined
      const again = attempt(await instanceFor(folder), args)
      if (again instanceof Error) throw new QpdfAborted(again.message, { cause: again })
      return again
    },
  }
}

/** The engine aborted during a run or could not write its result, and a fresh one failed too. */
export class QpdfAborted extends Error {}

const FAILED = 2
/** qpdf's message about a password; a second attempt would not help. */
const PASSWORD = /invalid password/

function attempt(instance: Instance, args: readonly string[]): QpdfOutcome | Error {
  try {
    return instance.run(args)
  } catch (error) {
    // the caller retries or reports it
    cached = undefined
    return error instanceof Error ? error : new Error(String(error))
  }
}

async function instanceFor(folder: string): Promise<Instance> {
  if (cached === undefined || cached.heapBytes() > MAX_HEAP_BYTES || cached.runs() > MAX_RUNS)
    cached = await start(folder)
  else if (cached.folder !== folder) cached.move(folder)
  return cached
}

const LAST_STANDARD_FD = 2

/** After a failure, qpdf leaves the file open, so the system cannot free its disk space. */
function closeFiles({ streams, close }: Emscripten['FS']): void {
  for (const stream of streams) if (stream && stream.fd > LAST_STANDARD_FD) close(stream)
}

/** The file system's operations on open files; its other members have minified names. */
type Operations = { read: unknown; write(...given: unknown[]): unknown }

const isOperations = (value: unknown): value is Operations =>
  typeof value === 'object' && value !== null && 'read' in value && 'write' in value

/** Programs in C rarely check the last write, which happens when a file is closed. */
function reportFailedWrites(fileSystem: object, onFailed: (error: unknown) => void): void {
  const operations = Object.values(fileSystem).find(isOperations)
  if (operations === undefined) throw new Error('the file system has no operations to read and write')
  const { write } = operations
  operations.write = (...given) => {
    try {
      return write(...given)
    } catch (error) {
      onFailed(error)
      throw error
    }
  }
}

async function start(folder: string): Promise<Instance> {
  const { default: create } = await import('@neslinesli93/qpdf-wasm')
  let [output, errors]: [number[], number[]] = [[], []]
  let runs = 0
  const module = await (create as unknown as CreateModule)({
    noInitialRun: true,
    preRun: [
      ({ FS }) =>
        FS.init(
          null,
          (byte) => output.push(byte),
          (byte) => errors.push(byte),
        ),
    ],
  })
  const { callMain, FS, NODEFS } = module
  let failedWrite: unknown
  reportFailedWrites(NODEFS, (error) => {
    failedWrite = error
  })
  const mount = (root: string): void => FS.mount(NODEFS, { root }, MOUNT)
  FS.mkdir(MOUNT)
  mount(folder)
  const text = (bytes: number[]): string => Buffer.from(bytes).toString('utf8')
  const instance: Instance = {
    folder,
    run(args) {
      ;[output, errors] = [[], []]
      runs++
      failedWrite = undefined
      try {
        FS.writeFile(WORDS, args.join('\n'))
        const code = callMain([`@${WORDS}`])
        closeFiles(FS)
        if (failedWrite !== undefined) throw new Error('qpdf could not write its result', { cause: failedWrite })
        return { code, output: text(output), errors: text(errors) }
      } finally {
        closeFiles(FS)
      }
    },
    move(next) {
      FS.unmount(MOUNT)
      mount(next)
      instance.folder = next
    },
    heapBytes: () => module.HEAPU8.length,
    runs: () => runs,
  }
  return instance
}
