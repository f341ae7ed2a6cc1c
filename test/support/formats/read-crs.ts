/**
 * A program for Node: prints the CRS of a vector or raster file as read by the product, or the rule that rejects it.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const [path = '', filename = ''] = process.argv.slice(2)

async function read(): Promise<string> {
  if (filename.endsWith('.tif')) {
    const { openRaster } = await import('../../../src/lib/raster/open-raster.ts')
    const { crs } = await openRaster(path, 1e6)
    return crs?.wkt ?? ''
  }
  const { readVector } = await import('../../../src/lib/geo/formats/vector-read.ts')
  const { WGS84 } = await import('../../../src/lib/geo/layers/layer.ts')
  const scratch = mkdtempSync(join(tmpdir(), 'groundwave-crs-'))
  process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))
  const limits = { scratch, maxFeatures: 1000, maxUnpackedBytes: 1e9 }
  // transformed, since PROJ opens some files only then
  await readVector(path, filename, { ...limits, crs: WGS84 })
  return (await readVector(path, filename, limits)).crs.wkt
}

try {
  process.stdout.write(`read ${await read()}`)
} catch (error) {
  const { name, rule, message } = error as { name: string; rule?: string; message: string }
  process.stdout.write(`${name} ${rule ?? ''} ${message}`)
}
