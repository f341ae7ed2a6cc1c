/**
 * The operator's base map: one PMTiles file, of which the browser reads only the shown tiles. Loaded only where there
 * is one.
 */
import type { LayerSpecification, RasterSourceSpecification, VectorSourceSpecification } from 'maplibre-gl'
import { addProtocol } from 'maplibre-gl'
import { PMTiles, Protocol, TileType } from 'pmtiles'
import { vectorLayers } from './base-map-style.ts'
import type { Palette } from './palette.ts'
import { PLACE_LAYERS } from './place-names.ts'

export type BaseMap = {
  source: VectorSourceSpecification | RasterSourceSpecification
  layersOf(palette: Palette): LayerSpecification[]
  /** Layers of the tiles with names of places. */
  placeLayers: string[]
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
      placeLayers: [],
    }
  const ids = new Set((metadata.vector_layers ?? []).map(({ id }) => id))
  return {
    source: { type: 'vector', ...common },
    layersOf: (palette) => vectorLayers(ids, palette),
    placeLayers: PLACE_LAYERS.filter((id) => ids.has(id)),
  }
}
