/**
 * Files that pages of results load when they need them: our worker for features, PDF.js' worker, and the files that
 * PDF.js loads while it reads a document. The browser's code gets their addresses as the constant PORTAL_RESULT_FILES.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { hashedName } from './portal-fonts.ts'

export type ResultFiles = {
  features: string
  pdfWorker: string
  /** A JSON file: addresses of PDF.js' fonts, character maps and decoders by name. */
  pdfData: string
}

const BASE = '/portal/assets/'
const PDF = 'node_modules/pdfjs-dist'
/** Fonts that documents do not embed, maps of Chinese, Japanese and Korean characters, and decoders of images. */
const DATA_FOLDERS: [folder: string, names: RegExp][] = [
  ['standard_fonts', /\.(pfb|ttf)$/],
  ['cmaps', /\.bcmap$/],
  ['wasm', /^(jbig2|openjpeg|qcms_bg)\.wasm$/],
]

/** @param outdir the folder of hashed files. @returns their addresses */
export async function buildResultFiles(root: string, outdir: string, isDevelopment: boolean): Promise<ResultFiles> {
  const write = async (name: string, bytes: Buffer): Promise<string> => {
    const hashed = hashedName(name, bytes)
    await writeFile(join(outdir, hashed), bytes)
    return BASE + hashed
  }
  const built = await Bun.build({
    entrypoints: [join(root, 'src/portal/features/tools/result/features-worker.ts')],
    outdir,
    target: 'browser',
    minify: !isDevelopment,
    naming: '[name]-[hash].[ext]',
  })
  const [script] = built.outputs
  if (!built.success || script === undefined)
    throw new Error(`The worker of results could not be built:\n${built.logs.join('\n')}`)
  const addresses: Record<string, string> = {}
  for (const [folder, names] of DATA_FOLDERS)
    for (const name of (await readdir(join(root, PDF, folder))).filter((one) => names.test(one)))
      addresses[name] = await write(`pdf-${name}`, await readFile(join(root, PDF, folder, name)))
  return {
    features: BASE + basename(script.path),
    // the build for older browsers, which includes polyfills
    pdfWorker: await write('pdf-worker.mjs', await readFile(join(root, PDF, 'legacy/build/pdf.worker.min.mjs'))),
    pdfData: await write('pdf-data.json', Buffer.from(JSON.stringify(addresses))),
  }
}
