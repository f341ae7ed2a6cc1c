/**
 * The outline of the world as vector tiles. The map's library can cut GeoJSON into tiles by itself, but takes half a
 * second of processor time for that at each start of a map.
 */
import { GeoJSONVT, type GeoJSONVTTile } from '@maplibre/geojson-vt'
import { fromGeojsonVt } from '@maplibre/vt-pbf'
import type { FeatureCollection } from 'geojson'

/** Tiles of this zoom hold the outline to 150 metres, which is finer than the outline itself; closer views enlarge them. */
export const WORLD_ZOOM = 5
/** Length of a tile's side in the library's units. */
const EXTENT = 8192
/** Overlap of tiles, so that lines along an edge are drawn whole. */
const BUFFER = 256
/** Tolerance of simplification, in units of a tile of 512 pixels. */
const TOLERANCE = 6

type Layer = 'land' | 'lines'
export type WorldTile = { zoom: number; x: number; y: number; bytes: Uint8Array }

/** All tiles from zoom 0; a tile without land or lines is empty. */
export function* worldTiles(layers: Record<Layer, FeatureCollection>): Generator<WorldTile> {
  const options = {
    maxZoom: WORLD_ZOOM,
    indexMaxZoom: WORLD_ZOOM,
    indexMaxPoints: 0,
    extent: EXTENT,
    buffer: BUFFER,
    tolerance: TOLERANCE,
  }
  const indexes = Object.entries(layers).map(([name, data]) => ({ name, index: new GeoJSONVT(data, options) }))
  for (let zoom = 0; zoom <= WORLD_ZOOM; zoom++)
    for (let x = 0; x < 2 ** zoom; x++)
      for (let y = 0; y < 2 ** zoom; y++) {
        const found: Record<string, GeoJSONVTTile> = {}
        for (const { name, index } of indexes) {
          const tile = index.getTile(zoom, x, y)
          if (tile !== null) found[name] = tile
        }
        yield { zoom, x, y, bytes: fromGeojsonVt(found, { version: 2, extent: EXTENT }) }
      }
}
