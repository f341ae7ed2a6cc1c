/** Tools to draw the input of a tool on the map. */
import type { Feature } from 'geojson'
import { useEffect, useRef, useState } from 'preact/hooks'
import { t } from '../../text/text.ts'
import { IconButton } from '../../ui/button.tsx'
import type { IconName } from '../../ui/icon.tsx'
import { DrawingBar } from './drawing-bar.tsx'
import type { MapEngine } from './engine/engine.ts'
import type { Sketch, SketchTool } from './engine/sketch.ts'

const TOOLS: { tool: SketchTool; icon: IconName }[] = [
  { tool: 'polygon', icon: 'polygon' },
  { tool: 'linestring', icon: 'activity' },
  { tool: 'point', icon: 'circle' },
  { tool: 'select', icon: 'select' },
]

export function SketchTools(props: { engine: MapEngine | undefined; onChange: (features: Feature[]) => void }) {
  const { engine } = props
  const [sketch, setSketch] = useState<Sketch | undefined>(undefined)
  const [tool, setTool] = useState<SketchTool>('polygon')
  const onChange = useRef(props.onChange)
  onChange.current = props.onChange
  useEffect(() => {
    if (engine === undefined) return
    let made: Sketch | undefined
    let isGone = false
    void import('./engine/sketch.ts').then(({ createSketch }) => {
      if (isGone) return
      made = createSketch(engine.map, (features) => onChange.current(features))
      made.setTool(tool)
      setSketch(made)
    })
    return () => {
      isGone = true
      made?.stop()
    }
  }, [engine])
  if (sketch === undefined) return null
  return (
    <DrawingBar
      tools={TOOLS.map((one) => ({ ...one, label: t(`toolApis.sketch.${one.tool}`) }))}
      chosen={tool}
      onChoose={(next) => {
        setTool(next)
        sketch.setTool(next)
      }}
      actions={<IconButton icon="remove" label={t('toolApis.sketch.remove')} onClick={() => sketch.remove()} />}
      status={t(`toolApis.hints.${tool}`)}
    />
  )
}
