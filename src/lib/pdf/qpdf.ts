/** qpdf as WebAssembly: structure of PDF files, read and changed without touching what is on the pages. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** What its JavaScript offers; its own types leave most of it out. */
type Emscripten = {
  callMain(args: string[]): number
  FS: {
    init(input: null, output: (byte: number) => void, error: (byte: number) => void): void
    mkdir(path: string): void
    mount(type: unknown, options: { root: string }, path: string): void
    chdir(path: string): void
  }
  NODEFS: unknown
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

const FOLDER = '/files'

/**
 * Runs qpdf once, in memory of its own that ends with it.
 * @param folder whose files it may read and write, and no others
 * @param args as on its command line; names of files within the folder
 */
export async function qpdf(folder: string, args: readonly string[]): Promise<QpdfOutcome> {
  loading ??= load()
  const { create, program } = await loading
  const [output, errors]: [number[], number[]] = [[], []]
  const module = await create({
    noInitialRun: true,
    instantiateWasm(imports, done) {
      done(new WebAssembly.Instance(program, imports))
      return {}
    },
    preRun: [
      ({ FS }) =>
        FS.init(
          null,
          (byte) => output.push(byte),
          (byte) => errors.push(byte),
        ),
    ],
  })
  module.FS.mkdir(FOLDER)
  module.FS.mount(module.NODEFS, { root: folder }, FOLDER)
  module.FS.chdir(FOLDER)
  const code = module.callMain([...args])
  const text = (bytes: number[]): string => Buffer.from(bytes).toString('utf8')
  return { code, output: text(output), errors: text(errors) }
}
