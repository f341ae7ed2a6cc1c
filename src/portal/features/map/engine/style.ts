/** The style of the map: the bundled outline of the world, and an operator's base map where there is one. */
import type { FeatureCollection } from 'geojson'
import type { GeoJSONSourceSpecification, LayerSpecification, StyleSpecification } from 'maplibre-gl'
import type { BaseMap } from './base-map.ts'
import { mapFiles } from './files.ts'
import type { Palette } from './palette.ts'

/**
 * Features that pages draw on the map: zones, a track, the part of it up to the slider, places of events, and shapes of
 * any kind whose `look` is `input`, `result`, `pass` or `fail`.
 */
export type MapData = Record<'zones' | 'track' | 'range' | 'events' | 'shapes', FeatureCollection>
export const noData = (): MapData => {
  const empty = (): FeatureCollection => ({ type: 'FeatureCollection', features: [] })
  return { zones: empty(), track: empty(), range: empty(), events: empty(), shapes: empty() }
}
const source = (data: FeatureCollection | string): GeoJSONSourceSpecification => ({ type: 'geojson', data })

/** Closer views enlarge the tiles of this zoom (src/setup/world-tiles.ts). */
const WORLD_ZOOM = 5
const inWorld = (layer: 'land' | 'lines') => ({ source: 'world', 'source-layer': layer })

/** Additions of a page: names of sources, and layers above all others. */
export type StylePart = { sources: readonly string[]; layers: LayerSpecification[] }

export function styleOf(
  palette: Palette,
  base: BaseMap | undefined,
  data: MapData,
  part?: StylePart & { data: Record<string, FeatureCollection | string> },
): StyleSpecification {
  const nothing: FeatureCollection = { type: 'FeatureCollection', features: [] }
  return {
    version: 8,
    sources: {
      world: { type: 'vector', tiles: [location.origin + mapFiles.world], maxzoom: WORLD_ZOOM },
      ...(base && { base: base.source }),
      zones: source(data.zones),
      track: source(data.track),
      range: source(data.range),
      events: source(data.events),
      shapes: source(data.shapes),
      ...Object.fromEntries((part?.sources ?? []).map((name) => [name, source(part?.data[name] ?? nothing)])),
    },
    layers: [
      {
        id: 'water',
        type: 'background',
        paint: { 'background-color': base?.placeLayers.length ? palette.sea : palette.water },
      },
      { ...inWorld('land'), id: 'land', type: 'fill', paint: { 'fill-color': palette.land, 'fill-antialias': false } },
      ...(base?.layersOf(palette) ?? []),
      ...outline(palette, base !== undefined),
      ...zoneLayers(palette),
      {
        id: 'track',
        type: 'line',
        source: 'track',
        layout: { 'line-cap': 'round', 'line-join': 'round' },
        paint: { 'line-color': palette.track, 'line-width': 3, 'line-opacity': 0.45 },
      },
      {
        id: 'track-past',
        type: 'line',
        source: 'range',
        layout: { 'line-cap': 'round', 'line-join': 'round' },
        paint: { 'line-color': palette.track, 'line-width': 3 },
      },
      {
        id: 'events',
        type: 'circle',
        source: 'events',
        paint: {
          'circle-color': palette.track,
          'circle-radius': ['case', ['get', 'selected'], 8, 4],
          'circle-stroke-color': palette.surface,
          'circle-stroke-width': 1.5,
        },
      },
      ...shapeLayers(palette),
      ...(part?.layers ?? []),
    ],
  }
}

/** A base map has its own, finer coasts and borders; ours remain for the whole world. */
function outline(palette: Palette, hasBase: boolean): LayerSpecification[] {
  const more = hasBase ? { maxzoom: 5 } : {}
  return [
    {
      ...inWorld('lines'),
      id: 'coast',
      type: 'line',
      ...more,
      filter: ['==', ['get', 'kind'], 'coast'],
      paint: { 'line-color': palette.coast, 'line-width': 0.7, 'line-opacity': 0.6 },
    },
    {
      ...inWorld('lines'),
      id: 'border',
      type: 'line',
      ...more,
      filter: ['==', ['get', 'kind'], 'border'],
      paint: { 'line-color': palette.border, 'line-width': 1 },
    },
  ]
}

function zoneLayers(palette: Palette): LayerSpecification[] {
  return [
    {
      id: 'zones',
      type: 'fill',
      source: 'zones',
      // an outline around a zone is a line, which would be filled too
      filter: ['==', ['geometry-type'], 'Polygon'],
      paint: { 'fill-color': palette.zone, 'fill-opacity': ['case', ['get', 'enabled'], 0.14, 0.05] },
    },
    {
      id: 'zone-edges',
      type: 'line',
      source: 'zones',
      paint: {
        'line-color': palette.zone,
        'line-width': ['case', ['==', ['get', 'isBuffer'], true], 1, ['get', 'selected'], 3, 1.5],
      },
    },
  ]
}

function shapeLayers(palette: Palette): LayerSpecification[] {
  const color = [
    'match',
    ['get', 'look'],
    'pass',
    palette.colourOf('sending'),
    'fail',
    palette.colourOf('silent'),
    'result',
    palette.track,
    palette.accent,
  ] as unknown as string
  const isFail = ['==', ['get', 'look'], 'fail']
  return [
    {
      id: 'shapes',
      type: 'fill',
      source: 'shapes',
      filter: ['==', ['geometry-type'], 'Polygon'],
      paint: { 'fill-color': color, 'fill-opacity': 0.2 },
    },
    {
      id: 'shape-edges',
      type: 'line',
      source: 'shapes',
      filter: ['all', ['!=', ['geometry-type'], 'Point'], ['!', isFail]],
      paint: { 'line-color': color, 'line-width': 2.5 },
    },
    // also distinguishable without colours
    {
      id: 'shape-failed-edges',
      type: 'line',
      source: 'shapes',
      filter: ['all', ['!=', ['geometry-type'], 'Point'], isFail],
      paint: { 'line-color': color, 'line-width': 2.5, 'line-dasharray': [2, 1.5] },
    },
    {
      id: 'shape-points',
      type: 'circle',
      source: 'shapes',
      filter: ['==', ['geometry-type'], 'Point'],
      paint: {
        'circle-color': color,
        'circle-radius': 6,
        'circle-stroke-color': palette.surface,
        'circle-stroke-width': 2,
      },
    },
  ] as LayerSpecification[]
}
