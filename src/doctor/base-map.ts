/** The file of the portal's base map, which the server opens only when a browser asks for it. */
import { open } from 'node:fs/promises'
import type { Config } from '../config.ts'
import { causeOf, type Finding, ok, problem, skipped } from './finding.ts'

const CHECK = 'base map'
/** The first bytes of every PMTiles file that browsers' readers open: its name, and its version. */
const MAGIC = Buffer.from('PMTiles\x03', 'latin1')

export async function baseMapFindings({ mapTiles }: Config): Promise<Finding[]> {
  if (mapTiles === undefined) return []
  if (/^https?:/i.test(mapTiles)) return [skipped(CHECK, `${mapTiles}; browsers read it from its host`)]
  const advice = 'Set MAP_PMTILES to a PMTiles file that the account of the server may read.'
  let start: Buffer
  try {
    const file = await open(mapTiles)
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0)
      start = buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    return [
      problem(CHECK, `${mapTiles} cannot be read: ${isMissing ? 'there is no such file' : causeOf(error)}`, advice),
    ]
  }
  if (!start.equals(MAGIC)) return [problem(CHECK, `${mapTiles} is not a PMTiles file of version 3`, advice)]
  return [ok(CHECK, mapTiles)]
}
