/** Drawing polygons on a map: polygon, rectangle, circle, moving of corners, removal, undo. A separate chunk. */
import { area, length, polygonToLine } from '@turf/turf'
import type { Feature, Polygon } from 'geojson'
import type { MapLibreMap } from 'maplibre-gl'
import {
  type GeoJSONStoreFeatures,
  TerraDraw,
  TerraDrawCircleMode,
  TerraDrawModeUndoRedo,
  TerraDrawPolygonMode,
  TerraDrawRectangleMode,
  TerraDrawSelectMode,
} from 'terra-draw'
import { TerraDrawMapLibreGLAdapter } from 'terra-draw-maplibre-gl-adapter'
import { paletteOf } from './symbols.ts'

export type DrawTool = 'polygon' | 'rectangle' | 'circle' | 'select'
export type Drawn = Feature<Polygon>
export type DrawState = {
  polygons: Drawn[]
  /** Of all polygons, and of the one that is being drawn. */
  areaM2: number
  perimeterM: number
  isDrawing: boolean
  hasSelection: boolean
  mayUndo: boolean
}

const PRECISION = 7
const MAX_UNDO = 50
const FLAGS = { draggable: true, coordinates: { midpoints: true, draggable: true, deletable: true } }

type Hex = `#${string}`

export function createDraw(map: MapLibreMap, onChange: (state: DrawState) => void) {
  const color = paletteOf(document.documentElement).zone as Hex
  const style = { fillColor: color, fillOpacity: 0.16, outlineColor: color, outlineWidth: 2 }
  const draw = new TerraDraw({
    adapter: new TerraDrawMapLibreGLAdapter({ map, coordinatePrecision: PRECISION }),
    // holds only the corners of the shape that is being drawn; finished shapes are in our own history
    undoRedo: { modeLevel: new TerraDrawModeUndoRedo() },
    modes: [
      new TerraDrawPolygonMode({ styles: { ...style, closingPointColor: color } }),
      new TerraDrawRectangleMode({ styles: style }),
      new TerraDrawCircleMode({ styles: style }),
      new TerraDrawSelectMode({
        styles: {
          selectedPolygonColor: color,
          selectedPolygonFillOpacity: 0.24,
          selectedPolygonOutlineColor: color,
          selectedPolygonOutlineWidth: 3,
          selectionPointColor: color,
          midPointColor: color,
        },
        flags: { polygon: { feature: FLAGS }, rectangle: { feature: FLAGS }, circle: { feature: FLAGS } },
      }),
    ],
  })
  /** The drawing before each change; the last entry is the current one. */
  let history: GeoJSONStoreFeatures[][] = []
  let selected: string | number | undefined
  let isDrawing = false

  const own = (): GeoJSONStoreFeatures[] =>
    draw.getSnapshot().filter(({ geometry, properties }) => geometry.type === 'Polygon' && isShape(properties.mode))
  const isShape = (mode: unknown): boolean => mode === 'polygon' || mode === 'rectangle' || mode === 'circle'

  function tell(): void {
    const polygons = own()
      .filter(({ geometry }) => ((geometry as Polygon).coordinates[0]?.length ?? 0) > 3)
      .map(({ id, geometry }) => ({
        type: 'Feature' as const,
        ...(id !== undefined && { id }),
        properties: {},
        geometry: geometry as Polygon,
      }))
    onChange({
      polygons,
      areaM2: polygons.reduce((sum, polygon) => sum + area(polygon), 0),
      perimeterM: polygons.reduce((sum, polygon) => sum + length(polygonToLine(polygon), { units: 'meters' }), 0),
      isDrawing,
      hasSelection: selected !== undefined,
      mayUndo: history.length > 1 || (isDrawing && draw.canUndo()),
    })
  }
  function remember(): void {
    history = [...history.slice(-MAX_UNDO), structuredClone(own())]
  }

  let isGone = false
  map.on('remove', () => {
    isGone = true
  })
  draw.start()
  let isTelling = false
  draw.on('change', () => {
    if (isTelling) return
    isTelling = true
    // the event of the first corner comes before the state changes to drawing
    queueMicrotask(() => {
      isTelling = false
      if (isGone || !draw.enabled) return
      isDrawing = draw.getMode() !== 'select' && draw.getModeState() === 'drawing'
      tell()
    })
  })
  draw.on('finish', () => {
    isDrawing = false
    remember()
    tell()
  })
  draw.on('select', (id) => {
    selected = id
    tell()
  })
  draw.on('deselect', () => {
    selected = undefined
    tell()
  })
  remember()

  return {
    setTool(tool: DrawTool): void {
      draw.setMode(tool)
      isDrawing = false
      tell()
    },
    /** Shows existing polygons to be changed. */
    load(polygons: readonly Drawn[]): void {
      draw.clear()
      draw.addFeatures(
        polygons.map(
          (polygon, i) =>
            ({
              ...polygon,
              id: undefined,
              properties: { mode: 'polygon', index: i },
            }) as unknown as GeoJSONStoreFeatures,
        ),
      )
      history = []
      remember()
      tell()
    },
    undo(): void {
      if (isDrawing && draw.canUndo()) {
        draw.undo()
        isDrawing = draw.getModeState() === 'drawing'
        tell()
        return
      }
      if (history.length < 2) return
      history = history.slice(0, -1)
      const mode = draw.getMode()
      selected = undefined
      draw.clear()
      draw.addFeatures(structuredClone(history.at(-1) ?? []))
      draw.setMode(mode)
      tell()
    },
    remove(): void {
      const ids = selected === undefined ? own().map(({ id }) => id) : [selected]
      selected = undefined
      draw.removeFeatures(ids.filter((id) => id !== undefined))
      remember()
      tell()
    },
    stop(): void {
      // removing a map also removes its drawing
      if (!isGone) draw.stop()
    },
  }
}

export type Draw = ReturnType<typeof createDraw>
