/**
 * A program for Node: reads layers in several systems again and again, in one process and without collecting garbage in
 * between, into other systems. Prints each reading that has another CRS, or other positions, than the first one of the
 * same kind.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadGdal, parseCrs } from '../../../src/lib/geo/formats/gdal/gdal.ts'
import { readVector } from '../../../src/lib/geo/formats/vector-read.ts'

const [rounds = '0', ...paths] = process.argv.slice(2)
const scratch = mkdtempSync(join(tmpdir(), 'groundwave-systems-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))
const gdal = await loadGdal()
const targets = [undefined, 'EPSG:4326', 'EPSG:3857', 'EPSG:25833']
const first = new Map<string, string>()
for (let round = 0; round < Number(rounds); round++)
  for (const path of paths)
    for (const target of targets) {
      const crs = target === undefined ? {} : { crs: parseCrs(gdal, target) }
      const layer = await readVector(path, path, { scratch, maxFeatures: 100, maxUnpackedBytes: 1e6, ...crs })
      const points = layer.features.map(({ geometry }) => Buffer.from(geometry ?? []).toString('hex'))
      const read = `${layer.crs.code} ${points.join(' ')}`
      const key = `${path} to ${target}`
      const known = first.get(key)
      if (known === undefined) first.set(key, read)
      else if (known !== read) process.stdout.write(`${key} in round ${round}: ${read}\n`)
    }
process.stdout.write(`${JSON.stringify(Object.fromEntries(first))}\n`)
