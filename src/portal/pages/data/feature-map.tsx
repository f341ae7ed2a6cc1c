/** The features of a layer on the map: select, draw, move corners, delete. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { LayerData } from '../../layers/layer-data.ts'
import { CLICKABLE, layerPart } from '../../layers/layer-style.ts'
import { boxOfGeometries } from '../../layers/map-text.ts'
import type { DrawKind, ShapeTools } from '../../layers/shape-tools.ts'
import type { MapEngine } from '../../map/engine.ts'
import { IconButton } from '../../parts/button.tsx'
import type { IconName } from '../../parts/icon.tsx'
import { MapView } from '../../parts/map.tsx'
import type { Selection } from '../../parts/table-selection.ts'
import { randomId } from '../../random-id.ts'
import { queryValue, setQuery } from '../../router.ts'
import { may } from '../../session.ts'
import { t } from '../../text/text.ts'

type Props = { layer: { id: string; name: string }; data: LayerData; selection: Selection }
type Tool = DrawKind | 'select' | 'move'

const DRAWING: { tool: DrawKind; icon: IconName }[] = [
  { tool: 'point', icon: 'circle' },
  { tool: 'linestring', icon: 'activity' },
  { tool: 'polygon', icon: 'polygon' },
]
/** A click beside a line or a point still means it. */
const REACH_PX = 6

export function FeatureMap({ layer, data, selection }: Props) {
  const [engine, setEngine] = useState<MapEngine | undefined>(undefined)
  const first = DRAWING.find(({ tool: one }) => one === queryValue('draw'))?.tool
  const [tool, setTool] = useState<Tool>(may.value.keep && first !== undefined ? first : 'select')
  const current = useRef(tool)
  current.current = tool
  useFeatures(engine, data)
  const chosen = [...selection.ids.value]
  useChosen(engine, data, chosen)

  function select(point: { x: number; y: number }, isAdding: boolean): void {
    if (current.current !== 'select' || engine === undefined) return
    const { x, y } = point
    const around: [[number, number], [number, number]] = [
      [x - REACH_PX, y - REACH_PX],
      [x + REACH_PX, y + REACH_PX],
    ]
    const layers = CLICKABLE.filter((id) => engine.map.getLayer(id) !== undefined)
    const [hit] = engine.map.queryRenderedFeatures(around, { layers })
    const id = hit?.properties.id as string | undefined
    if (!isAdding) selection.clear()
    if (id !== undefined) selection.toggle(id)
  }
  useEffect(() => {
    if (engine === undefined) return
    const onClick = (event: { point: { x: number; y: number }; originalEvent: MouseEvent }): void =>
      select(event.point, event.originalEvent.shiftKey)
    engine.map.on('click', onClick)
    return () => void engine.map.off('click', onClick)
  }, [engine])

  return (
    <MapView
      label={t('layers.mapLabel', { name: layer.name })}
      onReady={(made) => {
        made.setPart(layerPart)
        setEngine(made)
        return () => setEngine(undefined)
      }}
    >
      {may.value.keep && engine !== undefined && (
        <Tools engine={engine} data={data} selection={selection} tool={tool} onTool={setTool} />
      )}
    </MapView>
  )
}

/** Shows all features, again after each change. */
function useFeatures(engine: MapEngine | undefined, data: LayerData): void {
  const isFitted = useRef(false)
  const version = data.version.value
  useEffect(() => {
    if (engine === undefined) return
    let isOld = false
    data
      .map()
      .then(({ url, box }) => {
        if (isOld) return
        engine.setPartData('features', url)
        if (!isFitted.current && box !== undefined) engine.fitFirst(box)
        isFitted.current = true
      })
      // the page has been left
      .catch(() => undefined)
    return () => {
      isOld = true
    }
  }, [engine, version])
}

function useChosen(engine: MapEngine | undefined, data: LayerData, ids: string[]): void {
  const version = data.version.value
  const isFirst = useRef(true)
  useEffect(() => {
    if (engine === undefined) return
    let isOld = false
    data
      .features(ids)
      .then((features) => {
        if (isOld) return
        engine.setPartData('chosen', {
          type: 'FeatureCollection',
          features: features.flatMap(({ geometry }) =>
            geometry === null ? [] : [{ type: 'Feature' as const, properties: {}, geometry }],
          ),
        })
        const box = boxOfGeometries(features.map(({ geometry }) => geometry))
        const [west, south, east, north] = box ?? [0, 0, 0, 0]
        const bounds = engine.map.getBounds()
        const isOutside = box !== undefined && !(bounds.contains([west, south]) || bounds.contains([east, north]))
        if (features.length === 1 && box !== undefined && (isOutside || isFirst.current)) engine.fit(box)
        isFirst.current = false
      })
      .catch(() => undefined)
    return () => {
      isOld = true
    }
  }, [engine, version, ids.join(' ')])
}

function Tools(props: {
  engine: MapEngine
  data: LayerData
  selection: Selection
  tool: Tool
  onTool: (tool: Tool) => void
}) {
  const { engine, data, selection, tool, onTool } = props
  const [shapes, setShapes] = useState<ShapeTools | undefined>(undefined)
  const [note, setNote] = useState<string | undefined>(undefined)
  const chosen = [...selection.ids.value]
  const only = chosen.length === 1 ? chosen[0] : undefined
  const editing = useRef(only)
  editing.current = only

  useEffect(() => {
    let made: ShapeTools | undefined
    let isGone = false
    void import('../../layers/shape-tools.ts').then(({ createShapeTools }) => {
      if (isGone) return
      made = createShapeTools(engine.map, {
        onDrawn(geometry) {
          const id = randomId()
          void data.apply({ kind: 'add', features: [{ type: 'Feature', id, properties: {}, geometry }] }).then(() => {
            selection.clear()
            selection.add([id])
          })
        },
        onMoved(geometry) {
          const id = editing.current
          if (id !== undefined) void data.apply({ kind: 'geometry', id, geometry })
        },
      })
      setShapes(made)
    })
    return () => {
      isGone = true
      made?.stop()
    }
  }, [engine])

  // moving begins again after an undo, which changes the geometry below the corners
  const undone = data.summary.value?.mayRedo
  useEffect(() => {
    if (shapes === undefined) return
    setNote(undefined)
    if (tool !== 'move') {
      if (tool === 'select') shapes.rest()
      else shapes.draw(tool)
      setQuery({ draw: tool === 'select' ? undefined : tool })
      return
    }
    if (only === undefined) return onTool('select')
    void data.features([only]).then(([feature]) => {
      if (feature?.geometry && shapes.move(feature.geometry)) return
      setNote(feature?.geometry ? t('layers.notMovable') : t('layers.noGeometry'))
      shapes.rest()
    })
  }, [shapes, tool, only, undone])

  if (shapes === undefined) return null
  const button = (one: Tool, icon: IconName, label: string, isDisabled = false) => (
    <IconButton icon={icon} label={label} isPressed={tool === one} disabled={isDisabled} onClick={() => onTool(one)} />
  )
  return (
    <div class="draw-tools" role="toolbar" aria-label={t('layers.tools')}>
      {button('select', 'select', t('layers.selectTool'))}
      {DRAWING.map(({ tool: one, icon }) => button(one, icon, t(`layers.draw.${one}`)))}
      <span class="draw-line" />
      {button('move', 'edit', t('layers.moveTool'), only === undefined)}
      <IconButton
        icon="remove"
        label={t('layers.removeFeatures', { count: chosen.length })}
        disabled={chosen.length === 0}
        onClick={() => {
          void data.apply({ kind: 'remove', ids: chosen }).then(() => {
            selection.clear()
            onTool('select')
          })
        }}
      />
      <span class="draw-measure" role="status">
        {note ?? t(`layers.hints.${tool}`)}
      </span>
    </div>
  )
}
