/** The file of the portal's base map, which the server opens only when a browser asks for it. */
import { type FileHandle, open } from 'node:fs/promises'
import { type Header, PMTiles, type RangeResponse, type Source, TileType } from 'pmtiles'
import type { Config } from '../config.ts'
import { causeOf, type Finding, ok, problem, skipped, warning } from './finding.ts'

const CHECK = 'base map'
/** The first bytes of every PMTiles file that browsers' readers open: its name, and its version. */
const MAGIC = Buffer.from('PMTiles\x03', 'latin1')
/** By schema, the layers without which the portal's style has no land, water or roads (its base-map-style.ts). */
const SCHEMAS: Record<string, string[]> = {
  Protomaps: ['earth', 'water', 'roads', 'places'],
  OpenMapTiles: ['water', 'transportation', 'place'],
  Shortbread: ['ocean', 'streets', 'place_labels'],
}
const HOW = 'docs/operations.md, "Base map", has the commands that make one.'

class FileSource implements Source {
  constructor(
    readonly file: FileHandle,
    readonly path: string,
  ) {}
  getKey = (): string => this.path
  async getBytes(offset: number, length: number): Promise<RangeResponse> {
    const bytes = Buffer.alloc(length)
    const { bytesRead } = await this.file.read(bytes, 0, length, offset)
    const { buffer, byteOffset } = bytes
    return { data: buffer.slice(byteOffset, byteOffset + bytesRead) }
  }
}

export async function baseMapFindings({ mapTiles }: Config): Promise<Finding[]> {
  if (mapTiles === undefined) return []
  if (/^https?:/i.test(mapTiles)) return [skipped(CHECK, `${mapTiles}; browsers read it from its host`)]
  const advice = 'Set MAP_PMTILES to a PMTiles file that the account of the server may read.'
  let file: FileHandle
  try {
    file = await open(mapTiles)
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    return [
      problem(CHECK, `${mapTiles} cannot be read: ${isMissing ? 'there is no such file' : causeOf(error)}`, advice),
    ]
  }
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0)
    if (!buffer.subarray(0, bytesRead).equals(MAGIC))
      return [problem(CHECK, `${mapTiles} is not a PMTiles file of version 3`, advice)]
    const tiles = new PMTiles(new FileSource(file, mapTiles))
    return [contentFinding(mapTiles, await tiles.getHeader(), await tiles.getMetadata())]
  } catch (error) {
    return [problem(CHECK, `${mapTiles} is incomplete or damaged: ${causeOf(error)}`, `Copy or make it again. ${HOW}`)]
  } finally {
    await file.close()
  }
}

const degrees = (value: number): string => String(Math.round(value * 100) / 100)

function contentFinding(path: string, header: Header, metadata: unknown): Finding {
  const bounds = [header.minLon, header.minLat, header.maxLon, header.maxLat].map(degrees).join(', ')
  const area = `zooms ${header.minZoom} to ${header.maxZoom}, bounds ${bounds}`
  if (header.tileType !== TileType.Mvt) return ok(CHECK, `${path}: pictures, ${area}`)
  const layers = (metadata as { vector_layers?: { id: string }[] } | null)?.vector_layers ?? []
  const ids = new Set(layers.map(({ id }) => id))
  const missing = Object.entries(SCHEMAS).map(([schema, needed]) => ({
    schema,
    needed: needed.length,
    ids: needed.filter((id) => !ids.has(id)),
  }))
  const known = missing.find(({ ids: none }) => none.length === 0)
  if (known !== undefined) return ok(CHECK, `${path}: vector tiles (${known.schema}), ${area}`)
  const [nearest] = missing
    .filter(({ needed, ids: none }) => none.length < needed)
    .sort((a, b) => a.ids.length - b.ids.length)
  const found =
    nearest === undefined
      ? 'its vector tiles have no layers of Protomaps, OpenMapTiles or Shortbread'
      : `its vector tiles (${nearest.schema}) lack ${nearest.ids.map((id) => `"${id}"`).join(', ')}`
  return warning(CHECK, `${path}: ${found}; ${area}`, `The map is partly empty. ${HOW}`)
}
