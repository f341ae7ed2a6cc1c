/** Drawing a new feature, and moving the corners of one, on the map of a layer. A separate chunk. */
import type { Geometry, Position } from 'geojson'
import type { MapLibreMap } from 'maplibre-gl'
import {
  type GeoJSONStoreFeatures,
  TerraDraw,
  TerraDrawLineStringMode,
  TerraDrawPointMode,
  TerraDrawPolygonMode,
  TerraDrawSelectMode,
} from 'terra-draw'
import { TerraDrawMapLibreGLAdapter } from 'terra-draw-maplibre-gl-adapter'
import { paletteOf } from '../../map/engine/symbols.ts'
import { type Part, partsOf, withParts } from './shapes.ts'

export type DrawKind = 'point' | 'linestring' | 'polygon'
const PRECISION = 9
const MODES = { Point: 'point', LineString: 'linestring', Polygon: 'polygon' } as const
const FLAGS = { draggable: true, coordinates: { midpoints: true, draggable: true, deletable: true } }

type Hex = `#${string}`

export function createShapeTools(
  map: MapLibreMap,
  callbacks: {
    onDrawn(geometry: Geometry): void
    /** After each corner that was moved, added or removed. */
    onMoved(geometry: Geometry): void
  },
) {
  const color = paletteOf(document.documentElement).track as Hex
  const fill = { fillColor: color, fillOpacity: 0.16, outlineColor: color, outlineWidth: 2 }
  const draw = new TerraDraw({
    adapter: new TerraDrawMapLibreGLAdapter({ map, coordinatePrecision: PRECISION }),
    modes: [
      new TerraDrawPointMode({ styles: { pointColor: color, pointWidth: 7 }, editable: false }),
      new TerraDrawLineStringMode({ styles: { lineStringColor: color, lineStringWidth: 3 } }),
      new TerraDrawPolygonMode({ styles: { ...fill, closingPointColor: color } }),
      new TerraDrawSelectMode({
        styles: {
          selectedPolygonColor: color,
          selectedPolygonFillOpacity: 0.2,
          selectedPolygonOutlineColor: color,
          selectedPolygonOutlineWidth: 3,
          selectedLineStringColor: color,
          selectedLineStringWidth: 4,
          selectedPointColor: color,
          selectedPointWidth: 8,
          selectionPointColor: color,
          midPointColor: color,
        },
        allowManualDeselection: false,
        flags: {
          polygon: { feature: FLAGS },
          linestring: { feature: FLAGS },
          point: { feature: { draggable: true } },
        },
      }),
    ],
  })
  /** The geometry whose corners are moved. */
  let moved: Geometry | undefined
  let isGone = false
  map.on('remove', () => {
    isGone = true
  })

  const partIn = ({ geometry }: GeoJSONStoreFeatures): Position[] =>
    geometry.type === 'Point'
      ? [geometry.coordinates]
      : geometry.type === 'LineString'
        ? geometry.coordinates
        : (geometry.coordinates[0] as Position[])

  function current(): Part[] {
    return draw
      .getSnapshot()
      .filter(({ properties }) => typeof properties.part === 'number')
      .sort((a, b) => Number(a.properties.part) - Number(b.properties.part))
      .map((feature) => ({ kind: feature.geometry.type as Part['kind'], positions: partIn(feature) }))
  }

  draw.start()
  draw.on('finish', (id) => {
    if (moved !== undefined) {
      moved = withParts(moved, current())
      callbacks.onMoved(moved)
      return
    }
    const drawn = draw.getSnapshot().find((feature) => feature.id === id)
    if (drawn === undefined) return
    callbacks.onDrawn(structuredClone(drawn.geometry) as Geometry)
    // the layer on the map shows the shape from now on
    draw.removeFeatures([id])
  })

  return {
    draw(kind: DrawKind): void {
      moved = undefined
      draw.clear()
      draw.setMode(kind)
    },
    /** @returns whether its corners can be moved */
    move(geometry: Geometry): boolean {
      const parts = partsOf(geometry)
      draw.clear()
      moved = undefined
      if (parts === undefined) return false
      moved = geometry
      const added = draw.addFeatures(
        parts.map(
          ({ kind, positions }, part) =>
            ({
              type: 'Feature',
              properties: { mode: MODES[kind], part },
              geometry: {
                type: kind,
                coordinates: kind === 'Point' ? positions[0] : kind === 'Polygon' ? [positions] : positions,
              },
            }) as unknown as GeoJSONStoreFeatures,
        ),
      )
      if (added.some(({ valid }) => !valid)) {
        draw.clear()
        moved = undefined
        return false
      }
      draw.setMode('select')
      const first = added[0]?.id
      if (first !== undefined) draw.selectFeature(first)
      return true
    },
    /** Stops drawing and moving; the map receives clicks again. */
    rest(): void {
      moved = undefined
      draw.clear()
      draw.setMode('static')
    },
    stop(): void {
      // removing a map also removes its drawing
      if (!isGone) draw.stop()
    },
  }
}

export type ShapeTools = ReturnType<typeof createShapeTools>
