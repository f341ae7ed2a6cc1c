/** The built files of the portal (src/setup/build-portal.ts). Their names carry a hash, so they never change. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { BunFile } from 'bun'

export type PortalManifest = {
  sources: string
  script: string
  style: string
  imports: string[]
  texts: Record<'en' | 'ar', string>
  fonts: Record<'en' | 'ar', string>
}

export type Asset = { file: BunFile; type: string; encoding?: 'br' | 'gzip' }

export type PortalFiles = {
  /** @returns undefined while the portal has not been built */
  manifest(): Promise<PortalManifest | undefined>
  /** @param accepted the request's `Accept-Encoding` */
  asset(name: string, accepted: string): Promise<Asset | undefined>
}

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.pbf': 'application/x-protobuf',
  '.wasm': 'application/wasm',
  '.bcmap': 'application/octet-stream',
  '.pfb': 'application/octet-stream',
  '.ttf': 'font/ttf',
}

/** @param dir the build's folder */
export function openPortalFiles(dir: string): PortalFiles {
  const assets = join(dir, 'assets')
  let changedMs = 0
  let manifest: PortalManifest | undefined
  let names = new Set<string>()

  /** A build while the server runs replaces the folder; the page follows with its next load. */
  async function current(): Promise<PortalManifest | undefined> {
    const path = join(dir, 'portal.json')
    try {
      const { mtimeMs } = await stat(path)
      if (mtimeMs !== changedMs) {
        const read = JSON.parse(await readFile(path, 'utf8')) as PortalManifest
        names = new Set(await readdir(assets))
        manifest = read
        changedMs = mtimeMs
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      manifest = undefined
      changedMs = 0
      names = new Set()
    }
    return manifest
  }

  return {
    manifest: current,
    async asset(name, accepted) {
      if (!names.has(name)) await current()
      const type = TYPES[extname(name)]
      // only names of the build: no part of the request becomes part of a path
      if (!names.has(name) || type === undefined) return undefined
      if (/\bbr\b/.test(accepted) && names.has(`${name}.br`))
        return { file: Bun.file(join(assets, `${name}.br`)), type, encoding: 'br' }
      if (/\bgzip\b/.test(accepted) && names.has(`${name}.gz`))
        return { file: Bun.file(join(assets, `${name}.gz`)), type, encoding: 'gzip' }
      return { file: Bun.file(join(assets, name)), type }
    },
  }
}
