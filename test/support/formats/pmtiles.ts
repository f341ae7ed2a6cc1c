/** PMTiles files (version 3) written by the specification: header, directory, metadata, tiles. */
import { GeoJSONVT } from '@maplibre/geojson-vt'
import { fromGeojsonVt } from '@maplibre/vt-pbf'
import type { FeatureCollection } from 'geojson'
import { zxyToTileId } from 'pmtiles'

const HEADER_BYTES = 127
const NO_COMPRESSION = 1
const MVT = 1
const PNG = 2

function varints(...values: number[]): number[] {
  const bytes: number[] = []
  for (let value of values) {
    for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) + 128)
    bytes.push(value)
  }
  return bytes
}

type Archive = {
  tiles: { id: number; bytes: Uint8Array }[]
  type: number
  zooms: [number, number]
  bounds: [number, number, number, number]
  metadata: object
}

function archiveOf({ tiles, type, zooms, bounds, metadata: content }: Archive): Uint8Array {
  const sorted = tiles.toSorted((a, b) => a.id - b.id)
  const ids = sorted.map(({ id }, i) => id - (sorted[i - 1]?.id ?? 0))
  // each tile follows the one before, which an offset of zero says
  const offsets = sorted.map((_, i) => (i === 0 ? 1 : 0))
  const lengths = sorted.map(({ bytes }) => bytes.length)
  const directory = Buffer.from(varints(sorted.length, ...ids, ...sorted.map(() => 1), ...lengths, ...offsets))
  const metadata = Buffer.from(JSON.stringify(content))
  const data = Buffer.concat(sorted.map(({ bytes }) => bytes))
  const header = Buffer.alloc(HEADER_BYTES)
  header.write('PMTiles', 'latin1')
  header.writeUInt8(3, 7)
  const metadataAt = HEADER_BYTES + directory.length
  const dataAt = metadataAt + metadata.length
  const count = sorted.length
  const numbers = [HEADER_BYTES, directory.length, metadataAt, metadata.length, dataAt, 0, dataAt, data.length]
  for (const [i, number] of [...numbers, count, count, count].entries())
    header.writeBigUInt64LE(BigInt(number), 8 + i * 8)
  header.set([1, NO_COMPRESSION, NO_COMPRESSION, type, ...zooms], 96)
  for (const [i, degrees] of bounds.entries()) header.writeInt32LE(degrees * 1e7, 102 + i * 4)
  return Buffer.concat([header, directory, metadata, data])
}

/** @param tile PNG of the whole world */
export const pmtilesOf = (tile: Uint8Array): Uint8Array =>
  archiveOf({
    tiles: [{ id: 0, bytes: tile }],
    type: PNG,
    zooms: [0, 0],
    bounds: [-180, -85, 180, 85],
    metadata: { attribution: 'Test base map' },
  })

const MAX_ZOOM = 12
/** Length of a tile's side in the library's units. */
const EXTENT = 4096

/** Vector tiles of the zooms 0 to 12 that contain a place. @param layers features of each layer of the tiles */
export function vectorPmtilesOf(
  layers: Record<string, FeatureCollection>,
  [longitude, latitude]: readonly [number, number],
): Uint8Array {
  const indexes = Object.entries(layers).map(
    ([name, features]) =>
      [name, new GeoJSONVT(features, { maxZoom: MAX_ZOOM, indexMaxZoom: MAX_ZOOM, extent: EXTENT })] as const,
  )
  const y = 0.5 - Math.log(Math.tan(Math.PI / 4 + (latitude * Math.PI) / 360)) / (2 * Math.PI)
  const tiles = Array.from({ length: MAX_ZOOM + 1 }, (_, zoom) => {
    const [column, row] = [Math.floor((longitude / 360 + 0.5) * 2 ** zoom), Math.floor(y * 2 ** zoom)]
    const found = indexes.flatMap(([name, index]) => {
      const tile = index.getTile(zoom, column, row)
      return tile === null ? [] : [[name, tile] as const]
    })
    return {
      id: zxyToTileId(zoom, column, row),
      bytes: fromGeojsonVt(Object.fromEntries(found), { version: 2, extent: EXTENT }),
    }
  })
  return archiveOf({
    tiles,
    type: MVT,
    zooms: [0, MAX_ZOOM],
    bounds: [longitude - 0.5, latitude - 0.5, longitude + 0.5, latitude + 0.5],
    metadata: { vector_layers: Object.keys(layers).map((id) => ({ id, fields: {} })) },
  })
}
