/**
 * Builds the browser's part of the portal into dist/portal: hashed files with compressed copies beside them, and
 * `portal.json`, which names the files that the page loads first. The portal is rebuilt only when its sources have
 * changed.
 */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { copyFonts, hashedName } from './portal-fonts.ts'
import { buildMapFiles, type MapFiles } from './portal-map.ts'
import { buildResultFiles, type ResultFiles } from './portal-results.ts'

/** The content of `portal.json`, which the server reads (src/surfaces/portal/files.ts). */
export type PortalManifest = {
  /** Identifies the sources of this build. */
  sources: string
  script: string
  style: string
  /** Scripts that the first script imports. */
  imports: string[]
  /** The texts and the font of each language. */
  texts: Record<string, string>
  fonts: Record<string, string>
}

export const ROOT = join(import.meta.dir, '../..')
const PORTAL = join(ROOT, 'src/portal')
/** Files of the server that scripts of the portal import. */
const SHARED = ['account-codes.ts', 'errors.ts', 'field-texts/bilingual.ts', 'placeholders.ts', 'upload-codes.ts'].map(
  (path) => join(ROOT, 'src', path),
)
export const DIST = join(ROOT, 'dist/portal')
/** Text files below this size are not worth a compressed copy. */
const MIN_COMPRESSED_BYTES = 512
const COMPRESSIBLE = /\.(m?js|css|json|svg|map)$/
const BROTLI_QUALITY = 10
/** Above this size the best compression takes seconds and saves a twentieth. */
const MAX_BEST_BYTES = 300_000
const BROTLI_FAST_QUALITY = 7

/** A hash of all inputs of the build. */
async function sourcesHash(): Promise<string> {
  const hash = createHash('sha256').update(Bun.version)
  hash.update(await readFile(join(ROOT, 'package-lock.json')))
  for (const file of [
    'build-portal.ts',
    'portal-fonts.ts',
    'portal-map.ts',
    'portal-results.ts',
    'world-tiles.ts',
    'antimeridian.ts',
  ])
    hash.update(await readFile(join(import.meta.dir, file)))
  const files = (await readdir(PORTAL, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  for (const file of [...files, ...SHARED]) hash.update(file.slice(PORTAL.length)).update(await readFile(file))
  return hash.digest('hex')
}

async function builtFrom(): Promise<string | undefined> {
  try {
    return (JSON.parse(await readFile(join(DIST, 'portal.json'), 'utf8')) as PortalManifest).sources
  } catch {
    return undefined
  }
}

async function bundle(outdir: string, isDevelopment: boolean, mapFiles: MapFiles, resultFiles: ResultFiles) {
  const result = await Bun.build({
    entrypoints: [join(PORTAL, 'main.tsx'), join(PORTAL, 'ui/style/portal.css')],
    outdir,
    target: 'browser',
    splitting: true,
    minify: !isDevelopment,
    sourcemap: isDevelopment ? 'linked' : 'none',
    publicPath: '/portal/assets/',
    naming: { entry: '[name]-[hash].[ext]', chunk: 'part-[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    define: {
      'process.env.NODE_ENV': isDevelopment ? '"development"' : '"production"',
      PORTAL_MAP_FILES: JSON.stringify(mapFiles),
      PORTAL_RESULT_FILES: JSON.stringify(resultFiles),
    },
    metafile: true,
  })
  return result
}

type Bundle = Awaited<ReturnType<typeof bundle>>

/** @param fonts the font of each language */
function manifestOf(built: Bundle, sources: string, style: string, fonts: Record<string, string>): PortalManifest {
  const outputs = Object.entries(built.metafile?.outputs ?? {}).map(([path, output]) => ({
    ...output,
    name: basename(path),
  }))
  const find = (what: string, matches: (output: (typeof outputs)[number]) => boolean): string => {
    const output = outputs.find(matches)
    if (output === undefined) throw new Error(`The build made no file for ${what}`)
    return output.name
  }
  const script = find('the start of the portal', ({ entryPoint }) => entryPoint?.endsWith('portal/main.tsx') === true)
  // chunks that the first script imports statically: loaded at the same time instead of one after the other
  const imports = new Set<string>()
  const visit = (name: string): void => {
    for (const { path, kind } of outputs.find((output) => output.name === name)?.imports ?? [])
      if (kind === 'import-statement' && !imports.has(basename(path))) {
        imports.add(basename(path))
        visit(basename(path))
      }
  }
  visit(script)
  const textsOf = (language: string): string =>
    find(`the texts in ${language}`, ({ inputs }) =>
      Object.keys(inputs).some((input) => input.endsWith(`portal/text/${language}.ts`)),
    )
  const texts = { en: textsOf('en'), ar: textsOf('ar') }
  return { sources, script, style, imports: [...imports], texts, fonts }
}

/** @throws Error if the portal would not be built again after a change of a file that it contains */
function requireKnownInputs(built: Bundle): void {
  for (const input of Object.keys(built.metafile?.inputs ?? {})) {
    const path = resolve(input)
    const isOfServer = path.startsWith(join(ROOT, 'src/')) && !path.startsWith(`${PORTAL}/`)
    if (isOfServer && !SHARED.includes(path))
      throw new Error(`src/setup/build-portal.ts does not list ${input} in SHARED`)
  }
}

/** Puts the font rules in front of the bundled style. @returns the name of the file */
async function writeStyle(built: Bundle, outdir: string, fontRules: string): Promise<string> {
  const bundled = built.outputs.find(({ path }) => path.endsWith('.css'))
  if (bundled === undefined) throw new Error('The build made no style')
  const css = Buffer.from(`${fontRules}\n${await bundled.text()}`)
  const name = hashedName('portal.css', css)
  await rm(bundled.path)
  await writeFile(join(outdir, name), css)
  return name
}

const brotliOptions = (bytes: number) => ({
  params: { [constants.BROTLI_PARAM_QUALITY]: bytes > MAX_BEST_BYTES ? BROTLI_FAST_QUALITY : BROTLI_QUALITY },
})

async function compress(dir: string): Promise<void> {
  await Promise.all(
    (await readdir(dir))
      .filter((name) => COMPRESSIBLE.test(name))
      .map(async (name) => {
        const bytes = await readFile(join(dir, name))
        if (bytes.length < MIN_COMPRESSED_BYTES) return
        await writeFile(join(dir, `${name}.br`), await promisify(brotliCompress)(bytes, brotliOptions(bytes.length)))
        await writeFile(join(dir, `${name}.gz`), await promisify(gzip)(bytes, { level: 9 }))
      }),
  )
}

/** Tolerates another process that puts the same build there between the two steps. */
async function replaceDist(draft: string, sources: string): Promise<void> {
  for (;;) {
    await rm(DIST, { recursive: true, force: true })
    try {
      await rename(draft, DIST)
      return
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
      if ((await builtFrom()) === sources) return
    }
  }
}

/**
 * Builds the portal unless dist/portal is current. Safe when several processes do it at the same time.
 * @returns whether it was built
 */
export async function buildPortal({ isDevelopment = false } = {}): Promise<boolean> {
  const sources = `${await sourcesHash()}${isDevelopment ? '-development' : ''}`
  if ((await builtFrom()) === sources) return false
  const draft = `${DIST}.${process.pid}`
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { recursive: true })
  try {
    const assets = join(draft, 'assets')
    await mkdir(assets)
    const mapFiles = await buildMapFiles(ROOT, assets, isDevelopment)
    const resultFiles = await buildResultFiles(ROOT, assets, isDevelopment)
    const built = await bundle(assets, isDevelopment, mapFiles, resultFiles)
    if (!built.success) throw new Error(`The portal could not be built:\n${built.logs.join('\n')}`)
    requireKnownInputs(built)
    const fonts = await copyFonts(ROOT, assets)
    const style = await writeStyle(built, assets, fonts.css)
    if (!isDevelopment) await compress(assets)
    const manifest = manifestOf(built, sources, style, fonts.preload)
    await writeFile(join(draft, 'portal.json'), JSON.stringify(manifest, undefined, 2))
    await replaceDist(draft, sources)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  return true
}
