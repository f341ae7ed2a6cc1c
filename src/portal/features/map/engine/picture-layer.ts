/**
 * A picture of features on a map, drawn by the worker that keeps them. It reaches beyond the view, so that the map can be
 * dragged at once, and is drawn again when the map comes to rest or its edge comes into view.
 */
import { type Coordinates, type ImageSource, MercatorCoordinate } from 'maplibre-gl'
import type { Look, PictureView, Touch } from '../../../ui/picture/protocol.ts'
import type { MapEngine } from './engine.ts'

/** Margin beyond each side, as a share of the view. */
const BEYOND = 0.3
/** Every device can draw textures of this size. */
const MAX_PX = 4_096
const MAX_LATITUDE_Y = 1

export type AskPicture = (view: PictureView, look: Look) => Promise<ImageBitmap>

type Box = { west: number; north: number; east: number; south: number }

const lngLat = (x: number, y: number): [number, number] => {
  const { lng, lat } = new MercatorCoordinate(x, y).toLngLat()
  return [lng, lat]
}

/**
 * @param id of its source and layer
 * @param lookAt how features are drawn at a zoom
 * @param below candidates for the layer above it; the first existing one is used
 */
export function addPicture(
  engine: MapEngine,
  id: string,
  askPicture: AskPicture,
  lookAt: (zoom: number) => Look,
  below: readonly string[],
) {
  const { map } = engine
  /** The area of the last picture; undefined before the first one. */
  let shown: (Box & { zoom: number }) | undefined
  let isAsking = false
  let isStale = false
  let isGone = false
  /** Until `draw`, and after `clear`. */
  let isHidden = true
  let image: ImageBitmap | undefined
  const waiting: (() => void)[] = []

  function inView(): Box {
    const { lng, lat } = map.getCenter()
    const centre = MercatorCoordinate.fromLngLat([lng, lat])
    const { clientWidth, clientHeight } = map.getContainer()
    const world = 512 * 2 ** map.getZoom()
    // a rotated view needs the area of the circle around it
    const turned = map.getBearing() === 0 ? 0 : Math.hypot(clientWidth, clientHeight)
    const [w, h] = [Math.max(clientWidth, turned) / world / 2, Math.max(clientHeight, turned) / world / 2]
    return { west: centre.x - w, east: centre.x + w, north: centre.y - h, south: centre.y + h }
  }
  function wanted(): PictureView & { zoom: number } {
    const { west, north, east, south } = inView()
    const [width, height] = [east - west, south - north]
    // at most one world: MapLibre repeats the picture in the other copies
    const half = Math.min(0.5, width * (0.5 + BEYOND))
    const middle = (west + east) / 2
    const box = {
      west: middle - half,
      east: middle + half,
      north: Math.max(0, north - height * BEYOND),
      south: Math.min(MAX_LATITUDE_Y, south + height * BEYOND),
    }
    const world = 512 * 2 ** map.getZoom()
    const ratio = Math.min(
      map.getPixelRatio(),
      MAX_PX / ((box.east - box.west) * world),
      MAX_PX / ((box.south - box.north) * world),
    )
    const pixels = (length: number): number => Math.max(1, Math.round(length * world * ratio))
    return {
      ...box,
      width: pixels(box.east - box.west),
      height: pixels(box.south - box.north),
      ratio,
      zoom: map.getZoom(),
    }
  }

  function show(next: ImageBitmap, { west, north, east, south }: Box): void {
    const coordinates: Coordinates = [
      lngLat(west, north),
      lngLat(east, north),
      lngLat(east, south),
      lngLat(west, south),
    ]
    if (map.getSource(id) === undefined) map.addSource(id, { type: 'image', coordinates })
    map.getSource<ImageSource>(id)?.updateImage({ image: next, coordinates })
    image?.close()
    image = next
    const above = below.find((one) => map.getLayer(one) !== undefined)
    if (map.getLayer(id) !== undefined) {
      // a new style puts layers of the old one on top
      const order = map.getLayersOrder()
      if (above !== undefined && order.indexOf(id) > order.indexOf(above)) map.moveLayer(id, above)
      return
    }
    map.addLayer({ id, type: 'raster', source: id, paint: { 'raster-fade-duration': 0 } }, above)
  }

  async function ask(): Promise<void> {
    if (isAsking) {
      isStale = true
      return
    }
    isAsking = true
    try {
      do {
        isStale = false
        const view = wanted()
        const next = await askPicture(view, lookAt(view.zoom))
        if (isGone || isHidden) return next.close()
        shown = view
        show(next, view)
      } while (isStale)
      for (const done of waiting.splice(0)) map.once('render', done)
      map.triggerRepaint()
    } catch {
      // the worker has ended with its page
    } finally {
      isAsking = false
    }
  }
  const moved = (): void => {
    const view = inView()
    const isWithin =
      shown !== undefined &&
      view.north >= shown.north - 1e-9 &&
      view.south <= shown.south + 1e-9 &&
      (shown.east - shown.west >= 1 || (view.west >= shown.west && view.east <= shown.east))
    if (!isWithin && shown !== undefined) void ask()
  }
  const rested = (): void => {
    if (shown !== undefined) void ask()
  }
  map.on('move', moved)
  map.on('moveend', rested)
  map.on('resize', rested)

  return {
    /** Draws the current features. */
    draw(): void {
      isHidden = false
      void ask()
    },
    /** Resolves when a picture of the features has been on the map. */
    drawn: () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve)
        if (!isAsking) void ask()
      }),
    touch({ longitude, latitude }: { longitude: number; latitude: number }, reachPx: number, pointPx: number): Touch {
      const { x, y } = MercatorCoordinate.fromLngLat([longitude, latitude])
      const world = 512 * 2 ** map.getZoom()
      return { x, y, reach: reachPx / world, pointReach: (reachPx + pointPx) / world }
    },
    /** Hides the features; `draw` shows them again. */
    clear(): void {
      shown = undefined
      isStale = false
      isHidden = true
      if (map.getLayer(id) !== undefined) map.removeLayer(id)
      if (map.getSource(id) !== undefined) map.removeSource(id)
    },
    remove(): void {
      isGone = true
      map.off('move', moved)
      map.off('moveend', rested)
      map.off('resize', rested)
    },
  }
}

export type PictureLayer = ReturnType<typeof addPicture>
