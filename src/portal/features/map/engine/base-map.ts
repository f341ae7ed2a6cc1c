/**
 * The operator's base map: one PMTiles file, of which the browser reads only the shown tiles. Loaded only where there
 * is one.
 */
import type { LayerSpecification, RasterSourceSpecification, VectorSourceSpecification } from 'maplibre-gl'
import { addProtocol } from 'maplibre-gl'
import { PMTiles, Protocol, TileType } from 'pmtiles'
import type { Palette } from './symbols.ts'

export type BaseMap = {
  source: VectorSourceSpecification | RasterSourceSpecification
  layersOf(palette: Palette): LayerSpecification[]
}

let protocol: Protocol | undefined

/** @param address of the file. @throws if it cannot be read, or is no PMTiles file */
export async function openBaseMap(address: string): Promise<BaseMap> {
  if (protocol === undefined) {
    protocol = new Protocol()
    addProtocol('pmtiles', protocol.tile)
  }
  const archive = new PMTiles(address)
  protocol.add(archive)
  const header = await archive.getHeader()
  const metadata = (await archive.getMetadata()) as { attribution?: string; vector_layers?: { id: string }[] }
  const common = {
    url: `pmtiles://${address}`,
    minzoom: header.minZoom,
    maxzoom: header.maxZoom,
    // markup in a file is not shown as such
    attribution: (metadata.attribution ?? '').replace(/<[^>]*>/g, ''),
  }
  if (header.tileType !== TileType.Mvt)
    return {
      source: { type: 'raster', tileSize: 256, ...common },
      layersOf: () => [{ id: 'base', type: 'raster', source: 'base' }],
    }
  const ids = new Set((metadata.vector_layers ?? []).map(({ id }) => id))
  return { source: { type: 'vector', ...common }, layersOf: (palette) => vectorLayers(ids, palette) }
}

/** Layers by the names of the usual schemas: Protomaps, OpenMapTiles, Shortbread. */
function vectorLayers(ids: ReadonlySet<string>, palette: Palette): LayerSpecification[] {
  const { land, water, border, textWeak, surface } = palette
  const fill = (id: string, color: string, opacity = 1): LayerSpecification => ({
    id: `base-${id}`,
    type: 'fill',
    source: 'base',
    'source-layer': id,
    paint: { 'fill-color': color, 'fill-opacity': opacity },
  })
  const line = (id: string, color: string, width: number): LayerSpecification => ({
    id: `base-${id}`,
    type: 'line',
    source: 'base',
    'source-layer': id,
    filter: ['==', ['geometry-type'], 'LineString'],
    paint: {
      'line-color': color,
      'line-width': ['interpolate', ['exponential', 1.6], ['zoom'], 6, width / 4, 18, width * 4],
    },
  })
  const known: Record<string, (id: string) => LayerSpecification> = {
    earth: (id) => fill(id, land),
    landcover: (id) => fill(id, border, 0.18),
    landuse: (id) => fill(id, border, 0.25),
    land: (id) => fill(id, border, 0.2),
    water: (id) => fill(id, water),
    ocean: (id) => fill(id, water),
    water_polygons: (id) => fill(id, water),
    waterway: (id) => line(id, water, 1.5),
    buildings: (id) => fill(id, border, 0.6),
    building: (id) => fill(id, border, 0.6),
    roads: (id) => line(id, surface, 2),
    transportation: (id) => line(id, surface, 2),
    streets: (id) => line(id, surface, 2),
    boundaries: (id) => line(id, textWeak, 0.7),
    boundary: (id) => line(id, textWeak, 0.7),
  }
  return Object.keys(known)
    .filter((id) => ids.has(id))
    .map((id) => (known[id] as (id: string) => LayerSpecification)(id))
}
