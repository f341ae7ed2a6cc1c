/** qpdf as WebAssembly: structure of PDF files, read and changed without touching what is on the pages. */
import { relative } from 'node:path'

/** What its JavaScript offers; its own types leave most of it out. */
type Emscripten = {
  callMain(args: string[]): number
  HEAPU8: Uint8Array
  NODEFS: object
  FS: {
    init(input: null, output: (byte: number) => void, error: (byte: number) => void): void
    streams: ({ fd: number } | null | undefined)[]
    close(stream: { fd: number }): void
    mkdir(path: string): void
    mount(type: object, options: { root: string }, path: string): void
    unmount(path: string): void
  }
}
type CreateModule = (options: { noInitialRun: true; preRun: ((module: Emscripten) => void)[] }) => Promise<Emscripten>

export type QpdfOutcome = {
  /**
   * 0 for success, 2 for errors, 3 for warnings. A broken table of objects, which the native program would mend, is an
   * error to this build.
   */
  code: number
  output: string
  errors: string
}

/** It sees one folder of the machine and nothing else. */
export type Qpdf = {
  /** As on its command line; files are named as `at` tells. */
  run(args: readonly string[]): QpdfOutcome
  /** What a file of the folder is called in it. */
  at(path: string): string
}

type Held = { folder: string; qpdf: Qpdf; move(folder: string): void; heapBytes(): number; runs(): number }

/** Its code is compiled as it runs, which takes longer than most of what it does: one is kept, while it is small. */
let held: Held | undefined

/** Memory that was needed once is never given back. */
const MAX_HEAP_BYTES = 128 * 2 ** 20
const MAX_RUNS = 1_000
const MOUNT = '/run'

/** @param folder of a run, in which all its files lie */
export async function qpdfFor(folder: string): Promise<Qpdf> {
  if (held === undefined || held.heapBytes() > MAX_HEAP_BYTES || held.runs() > MAX_RUNS) held = await start(folder)
  else if (held.folder !== folder) held.move(folder)
  return held.qpdf
}

const LAST_STANDARD_FD = 2

/** A file that qpdf gives up on stays open, here and for the system, which then cannot give its room on disk back. */
function closeFiles({ streams, close }: Emscripten['FS']): void {
  for (const stream of streams) if (stream && stream.fd > LAST_STANDARD_FD) close(stream)
}

async function start(folder: string): Promise<Held> {
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
  const mount = (root: string): void => FS.mount(NODEFS, { root }, MOUNT)
  FS.mkdir(MOUNT)
  mount(folder)
  const text = (bytes: number[]): string => Buffer.from(bytes).toString('utf8')
  const self: Held = {
    folder,
    qpdf: {
      at: (path) => `${MOUNT}/${relative(self.folder, path)}`,
      run(args) {
        ;[output, errors] = [[], []]
        runs++
        try {
          const code = callMain([...args])
          return { code, output: text(output), errors: text(errors) }
        } catch (error) {
          // it came to its end over this file, and does nothing more
          if (held === self) held = undefined
          return { code: 2, output: '', errors: String(error) }
        } finally {
          closeFiles(FS)
        }
      },
    },
    move(next) {
      FS.unmount(MOUNT)
      mount(next)
      self.folder = next
    },
    heapBytes: () => module.HEAPU8.length,
    runs: () => runs,
  }
  return self
}
