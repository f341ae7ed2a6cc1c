/** The picture of a map. WebGL keeps the content of its canvas during a frame only. */
import type { MapLibreMap } from 'maplibre-gl'

const maps = new WeakMap<HTMLCanvasElement, MapLibreMap>()

export function rememberMap(map: MapLibreMap): void {
  maps.set(map.getCanvas(), map)
}

/** @returns undefined for a canvas that belongs to no map */
export function copyOfMap(canvas: HTMLCanvasElement): Promise<HTMLCanvasElement> | undefined {
  const map = maps.get(canvas)
  if (map === undefined) return undefined
  return new Promise((resolve) => {
    // in the frame that completes the map
    map.once('idle', () => {
      const copy = document.createElement('canvas')
      copy.width = canvas.width
      copy.height = canvas.height
      copy.getContext('2d')?.drawImage(canvas, 0, 0)
      resolve(copy)
    })
    map.triggerRepaint()
  })
}
