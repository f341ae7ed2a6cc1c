/**
 * The features of a result on a map, with those that went in beneath them. MapLibre's worker reads the file itself, so no
 * feature passes through the page; a feature's number is its place in the file.
 */
import type { Geometry } from 'geojson'
import type { GeoJSONSource, LayerSpecification, Map as MapLibre } from 'maplibre-gl'
import type { MapEngine } from './engine.ts'
import { paletteOf } from './symbols.ts'

const RESULT = 'result'
const INPUT = 'result-input'
const CHOSEN = 'result-chosen'
/** Around a point, in pixels: lines and points are thin. */
const REACH_PX = 5
const MANY = 20_000

type Colours = { fill: string; line: string; halo: string; selected: string; input: string }

function coloursOf(root: HTMLElement): Colours {
  const style = getComputedStyle(root)
  const value = (name: string): string => style.getPropertyValue(name).trim()
  const { surface, accent, textWeak } = paletteOf(root)
  return { fill: value('--series-1'), line: value('--series-1'), halo: surface, selected: accent, input: textWeak }
}

const isKind = (kind: string) => ['match', ['geometry-type'], [kind, `Multi${kind}`], true, false] as never
const hasLines = ['match', ['geometry-type'], ['Point', 'MultiPoint'], false, true] as never

/**
 * No paint depends on the feature: MapLibre would keep it for every corner of every feature. The chosen feature has a
 * separate source instead.
 */
function layersOf({ fill, line, halo, selected, input }: Colours, areMany: boolean): LayerSpecification[] {
  return [
    {
      ...{ id: `${INPUT}-fill`, type: 'fill', source: INPUT, filter: isKind('Polygon') },
      paint: { 'fill-color': input, 'fill-opacity': 0.12 },
    },
    {
      ...{ id: `${INPUT}-line`, type: 'line', source: INPUT, filter: hasLines },
      paint: { 'line-color': input, 'line-width': 1, 'line-dasharray': [3, 2] },
    },
    {
      ...{ id: `${INPUT}-point`, type: 'circle', source: INPUT, filter: isKind('Point') },
      paint: { 'circle-color': halo, 'circle-radius': 3, 'circle-stroke-color': input, 'circle-stroke-width': 1 },
    },
    {
      ...{ id: `${RESULT}-fill`, type: 'fill', source: RESULT, filter: isKind('Polygon') },
      paint: { 'fill-color': fill, 'fill-opacity': areMany ? 0.35 : 0.22, 'fill-outline-color': line },
    },
    {
      // lines of any width take MapLibre longer than all the rest; the thin outlines of areas are enough for many
      ...{ id: `${RESULT}-line`, type: 'line', source: RESULT, filter: areMany ? isKind('LineString') : hasLines },
      paint: {
        'line-color': line,
        // outlines of many polygons would hide them from afar
        'line-width': ['interpolate', ['linear'], ['zoom'], 3, 0.7, 12, 1.8],
      },
    },
    {
      ...{ id: `${RESULT}-point`, type: 'circle', source: RESULT, filter: isKind('Point') },
      paint: {
        'circle-color': fill,
        'circle-radius': ['interpolate', ['linear'], ['zoom'], 2, 2.5, 12, 5],
        'circle-stroke-color': halo,
        'circle-stroke-width': ['interpolate', ['linear'], ['zoom'], 2, 0.4, 12, 1.2],
      },
    },
    {
      ...{ id: `${CHOSEN}-fill`, type: 'fill', source: CHOSEN, filter: isKind('Polygon') },
      paint: { 'fill-color': selected, 'fill-opacity': 0.5 },
    },
    {
      ...{ id: `${CHOSEN}-line`, type: 'line', source: CHOSEN, filter: hasLines },
      layout: { 'line-cap': 'round', 'line-join': 'round' },
      paint: { 'line-color': selected, 'line-width': ['interpolate', ['linear'], ['zoom'], 3, 3, 12, 4] },
    },
    {
      ...{ id: `${CHOSEN}-point`, type: 'circle', source: CHOSEN, filter: isKind('Point') },
      paint: {
        'circle-color': selected,
        'circle-radius': ['interpolate', ['linear'], ['zoom'], 2, 6, 12, 8],
        'circle-stroke-color': halo,
        'circle-stroke-width': 1,
      },
    },
  ]
}

const absolute = (address: string): string => new URL(address, location.href).href
const nothing = { type: 'FeatureCollection' as const, features: [] }

/** @param address of the GeoJSON file */
export function addResult(engine: MapEngine, address: string) {
  const map: MapLibre = engine.map
  map.addSource(INPUT, { type: 'geojson', data: nothing })
  map.addSource(RESULT, { type: 'geojson', data: absolute(address), generateId: true })
  map.addSource(CHOSEN, { type: 'geojson', data: nothing })

  function recolour(): void {
    if (shown === undefined) return
    for (const { id, paint } of layersOf(coloursOf(document.documentElement), shown.areMany) as {
      id: string
      paint: object
    }[])
      for (const [name, value] of Object.entries(paint)) map.setPaintProperty(id, name as never, value as never)
  }
  const undo = engine.onRestyled(recolour)
  let shown: { areMany: boolean } | undefined

  return {
    /** Draws the features, whose file is being read already. */
    show(count: number): void {
      if (shown !== undefined) return
      shown = { areMany: count > MANY }
      for (const layer of layersOf(coloursOf(document.documentElement), shown.areMany)) map.addLayer(layer)
    },
    /** Shows what went in beneath the result. */
    setInput(input: string | undefined): void {
      map.getSource<GeoJSONSource>(INPUT)?.setData(input === undefined ? nothing : absolute(input))
    },
    select(geometry: Geometry | null): void {
      const features = geometry === null ? [] : [{ type: 'Feature' as const, properties: {}, geometry }]
      map.getSource<GeoJSONSource>(CHOSEN)?.setData({ type: 'FeatureCollection', features })
    },
    /** The feature at a place of the map, the uppermost first. */
    at({ longitude, latitude }: { longitude: number; latitude: number }): number | undefined {
      const { x, y } = map.project([longitude, latitude])
      const layers = ['point', 'line', 'fill'].map((kind) => `${RESULT}-${kind}`)
      const around: [[number, number], [number, number]] = [
        [x - REACH_PX, y - REACH_PX],
        [x + REACH_PX, y + REACH_PX],
      ]
      const [first] = map.queryRenderedFeatures(around, { layers })
      return typeof first?.id === 'number' ? first.id : undefined
    },
    /** Resolves when everything in view has been drawn. */
    drawn: () =>
      new Promise<void>((resolve) => {
        const look = (): void => {
          if (map.isSourceLoaded(RESULT) && map.areTilesLoaded()) resolve()
          else map.once('idle', look)
        }
        look()
      }),
    remove: undo,
  }
}

export type ResultLayers = ReturnType<typeof addResult>
