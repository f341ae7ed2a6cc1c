/**
 * Assets, clusters and names, drawn on a canvas above the map in the same frame. The browser's own text shows names in
 * every script, which MapLibre's does only with a plugin; and a few hundred drawings cost less than a new source of data.
 */
import { formatCompact } from '../../../text/format.ts'
import { isolated } from '../../../text/text.ts'
import type { Asset } from './asset-index.ts'
import { mercatorX, mercatorY } from './asset-index.ts'
import type { Clusters } from './clusters.ts'
import type { Palette } from './palette.ts'
import type { PlaceName } from './place-names.ts'
import { createSymbols, type Symbols } from './symbols.ts'

/** The view of the map, without tilt: enough to place a point of the ground. */
export type Camera = { x: number; y: number; zoom: number; bearing: number; width: number; height: number }
export type Hit = { kind: 'asset'; id: string; name: string } | { kind: 'cluster'; box: number[]; count: number }
export type Label = { longitude: number; latitude: number; text: string }
/** A place of a track at the time of the slider. */
export type Point = { longitude: number; latitude: number }

export type Scene = {
  clusters: Clusters | undefined
  selected: (Asset & { drawnAs: string }) | undefined
  /** Direction in which the selected asset moves, in degrees clockwise from north. */
  heading: number | undefined
  labels: readonly Label[]
  /** Names of the base map, the most important first. */
  places: readonly PlaceName[]
  marker: Point | undefined
}

const WORLD_PX = 512
const FONT = '"IBM Plex Sans", "IBM Plex Sans Arabic", system-ui, sans-serif'
const MAX_NAMES = 60
const MAX_NAME_LENGTH = 32
const NAME_HEIGHT = 16
const CLICK_TOLERANCE_PX = 4

type Spot = { x: number; y: number; radius: number; cluster: number }
type Rectangle = [left: number, top: number, right: number, bottom: number]

export function createOverlay(container: HTMLElement) {
  const canvas = document.createElement('canvas')
  canvas.className = 'map-overlay'
  canvas.setAttribute('aria-hidden', 'true')
  container.append(canvas)
  const context = canvas.getContext('2d') as CanvasRenderingContext2D
  let palette: Palette | undefined
  let symbols: Symbols | undefined
  let ratio = 0
  let spots: Spot[] = []
  let drawn: Clusters | undefined

  function fit({ width, height }: Camera): void {
    const now = Math.min(2, devicePixelRatio)
    const [w, h] = [Math.round(width * now), Math.round(height * now)]
    if (canvas.width !== w || canvas.height !== h) {
      canvas.width = w
      canvas.height = h
    }
    if (now !== ratio || symbols === undefined) {
      ratio = now
      symbols = createSymbols(palette as Palette, ratio)
    }
  }

  /** A name keeps its own direction, and cannot change the direction of the text beside it. */
  const shortened = (name: string): string => {
    const letters = [...name.replace(/\s+/g, ' ')]
    const short =
      letters.length > MAX_NAME_LENGTH ? `${letters.slice(0, MAX_NAME_LENGTH - 1).join('')}…` : letters.join('')
    return isolated(short)
  }

  function writeName(
    name: string,
    x: number,
    y: number,
    taken: Rectangle[],
    isForced: boolean,
    colour = (palette as Palette).text,
  ): void {
    const text = shortened(name)
    const width = context.measureText(text).width
    const rectangle: Rectangle = [x - width / 2 - 3, y, x + width / 2 + 3, y + NAME_HEIGHT]
    const isFree = taken.every(
      ([l, t, r, b]) => rectangle[2] < l || rectangle[0] > r || rectangle[3] < t || rectangle[1] > b,
    )
    if (!isFree && !isForced) return
    taken.push(rectangle)
    const { surface } = palette as Palette
    context.lineWidth = 3
    context.lineJoin = 'round'
    context.strokeStyle = surface
    context.strokeText(text, x, y + NAME_HEIGHT / 2)
    context.fillStyle = colour
    context.fillText(text, x, y + NAME_HEIGHT / 2)
  }

  /** Outside the ring of the selected asset, in the direction of its movement. */
  function drawArrow(x: number, y: number, radius: number, angle: number): void {
    context.save()
    context.translate(x, y)
    context.rotate(angle)
    context.beginPath()
    context.moveTo(0, -radius - 9)
    context.lineTo(6, -radius)
    context.lineTo(-6, -radius)
    context.closePath()
    context.fillStyle = (palette as Palette).accent
    context.strokeStyle = (palette as Palette).surface
    context.lineWidth = 2
    context.stroke()
    context.fill()
    context.restore()
  }

  return {
    setPalette(next: Palette): void {
      palette = next
      symbols = undefined
    },
    draw(camera: Camera, { clusters, selected, heading, labels, places, marker }: Scene): void {
      if (palette === undefined) return
      fit(camera)
      const { symbolSize, symbol, ring } = symbols as Symbols
      const scale = WORLD_PX * 2 ** camera.zoom
      const angle = (-camera.bearing * Math.PI) / 180
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
      const place = (x: number, y: number): [number, number] => {
        const [dx, dy] = [(x - camera.x) * scale, (y - camera.y) * scale]
        return [camera.width / 2 + dx * cos - dy * sin, camera.height / 2 + dx * sin + dy * cos]
      }
      /** The copy of the world that is nearest to the centre of the view. */
      const placeOf = ({ longitude, latitude }: Point): [number, number] => {
        const x = mercatorX(longitude)
        return place(x + Math.round(camera.x - x), mercatorY(latitude))
      }
      context.setTransform(ratio, 0, 0, ratio, 0, 0)
      context.clearRect(0, 0, camera.width, camera.height)
      context.textAlign = 'center'
      context.textBaseline = 'middle'
      context.direction = 'ltr'
      spots = []
      drawn = clusters
      const taken: Rectangle[] = []
      context.font = `600 12px ${FONT}`
      for (const label of labels) {
        const [x, y] = placeOf(label)
        if (x > 0 && y > 0 && x < camera.width && y < camera.height) writeName(label.text, x, y - 8, taken, false)
      }
      const named: [string, number, number][] = []
      for (let i = 0; i < (clusters?.count.length ?? 0); i++) {
        const { count: counts, kinds, shares, x: xs, y: ys, names, ids } = clusters as Clusters
        const [x, y] = place(xs[i] as number, ys[i] as number)
        if (x < -40 || y < -40 || x > camera.width + 40 || y > camera.height + 40) continue
        const count = counts[i] as number
        const own = shares.slice(i * kinds.length, (i + 1) * kinds.length)
        if (count === 1) {
          const kind = kinds[own.indexOf(1)] ?? 'sending'
          context.drawImage(symbol(kind), x - symbolSize / 2, y - symbolSize / 2, symbolSize, symbolSize)
          spots.push({ x, y, radius: symbolSize / 2, cluster: i })
          if (ids[i] !== selected?.id) named.push([names[i] as string, x, y + symbolSize / 2])
          continue
        }
        const { drawing, size } = ring(count, kinds, own)
        context.drawImage(drawing, x - size / 2, y - size / 2, size, size)
        context.fillStyle = palette.text
        context.fillText(formatCompact(count), x, y + 0.5)
        spots.push({ x, y, radius: size / 2, cluster: i })
      }
      context.font = `400 12px ${FONT}`
      if (named.length <= MAX_NAMES) for (const [name, x, y] of named) writeName(name, x, y, taken, false)
      // in the room that assets and their names leave
      for (const { x, y, radius } of spots) taken.push([x - radius, y - radius, x + radius, y + radius])
      for (const { text, isLarge, ...at } of places) {
        const [x, y] = placeOf(at)
        if (x < 0 || y < 0 || x > camera.width || y > camera.height) continue
        context.font = `${isLarge ? '600 13px' : '400 12px'} ${FONT}`
        writeName(text, x, y - NAME_HEIGHT / 2, taken, false, palette.textWeak)
      }
      if (selected !== undefined) {
        const [x, y] = placeOf(selected)
        context.drawImage(symbol(selected.drawnAs), x - symbolSize / 2, y - symbolSize / 2, symbolSize, symbolSize)
        context.lineWidth = 3
        context.strokeStyle = palette.accent
        context.beginPath()
        context.arc(x, y, symbolSize / 2 + 3, 0, 2 * Math.PI)
        context.stroke()
        if (heading !== undefined) drawArrow(x, y, symbolSize / 2 + 5, ((heading - camera.bearing) * Math.PI) / 180)
        context.font = `600 12px ${FONT}`
        writeName(selected.name, x, y + symbolSize / 2 + 4, taken, true)
      }
      if (marker !== undefined) {
        const [x, y] = placeOf(marker)
        context.fillStyle = palette.track
        context.strokeStyle = palette.surface
        context.lineWidth = 3
        context.beginPath()
        context.arc(x, y, 8, 0, 2 * Math.PI)
        context.stroke()
        context.fill()
      }
    },
    /** The drawings at a point, the smallest first. */
    at(x: number, y: number): Hit | undefined {
      if (drawn === undefined) return undefined
      let best: Spot | undefined
      let bestDistance = Number.POSITIVE_INFINITY
      for (const spot of spots) {
        const distance = Math.hypot(spot.x - x, spot.y - y)
        if (distance > spot.radius + CLICK_TOLERANCE_PX || distance >= bestDistance) continue
        best = spot
        bestDistance = distance
      }
      if (best === undefined) return undefined
      const i = best.cluster
      const { count, ids, names, boxes } = drawn
      return count[i] === 1
        ? { kind: 'asset', id: ids[i] as string, name: names[i] as string }
        : { kind: 'cluster', box: boxes.slice(i * 4, i * 4 + 4), count: count[i] as number }
    },
    remove: () => canvas.remove(),
  }
}
