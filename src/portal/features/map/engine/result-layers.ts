/**
 * The features of a result on a map, with the input beneath them. Each file has its worker, which draws pictures of it;
 * only the chosen feature is drawn by MapLibre.
 */
import type { Geometry } from 'geojson'
import type { GeoJSONSource, LayerSpecification } from 'maplibre-gl'
import type { Look } from '../../../ui/picture/protocol.ts'
import { openFeatures } from '../../tools/result/features.ts'
import type { MapEngine } from './engine.ts'
import { type AskPicture, addPicture } from './picture-layer.ts'
import { paletteOf } from './symbols.ts'

const RESULT = 'result'
const INPUT = 'result-input'
const CHOSEN = 'result-chosen'
/** Click tolerance in pixels, because lines and points are thin. */
const CLICK_TOLERANCE_PX = 5

/** Colours that are compared with a legend must not mix much with the map below. */
const CLASS_OPACITY = 0.8

type Colours = { series: string; halo: string; selected: string; input: string }

function coloursOf(): Colours {
  const root = document.documentElement
  const { surface, accent, textWeak } = paletteOf(root)
  const series = getComputedStyle(root).getPropertyValue('--series-1').trim()
  return { series, halo: surface, selected: accent, input: textWeak }
}

/** A value that grows linearly between two zooms. */
function growing(zoom: number, [from, low]: [number, number], [to, high]: [number, number]): number {
  const part = Math.max(0, Math.min(1, (zoom - from) / (to - from)))
  return low + (high - low) * part
}

function resultLook(zoom: number): Look {
  const { series, halo } = coloursOf()
  return {
    fill: series,
    fillOpacity: 0.3,
    line: series,
    halo,
    lineWidth: growing(zoom, [3, 0.7], [12, 1.8]),
    haloWidth: growing(zoom, [2, 0.4], [12, 1.2]),
    radius: growing(zoom, [2, 2.5], [12, 5]),
  }
}

function inputLook(): Look {
  const { input } = coloursOf()
  return {
    fill: input,
    fillOpacity: 0.12,
    line: input,
    lineWidth: 1,
    dash: [3, 2],
    halo: input,
    haloWidth: 1,
    radius: 3,
  }
}

const isKind = (kind: string) => ['match', ['geometry-type'], [kind, `Multi${kind}`], true, false] as never
const hasLines = ['match', ['geometry-type'], ['Point', 'MultiPoint'], false, true] as never

function chosenLayers({ halo, selected }: Colours): LayerSpecification[] {
  return [
    {
      id: `${CHOSEN}-fill`,
      type: 'fill',
      source: CHOSEN,
      filter: isKind('Polygon'),
      paint: { 'fill-color': selected, 'fill-opacity': 0.5 },
    },
    {
      id: `${CHOSEN}-line`,
      type: 'line',
      source: CHOSEN,
      filter: hasLines,
      layout: { 'line-cap': 'round', 'line-join': 'round' },
      paint: { 'line-color': selected, 'line-width': ['interpolate', ['linear'], ['zoom'], 3, 3, 12, 4] },
    },
    {
      id: `${CHOSEN}-point`,
      type: 'circle',
      source: CHOSEN,
      filter: isKind('Point'),
      paint: {
        'circle-color': selected,
        'circle-radius': ['interpolate', ['linear'], ['zoom'], 2, 6, 12, 8],
        'circle-stroke-color': halo,
        'circle-stroke-width': 1,
      },
    },
  ]
}

const nothing = { type: 'FeatureCollection' as const, features: [] }

/** @param ask requests a picture of the result */
export function addResult(engine: MapEngine, ask: AskPicture) {
  const { map } = engine
  map.addSource(CHOSEN, { type: 'geojson', data: nothing })
  for (const layer of chosenLayers(coloursOf())) map.addLayer(layer)
  let colours: readonly string[] | undefined
  const look = (zoom: number): Look =>
    colours === undefined ? resultLook(zoom) : { ...resultLook(zoom), colours, fillOpacity: CLASS_OPACITY }
  const result = addPicture(engine, RESULT, ask, look, [`${CHOSEN}-fill`])
  let input: ReturnType<typeof openInput> | undefined

  function openInput(address: string) {
    const features = openFeatures(address)
    const picture = addPicture(engine, INPUT, features.picture, inputLook, [RESULT, `${CHOSEN}-fill`])
    features.load(address).then(
      () => picture.draw(),
      // a file that cannot be read is not shown; its own page says why
      () => undefined,
    )
    return {
      address,
      picture,
      close(): void {
        picture.clear()
        picture.remove()
        features.end()
      },
    }
  }
  const undo = engine.onRestyled(() => {
    for (const { id, paint } of chosenLayers(coloursOf()) as { id: string; paint: object }[])
      for (const [name, value] of Object.entries(paint)) map.setPaintProperty(id, name as never, value as never)
    result.draw()
    input?.picture.draw()
  })

  return {
    /** Resolves when the features, which have been read, are on the map. */
    show(): Promise<void> {
      result.draw()
      return result.drawn()
    },
    /** Draws classes of features in their colours; undefined for one colour. */
    setColours(next: readonly string[] | undefined): void {
      colours = next
      result.draw()
    },
    /**
     * Shows the input beneath the result.
     * @param address of the file
     */
    setInput(address: string | undefined): void {
      if (address === input?.address) return
      input?.close()
      input = address === undefined ? undefined : openInput(address)
    },
    select(geometry: Geometry | null): void {
      const features = geometry === null ? [] : [{ type: 'Feature' as const, properties: {}, geometry }]
      map.getSource<GeoJSONSource>(CHOSEN)?.setData({ type: 'FeatureCollection', features })
    },
    touch: (place: { longitude: number; latitude: number }) =>
      result.touch(place, CLICK_TOLERANCE_PX, resultLook(map.getZoom()).radius),
    remove(): void {
      undo()
      result.remove()
      input?.picture.remove()
      input = undefined
    },
  }
}

export type ResultLayers = ReturnType<typeof addResult>
