/** The features of a layer on the map: select, draw, move corners, delete. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { randomId } from '../../../shell/random-id.ts'
import { queryValue, setQuery } from '../../../shell/router.ts'
import { may } from '../../../shell/session.ts'
import { t } from '../../../text/text.ts'
import { IconButton } from '../../../ui/button.tsx'
import type { IconName } from '../../../ui/icon.tsx'
import type { Selection } from '../../../ui/table/table-selection.ts'
import type { MapEngine } from '../../map/engine/engine.ts'
import type { PictureLayer } from '../../map/engine/picture-layer.ts'
import { paletteOf } from '../../map/engine/symbols.ts'
import { MapView } from '../../map/map.tsx'
import { boxOfGeometries } from '../layers/geometry-box.ts'
import type { LayerData } from '../layers/layer-data.ts'
import { CHOSEN, featureLook, layerPart } from '../layers/layer-style.ts'
import type { DrawKind, ShapeTools } from '../layers/shape-tools.ts'

type Props = { layer: { id: string; name: string }; data: LayerData; selection: Selection }
type Tool = DrawKind | 'select' | 'move'

const DRAWING: { tool: DrawKind; icon: IconName }[] = [
  { tool: 'point', icon: 'circle' },
  { tool: 'linestring', icon: 'activity' },
  { tool: 'polygon', icon: 'polygon' },
]
/** A click near a line or a point selects it. */
const CLICK_TOLERANCE_PX = 6
const POINT_PX = 5

export function FeatureMap({ layer, data, selection }: Props) {
  const [engine, setEngine] = useState<MapEngine | undefined>(undefined)
  const first = DRAWING.find(({ tool: one }) => one === queryValue('draw'))?.tool
  const [tool, setTool] = useState<Tool>(may.value.keep && first !== undefined ? first : 'select')
  const current = useRef(tool)
  current.current = tool
  const picture = usePicture(engine, data)
  const chosen = [...selection.ids.value]
  useChosen(engine, data, chosen)

  async function select(place: { longitude: number; latitude: number }, isAdding: boolean): Promise<void> {
    if (current.current !== 'select' || picture === undefined || data.summary.peek() === undefined) return
    const id = await data.at(picture.touch(place, CLICK_TOLERANCE_PX, POINT_PX))
    if (!isAdding) selection.clear()
    if (id !== undefined) selection.toggle(id)
  }
  useEffect(() => {
    if (engine === undefined) return
    const onClick = (event: { lngLat: { lng: number; lat: number }; originalEvent: MouseEvent }): void => {
      const { lng: longitude, lat: latitude } = event.lngLat
      // the worker ends with the page
      select({ longitude, latitude }, event.originalEvent.shiftKey).catch(() => undefined)
    }
    engine.map.on('click', onClick)
    return () => void engine.map.off('click', onClick)
  }, [engine, picture])

  return (
    <MapView
      label={t('layers.mapLabel', { name: layer.name })}
      onReady={(made) => {
        made.setPart(layerPart)
        setEngine(made)
        return () => setEngine(undefined)
      }}
    >
      {may.value.keep && engine !== undefined && data.summary.value !== undefined && (
        <Tools engine={engine} data={data} selection={selection} tool={tool} onTool={setTool} />
      )}
    </MapView>
  )
}

/** Shows all features that have arrived, again after each change. */
function usePicture(engine: MapEngine | undefined, data: LayerData): PictureLayer | undefined {
  const [picture, setPicture] = useState<PictureLayer | undefined>(undefined)
  const [version, arrivals] = [data.version.value, data.arrivals.value]
  const fitted = useRef<{ picture: PictureLayer; arrivals: number } | undefined>(undefined)
  useEffect(() => {
    if (engine === undefined) return
    let isGone = false
    let undo: (() => void)[] = []
    async function start(map: MapEngine): Promise<void> {
      const { addPicture } = await import('../../map/engine/picture-layer.ts')
      if (isGone) return
      const made = addPicture(
        map,
        'picture-features',
        data.picture,
        () => featureLook(paletteOf(document.documentElement)),
        [CHOSEN],
      )
      undo = [map.onRestyled(made.draw), made.remove]
      setPicture(made)
    }
    // the page was closed
    start(engine).catch(() => undefined)
    return () => {
      isGone = true
      for (const step of undo) step()
      setPicture(undefined)
    }
  }, [engine])
  useEffect(() => {
    if (engine === undefined || picture === undefined || arrivals === 0) return
    if (fitted.current?.picture === picture && fitted.current.arrivals === arrivals) return picture.draw()
    let isOld = false
    data.box().then(
      (box) => {
        if (isOld) return
        fitted.current = { picture, arrivals }
        // before the picture is requested, which would otherwise show the whole world
        if (box !== undefined) engine.fitFirst(box)
        picture.draw()
      },
      // the worker has ended with its page
      () => undefined,
    )
    return () => {
      isOld = true
    }
  }, [picture, version, arrivals])
  return picture
}

function useChosen(engine: MapEngine | undefined, data: LayerData, ids: string[]): void {
  const version = data.version.value
  const isFirst = useRef(true)
  useEffect(() => {
    if (engine === undefined || data.summary.peek() === undefined) return
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
    void import('../layers/shape-tools.ts').then(({ createShapeTools }) => {
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

  // a change of the geometry by an undo restarts the moving of corners
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
