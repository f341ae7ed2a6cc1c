/** How a layer is drawn on the map: its features, those that are selected, and the differences of two versions. */
import type { ExpressionSpecification, LayerSpecification } from 'maplibre-gl'
import type { Look } from '../../../ui/picture/protocol.ts'
import type { Palette } from '../../map/engine/palette.ts'
import type { StylePart } from '../../map/engine/style.ts'

const isPolygon: ExpressionSpecification = ['==', ['geometry-type'], 'Polygon']
const isPoint: ExpressionSpecification = ['==', ['geometry-type'], 'Point']
const isLine: ExpressionSpecification = ['!=', ['geometry-type'], 'Point']

type LayerLook = { colour: string; width: number; fill: number; radius: number; dash?: number[] }

/** @param filter of the features; several looks may share a source */
function layersOf(id: string, source: string, palette: Palette, look: LayerLook, filter?: ExpressionSpecification) {
  const where = (kind: ExpressionSpecification): ExpressionSpecification =>
    filter === undefined ? kind : ['all', kind, filter]
  const layers: LayerSpecification[] = [
    {
      id: `${id}-fill`,
      type: 'fill',
      source,
      filter: where(isPolygon),
      paint: { 'fill-color': look.colour, 'fill-opacity': look.fill },
    },
    {
      id: `${id}-line`,
      type: 'line',
      source,
      filter: where(isLine),
      layout: { 'line-join': 'round' },
      paint: {
        'line-color': look.colour,
        'line-width': look.width,
        ...(look.dash && { 'line-dasharray': look.dash }),
      },
    },
    {
      id: `${id}-point`,
      type: 'circle',
      source,
      filter: where(isPoint),
      paint: {
        'circle-color': look.colour,
        'circle-radius': look.radius,
        'circle-stroke-color': palette.surface,
        'circle-stroke-width': 1.5,
      },
    },
  ]
  return layers
}

/** All features, in a picture that the worker draws. */
export const featureLook = (palette: Palette): Look => ({
  fill: palette.zone,
  fillOpacity: 0.14,
  line: palette.zone,
  lineWidth: 1.6,
  halo: palette.surface,
  haloWidth: 1.5,
  radius: 5,
})

/** The lowest layer of the selection, above all features. */
export const CHOSEN = 'chosen-fill'

export const layerPart = (palette: Palette): StylePart => ({
  sources: ['chosen'],
  layers: layersOf('chosen', 'chosen', palette, { colour: palette.track, width: 3.5, fill: 0.22, radius: 7.5 }),
})

/** The kinds differ in colour, in the pattern of their edge, and in the words of the legend. */
export const differencePart = (palette: Palette): StylePart => {
  const looks: Record<string, LayerLook> = {
    removed: { colour: palette.colourOf('silent'), width: 2.5, fill: 0.16, radius: 6, dash: [3, 2] },
    changed: { colour: palette.colourOf('late'), width: 2.5, fill: 0.16, radius: 6, dash: [0.5, 1.5] },
    added: { colour: palette.colourOf('sending'), width: 2.5, fill: 0.2, radius: 6 },
  }
  return {
    sources: ['differences', 'chosen'],
    layers: [
      ...Object.entries(looks).flatMap(([change, look]) =>
        layersOf(`difference-${change}`, 'differences', palette, look, ['==', ['get', 'change'], change]),
      ),
      ...layersOf('chosen', 'chosen', palette, { colour: palette.track, width: 4, fill: 0.12, radius: 8 }),
    ],
  }
}
