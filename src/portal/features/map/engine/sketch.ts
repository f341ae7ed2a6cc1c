/** Drawing of points, lines and polygons as the input of a tool. A separate chunk. */
import type { Feature } from 'geojson'
import type { MapLibreMap } from 'maplibre-gl'
import {
  TerraDraw,
  TerraDrawLineStringMode,
  TerraDrawPointMode,
  TerraDrawPolygonMode,
  TerraDrawSelectMode,
} from 'terra-draw'
import { TerraDrawMapLibreGLAdapter } from 'terra-draw-maplibre-gl-adapter'
import { paletteOf } from './symbols.ts'

export const SKETCH_TOOLS = ['point', 'linestring', 'polygon', 'select'] as const
export type SketchTool = (typeof SKETCH_TOOLS)[number]

const PRECISION = 7
const CORNERS = { draggable: true, coordinates: { midpoints: true, draggable: true, deletable: true } }
type Hex = `#${string}`

/** @param onChange called with all shapes after a shape was finished, moved or removed */
export function createSketch(map: MapLibreMap, onChange: (features: Feature[]) => void) {
  const color = paletteOf(document.documentElement).accent as Hex
  const draw = new TerraDraw({
    adapter: new TerraDrawMapLibreGLAdapter({ map, coordinatePrecision: PRECISION }),
    modes: [
      new TerraDrawPointMode({ styles: { pointColor: color, pointWidth: 6 } }),
      new TerraDrawLineStringMode({ styles: { lineStringColor: color, lineStringWidth: 3, closingPointColor: color } }),
      new TerraDrawPolygonMode({
        styles: {
          fillColor: color,
          fillOpacity: 0.16,
          outlineColor: color,
          outlineWidth: 2,
          closingPointColor: color,
        },
      }),
      new TerraDrawSelectMode({
        styles: {
          selectedPolygonColor: color,
          selectedPolygonOutlineColor: color,
          selectedLineStringColor: color,
          selectedPointColor: color,
          selectionPointColor: color,
          midPointColor: color,
        },
        flags: { point: { feature: CORNERS }, linestring: { feature: CORNERS }, polygon: { feature: CORNERS } },
      }),
    ],
  })
  const own = () => draw.getSnapshot().filter(({ properties }) => SKETCH_TOOLS.some((tool) => tool === properties.mode))
  const tell = (): void =>
    onChange(own().map(({ geometry }) => ({ type: 'Feature', properties: {}, geometry }) as Feature))
  let selected: string | number | undefined
  let isGone = false
  map.on('remove', () => {
    isGone = true
  })
  draw.start()
  draw.on('finish', tell)
  draw.on('select', (id) => {
    selected = id
  })
  draw.on('deselect', () => {
    selected = undefined
  })

  return {
    setTool: (tool: SketchTool): void => draw.setMode(tool),
    /** The selected shape, or all of them. */
    remove(): void {
      if (selected === undefined) draw.clear()
      else draw.removeFeatures([selected])
      selected = undefined
      tell()
    },
    stop(): void {
      // removing a map also removes its drawing
      if (!isGone) draw.stop()
    },
  }
}

export type Sketch = ReturnType<typeof createSketch>
