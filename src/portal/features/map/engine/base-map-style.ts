/**
 * How the operator's vector tiles look, by the names of the usual schemas: Protomaps, OpenMapTiles, Shortbread. Names of
 * places are no layer of the map: the overlay writes them, in every script (place-names.ts).
 */
import type { ExpressionSpecification, LayerSpecification } from 'maplibre-gl'
import type { Palette } from './palette.ts'

const KIND: ExpressionSpecification = ['coalesce', ['get', 'kind'], ['get', 'class'], ['get', 'pmap:kind'], '']
const GREEN = [
  ...['park', 'forest', 'wood', 'grass', 'grassland', 'meadow', 'garden', 'golf_course', 'nature_reserve'],
  ...['national_park', 'protected_area', 'cemetery', 'village_green', 'recreation_ground', 'scrub', 'farmland'],
]
const HIGHWAYS = ['highway', 'motorway', 'trunk']
const MAJOR_ROADS = ['major_road', 'medium_road', 'primary', 'secondary', 'tertiary']
const RAILS = ['rail', 'rails', 'railway', 'light_rail', 'tram', 'subway', 'transit']
const PATHS = ['path', 'footway', 'pedestrian', 'track', 'steps', 'cycleway', 'bridleway']

const isAmong = (kinds: readonly string[]): ExpressionSpecification => ['match', KIND, [...kinds], true, false]
const isLine: ExpressionSpecification = ['match', ['geometry-type'], ['LineString', 'MultiLineString'], true, false]
const byZoom = (...stops: number[]): ExpressionSpecification => [
  'interpolate',
  ['exponential', 1.6],
  ['zoom'],
  ...stops,
]

type Make = (sourceLayer: string, palette: Palette) => LayerSpecification[]
const source = (sourceLayer: string) => ({ source: 'base', 'source-layer': sourceLayer })

const fill =
  (part: string, colour: (palette: Palette) => string, filter?: ExpressionSpecification): Make =>
  (sourceLayer, palette) => [
    {
      id: `base-${sourceLayer}-${part}`,
      type: 'fill',
      ...source(sourceLayer),
      ...(filter && { filter }),
      paint: { 'fill-color': colour(palette), 'fill-antialias': false },
    },
  ]

const rivers: Make = (sourceLayer, { sea }) => [
  {
    id: `base-${sourceLayer}-lines`,
    type: 'line',
    ...source(sourceLayer),
    filter: isLine,
    paint: { 'line-color': sea, 'line-width': byZoom(8, 0.6, 14, 2, 18, 8) },
  },
]

const borders: Make = (sourceLayer, { textWeak }) => [
  {
    id: `base-${sourceLayer}-lines`,
    type: 'line',
    ...source(sourceLayer),
    filter: isLine,
    paint: { 'line-color': textWeak, 'line-opacity': 0.6, 'line-width': 0.8, 'line-dasharray': [4, 2] },
  },
]

/** Wider roads are above narrower ones, and the edges of all of them below. */
const roads: Make = (sourceLayer, { road, roadEdge, textWeak }) => {
  const line = (
    part: string,
    filter: ExpressionSpecification,
    colour: string,
    width: ExpressionSpecification,
    minzoom: number,
    dash?: number[],
  ): LayerSpecification => ({
    id: `base-${sourceLayer}-${part}`,
    type: 'line',
    ...source(sourceLayer),
    minzoom,
    filter: ['all', isLine, filter],
    layout: { 'line-cap': dash ? 'butt' : 'round', 'line-join': 'round' },
    paint: { 'line-color': colour, 'line-width': width, ...(dash && { 'line-dasharray': dash }) },
  })
  const isMinor: ExpressionSpecification = ['!', isAmong([...HIGHWAYS, ...MAJOR_ROADS, ...RAILS, ...PATHS])]
  const widths = {
    minor: [byZoom(12, 0.5, 15, 3, 19, 18), byZoom(12, 1, 15, 4.5, 19, 20)],
    major: [byZoom(8, 0.6, 14, 4, 19, 24), byZoom(8, 1.2, 14, 5.5, 19, 26)],
    highway: [byZoom(5, 0.8, 14, 6, 19, 28), byZoom(5, 1.6, 14, 8, 19, 30)],
  } as const
  const kinds = [
    ['minor', isMinor, 12],
    ['major', isAmong(MAJOR_ROADS), 8],
    ['highway', isAmong(HIGHWAYS), 5],
  ] as const
  return [
    line('paths', isAmong(PATHS), roadEdge, byZoom(14, 0.5, 18, 2), 14, [3, 2]),
    line('rails', isAmong(RAILS), textWeak, byZoom(9, 0.4, 16, 1.6), 9, [5, 2]),
    ...kinds.map(([kind, filter, minzoom]) => line(`${kind}-edge`, filter, roadEdge, widths[kind][1], minzoom)),
    ...kinds.map(([kind, filter, minzoom]) => line(kind, filter, road, widths[kind][0], minzoom)),
  ]
}

/** From the ground up. A layer of the tiles may be drawn as several. */
const LAYERS: [sourceLayer: string, make: Make][] = [
  ['earth', fill('land', ({ land }) => land)],
  ...['landcover', 'landuse', 'land', 'park'].map((name): [string, Make] => [
    name,
    fill('green', ({ green }) => green, isAmong(GREEN)),
  ]),
  ...['water', 'ocean', 'water_polygons'].map((name): [string, Make] => [name, fill('water', ({ sea }) => sea)]),
  ['water', rivers],
  ['waterway', rivers],
  ['water_lines', rivers],
  ['buildings', fill('shapes', ({ building }) => building)],
  ['building', fill('shapes', ({ building }) => building)],
  ['roads', roads],
  ['transportation', roads],
  ['streets', roads],
  ['boundaries', borders],
  ['boundary', borders],
]

/** @param ids of the layers of the tiles */
export const vectorLayers = (ids: ReadonlySet<string>, palette: Palette): LayerSpecification[] =>
  LAYERS.flatMap(([id, make]) => (ids.has(id) ? make(id, palette) : []))
