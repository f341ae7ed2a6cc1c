/** qpdf as WebAssembly: structure of PDF files, read and changed without touching what is on the pages. */

/** What its JavaScript offers; its own types leave most of it out. */
type Emscripten = {
  callMain(args: string[]): number
  HEAPU8: Uint8Array
  FS: {
    init(input: null, output: (byte: number) => void, error: (byte: number) => void): void
    writeFile(path: string, bytes: Uint8Array): void
    readFile(path: string): Uint8Array
    unlink(path: string): void
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

/** In memory of its own, without any file of the machine. */
export type Qpdf = {
  /** @returns the name that the file has in it */
  add(bytes: Uint8Array): string
  remove(name: string): void
  /** As on its command line; files are those that lie in it. */
  run(args: readonly string[]): QpdfOutcome
  /** What a run has written, and nobody else will want. */
  take(name: string): Uint8Array
}

type Held = { owner: string; qpdf: Qpdf; files: Set<string>; heapBytes(): number; runs(): number }

/** Its code is compiled as it runs, which takes longer than most of what it does: one is kept, while it is small. */
let held: Held | undefined

/** Memory that was needed once is never given back. */
const MAX_HEAP_BYTES = 128 * 2 ** 20
const MAX_RUNS = 1_000

/**
 * The same one for all who name the same owner; files of the owner before are gone.
 * @param owner what is worked for, the scratch folder of a run
 */
export async function qpdfFor(owner: string): Promise<Qpdf> {
  if (held?.owner === owner) return held.qpdf
  if (held !== undefined && held.heapBytes() < MAX_HEAP_BYTES && held.runs() < MAX_RUNS) {
    for (const name of held.files) held.qpdf.remove(name)
    held.owner = owner
    return held.qpdf
  }
  held = await start(owner)
  return held.qpdf
}

async function start(owner: string): Promise<Held> {
  const { default: create } = await import('@neslinesli93/qpdf-wasm')
  let [output, errors]: [number[], number[]] = [[], []]
  let [runs, added] = [0, 0]
  const files = new Set<string>()
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
  const { callMain, FS } = module
  const text = (bytes: number[]): string => Buffer.from(bytes).toString('utf8')
  const qpdf: Qpdf = {
    add(bytes) {
      const name = `/${++added}.pdf`
      FS.writeFile(name, bytes)
      files.add(name)
      return name
    },
    remove(name) {
      FS.unlink(name)
      files.delete(name)
    },
    run(args) {
      ;[output, errors] = [[], []]
      runs++
      try {
        const code = callMain([...args])
        return { code, output: text(output), errors: text(errors) }
      } catch (error) {
        // it came to its end over this file, and does nothing more
        if (held?.qpdf === qpdf) held = undefined
        return { code: 2, output: '', errors: String(error) }
      }
    },
    take(name) {
      const bytes = FS.readFile(name)
      FS.unlink(name)
      return bytes
    },
  }
  return { owner, qpdf, files, heapBytes: () => module.HEAPU8.length, runs: () => runs }
}
