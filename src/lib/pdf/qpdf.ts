/** qpdf as WebAssembly: structure of PDF files, read and changed without touching what is on the pages. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** What its JavaScript offers; its own types leave most of it out. */
type Emscripten = {
  callMain(args: string[]): number
  FS: {
    init(input: null, output: (byte: number) => void, error: (byte: number) => void): void
    writeFile(path: string, bytes: Uint8Array): void
    readFile(path: string): Uint8Array
    unlink(path: string): void
  }
}
type Options = {
  noInitialRun: true
  preRun: ((module: Emscripten) => void)[]
  instantiateWasm(
    imports: ConstructorParameters<typeof WebAssembly.Instance>[1],
    done: (instance: WebAssembly.Instance) => void,
  ): object
}
type CreateModule = (options: Options) => Promise<Emscripten>

let loading: Promise<{ create: CreateModule; program: WebAssembly.Module }> | undefined

async function load(): Promise<{ create: CreateModule; program: WebAssembly.Module }> {
  const { default: create } = await import('@neslinesli93/qpdf-wasm')
  const bytes = await readFile(require.resolve('@neslinesli93/qpdf-wasm/dist/qpdf.wasm'))
  return { create: create as unknown as CreateModule, program: await WebAssembly.compile(new Uint8Array(bytes)) }
}

export type QpdfOutcome = {
  /**
   * 0 for success, 2 for errors, 3 for warnings. A broken table of objects, which the native program would mend, is an
   * error to this build.
   */
  code: number
  output: string
  errors: string
}

export type Qpdf = {
  /** As on its command line; files are those that lie in it. */
  run(args: readonly string[]): QpdfOutcome
  put(name: string, bytes: Uint8Array): void
  /** What a run has written, and nobody else will want. */
  take(name: string): Uint8Array
}

/** In memory of its own, without any file of the machine; it ends when nobody holds it any more. */
export async function startQpdf(): Promise<Qpdf> {
  loading ??= load()
  const { create, program } = await loading
  let [output, errors]: [number[], number[]] = [[], []]
  const { callMain, FS } = await create({
    noInitialRun: true,
    instantiateWasm(imports, done) {
      done(new WebAssembly.Instance(program, imports))
      return {}
    },
    preRun: [
      (module) =>
        module.FS.init(
          null,
          (byte) => output.push(byte),
          (byte) => errors.push(byte),
        ),
    ],
  })
  const text = (bytes: number[]): string => Buffer.from(bytes).toString('utf8')
  return {
    run(args) {
      ;[output, errors] = [[], []]
      const code = callMain([...args])
      return { code, output: text(output), errors: text(errors) }
    },
    put: (name, bytes) => FS.writeFile(name, bytes),
    take(name) {
      const bytes = FS.readFile(name)
      FS.unlink(name)
      return bytes
    },
  }
}
