/** One map: MapLibre below, our canvas of assets above. A separate chunk, loaded by map.tsx. */
import type { FeatureCollection } from 'geojson'
import {
  AttributionControl,
  type GeoJSONSource,
  LngLatBounds,
  MapLibreMap,
  type MapMouseEvent,
  MercatorCoordinate,
  NavigationControl,
  type StyleSpecification,
  setWorkerCount,
  setWorkerUrl,
} from 'maplibre-gl'
import { rememberMap } from '../map-frames.ts'
import type { BaseMap } from './base-map.ts'
import { mapFiles } from './files.ts'
import type { LiveAssets } from './live-assets.ts'
import { createOverlay, type Hit, type Scene } from './overlay.ts'
import type { Palette } from './palette.ts'
import { placeNames } from './place-names.ts'
import { scaleBar } from './scale-bar.ts'
import { type MapData, noData, type StylePart, styleOf } from './style.ts'
import { paletteOf } from './symbols.ts'

/** As in the address: `latitude,longitude,zoom`. */
export type MapPlace = { longitude: number; latitude: number; zoom: number }
export type MapBox = readonly [west: number, south: number, east: number, north: number]

export type EngineOptions = {
  /** Where the map starts. */
  place: MapPlace | undefined
  /** Address of the operator's base map. */
  tiles: string | undefined
  /** Of the names of the base map. */
  language: string
  /** Words of MapLibre's controls. */
  words: Record<string, string>
  units: { metres: string; kilometres: string }
  onMoved(place: MapPlace): void
  /** The person moved the map, not the page. */
  onTouched(): void
  onPointer(place: { longitude: number; latitude: number } | undefined): void
  onClick(hit: Hit | undefined, place: { longitude: number; latitude: number }): void
  onBaseMapFailed(error: unknown): void
}

const MAX_ZOOM = 20
/** A single asset is shown with its surroundings. */
const ASSET_ZOOM = 14
/** On a phone: on a map below this height or width, the panel of the selected asset covers the lower half. */
const LOW_MAP_PX = 420
const NARROW_MAP_PX = 480
const FIT_PX = 56
const FIT = { padding: FIT_PX, maxZoom: 16, duration: 0 }

/** Layers of the drawing tools, of results (result-layers.ts) and of pictures (picture-layer.ts). */
const KEPT = /^(td-|result|picture)/

setWorkerUrl(mapFiles.library)
setWorkerCount(1)
let styleLoaded: Promise<void> | undefined

/** MapLibre's own style sheet, loaded with the first map. */
function loadStyle(): Promise<void> {
  styleLoaded ??= new Promise((resolve, reject) => {
    const link = document.createElement('link')
    link.rel = 'stylesheet'
    link.href = mapFiles.style
    link.onload = () => resolve()
    link.onerror = () => reject(new Error('The style of the map could not be loaded'))
    // before the portal's style sheet, which overrides it
    document.head.prepend(link)
  })
  return styleLoaded
}

/** A new style keeps the sources and layers that others added to the map. */
function keepAdded(previous: StyleSpecification | undefined, next: StyleSpecification): StyleSpecification {
  const sources = Object.entries(previous?.sources ?? {}).filter(([id]) => KEPT.test(id))
  const layers = (previous?.layers ?? []).filter(({ id }) => KEPT.test(id))
  return {
    ...next,
    sources: { ...next.sources, ...Object.fromEntries(sources) },
    layers: [...next.layers, ...layers],
  }
}

export async function createMapEngine(container: HTMLElement, options: EngineOptions) {
  await loadStyle()
  let base: BaseMap | undefined
  let isBaseShown = true
  const data = noData()
  let partOf: ((palette: Palette) => StylePart) | undefined
  const partData: Record<string, FeatureCollection | string> = {}
  /** Data for the sources of the part; a style that is still loading has no sources. */
  const shown: Record<string, FeatureCollection | string> = {}
  function showPart(): void {
    for (const [name, content] of Object.entries(partData)) {
      const source = shown[name] === content ? undefined : map.getSource<GeoJSONSource>(name)
      if (source === undefined) continue
      shown[name] = content
      source.setData(content)
    }
  }
  const root = document.documentElement
  const { place } = options
  const map = new MapLibreMap({
    container,
    style: styleOf(paletteOf(root), undefined, data),
    center: [place?.longitude ?? 20, place?.latitude ?? 22],
    zoom: place?.zoom ?? 1.2,
    maxZoom: MAX_ZOOM,
    maxPitch: 0,
    pitchWithRotate: false,
    attributionControl: false,
    locale: options.words,
    fadeDuration: 0,
    pixelRatio: Math.min(2, devicePixelRatio),
  })
  rememberMap(map)
  map.touchZoomRotate.disableRotation()
  // opposite the page's own panels, which are at the start of the line
  const side = root.dir === 'rtl' ? 'top-left' : 'top-right'
  map.addControl(new NavigationControl({ visualizePitch: false }), side)
  map.addControl(scaleBar(options.units), 'bottom-left')
  map.addControl(new AttributionControl({ compact: true, customAttribution: 'Natural Earth' }), 'bottom-right')

  const overlay = createOverlay(map.getCanvasContainer())
  overlay.setPalette(paletteOf(root))
  const scene: Scene = {
    clusters: undefined,
    selected: undefined,
    heading: undefined,
    labels: [],
    places: [],
    marker: undefined,
  }
  const restyled = new Set<() => void>()
  let assets: LiveAssets | undefined
  let isAsking = false
  let isStale = false
  let isRemoved = false
  let isPressed = false
  for (const kind of ['pointerdown', 'wheel', 'keydown'] as const)
    container.addEventListener(
      kind,
      () => {
        isPressed = true
      },
      { once: true, capture: true, passive: true },
    )

  function draw(): void {
    const centre = MercatorCoordinate.fromLngLat(map.getCenter())
    const { clientWidth: width, clientHeight: height } = container
    overlay.draw({ x: centre.x, y: centre.y, zoom: map.getZoom(), bearing: map.getBearing(), width, height }, scene)
  }
  const abovePanel = (): [number, number] => {
    const { clientHeight: height, clientWidth: width } = map.getContainer()
    return [0, height < LOW_MAP_PX || width < NARROW_MAP_PX ? -height / 4 : 0]
  }
  const redraw = (): void => {
    map.triggerRepaint()
  }

  /** Requests the clusters of the view; meanwhile the answer to the previous request is drawn. */
  async function askClusters(): Promise<void> {
    if (assets === undefined || isRemoved) return
    if (isAsking) {
      isStale = true
      return
    }
    isAsking = true
    isStale = false
    const bounds = map.getBounds()
    const [a, b] = [
      MercatorCoordinate.fromLngLat(bounds.getNorthWest()),
      MercatorCoordinate.fromLngLat(bounds.getSouthEast()),
    ]
    try {
      scene.clusters = await assets.clusters({ west: a.x, north: a.y, east: b.x, south: b.y, zoom: map.getZoom() })
    } catch {
      // the worker has ended with its page
      return
    } finally {
      isAsking = false
    }
    redraw()
    if (isStale) await askClusters()
  }

  /** The base map's names in view. Drawing them ends with this event again, so only a change draws them. */
  function showPlaces(): void {
    const layers = isBaseShown ? (base?.placeLayers ?? []) : []
    const features = layers.flatMap((sourceLayer) => map.querySourceFeatures('base', { sourceLayer }))
    const places = placeNames(features, options.language, map.getZoom())
    if (JSON.stringify(places) === JSON.stringify(scene.places)) return
    scene.places = places
    redraw()
  }

  map.on('render', draw)
  map.on('idle', showPlaces)
  map.on('styledata', showPart)
  map.on('move', () => void askClusters())
  map.on('resize', () => void askClusters())
  map.on('moveend', () => {
    const { lng, lat } = map.getCenter().wrap()
    options.onMoved({ longitude: lng, latitude: lat, zoom: map.getZoom() })
  })
  for (const event of ['dragstart', 'wheel'] as const) map.on(event, () => options.onTouched())
  map.on('mousemove', ({ lngLat, point }: MapMouseEvent) => {
    const { lng: longitude, lat: latitude } = lngLat.wrap()
    options.onPointer({ longitude, latitude })
    map.getCanvas().style.cursor = overlay.at(point.x, point.y) === undefined ? '' : 'pointer'
  })
  map.on('mouseout', () => options.onPointer(undefined))
  map.on('click', ({ point, lngLat }: MapMouseEvent) => {
    const { lng: longitude, lat: latitude } = lngLat.wrap()
    options.onClick(overlay.at(point.x, point.y), { longitude, latitude })
  })

  function setData(source: keyof MapData, collection: FeatureCollection): void {
    data[source] = collection
    map.getSource<GeoJSONSource>(source)?.setData(collection)
  }
  function restyle(): void {
    const palette = paletteOf(root)
    overlay.setPalette(palette)
    const part = partOf && { ...partOf(palette), data: partData }
    map.setStyle(styleOf(palette, isBaseShown ? base : undefined, data, part), { transformStyle: keepAdded })
    for (const recolour of restyled) recolour()
    redraw()
  }
  async function addBaseMap(address: string): Promise<void> {
    const { openBaseMap } = await import('./base-map.ts')
    base = await openBaseMap(address)
    if (!isRemoved) restyle()
  }
  await map.once('style.load')
  if (options.tiles !== undefined) addBaseMap(options.tiles).catch(options.onBaseMapFailed)

  return {
    map,
    restyle,
    /** Calls back when the colours of the page have changed. */
    onRestyled(recolour: () => void): () => void {
      restyled.add(recolour)
      return () => restyled.delete(recolour)
    },
    setData,
    /** Without the operator's base map, the outline of the world remains. */
    showBase(isShown: boolean): void {
      if (isBaseShown === isShown) return
      isBaseShown = isShown
      if (base !== undefined) restyle()
    },
    /** Sources and layers of a page, in the colours of the theme. */
    setPart(make: (palette: Palette) => StylePart): void {
      partOf = make
      restyle()
    },
    /** @param content features, or the address of a file with features */
    setPartData(source: string, content: FeatureCollection | string): void {
      partData[source] = content
      showPart()
    },
    /** The live assets on top; requested again whenever they change. */
    setAssets(live: LiveAssets): () => void {
      assets = live
      return live.version.subscribe(() => void askClusters())
    },
    setSelected(asset: Scene['selected']): void {
      scene.selected = asset
      redraw()
    },
    setHeading(heading: number | undefined): void {
      scene.heading = heading
      redraw()
    },
    setLabels(labels: Scene['labels']): void {
      scene.labels = labels
      redraw()
    },
    setMarker(marker: Scene['marker']): void {
      scene.marker = marker
      redraw()
    },
    place: (): MapPlace => {
      const { lng, lat } = map.getCenter().wrap()
      return { longitude: lng, latitude: lat, zoom: map.getZoom() }
    },
    goTo({ longitude, latitude }: { longitude: number; latitude: number }): void {
      map.easeTo({ center: [longitude, latitude], zoom: Math.max(map.getZoom(), ASSET_ZOOM), duration: 250 })
    },
    /** Like `goTo`, for the selected asset, whose panel is open. */
    goToAsset({ longitude, latitude }: { longitude: number; latitude: number }): void {
      const zoom = Math.max(map.getZoom(), ASSET_ZOOM)
      map.easeTo({ center: [longitude, latitude], zoom, offset: abovePanel(), duration: 250 })
    },
    follow: ({ longitude, latitude }: { longitude: number; latitude: number }) =>
      map.easeTo({ center: [longitude, latitude], offset: abovePanel(), duration: 250 }),
    fit(box: MapBox): void {
      map.fitBounds(new LngLatBounds([box[0], box[1], box[2], box[3]]), FIT)
    },
    /** Like `fit`, beside or above a panel that covers a part of the map. */
    fitBeside(box: MapBox, panel: HTMLElement): void {
      const [whole, covered] = [container.getBoundingClientRect(), panel.getBoundingClientRect()]
      const { width, height } = whole
      const free = {
        left: covered.left - whole.left,
        right: whole.right - covered.right,
        top: covered.top - whole.top,
        bottom: whole.bottom - covered.bottom,
      }
      const padding = { top: FIT_PX, bottom: FIT_PX, left: FIT_PX, right: FIT_PX }
      const besideWidth = Math.max(free.left, free.right)
      const besideHeight = Math.max(free.top, free.bottom)
      if (besideWidth * height > besideHeight * width)
        padding[free.left > free.right ? 'right' : 'left'] += width - besideWidth
      else padding[free.top > free.bottom ? 'bottom' : 'top'] += height - besideHeight
      // a panel over the whole map leaves no room beside it
      const fits = padding.left + padding.right < width && padding.top + padding.bottom < height
      map.fitBounds(new LngLatBounds([box[0], box[1], box[2], box[3]]), { ...FIT, ...(fits && { padding }) })
    },
    /** Like `fit`, for data that loads without user action: a map that a person is drawing on does not move. */
    fitFirst(box: MapBox): void {
      if (!isPressed) this.fit(box)
    },
    /** Zooms to a cluster until its assets separate. */
    open([west = 0, north = 0, east = 0, south = 0]: readonly number[]): void {
      const [a, b] = [new MercatorCoordinate(west, north).toLngLat(), new MercatorCoordinate(east, south).toLngLat()]
      const isOnePlace = east - west < 1e-9 && south - north < 1e-9
      if (isOnePlace)
        map.easeTo({ center: a, zoom: Math.min(MAX_ZOOM, Math.max(map.getZoom() + 3, 16)), duration: 250 })
      else map.fitBounds(new LngLatBounds(a, b), { padding: 80, maxZoom: 17, duration: 250 })
    },
    remove(): void {
      isRemoved = true
      overlay.remove()
      map.remove()
    },
  }
}

export type MapEngine = Awaited<ReturnType<typeof createMapEngine>>
