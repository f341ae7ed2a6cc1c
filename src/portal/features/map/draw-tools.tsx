/** Tools to draw a zone on the map, with the area and the length of its edge while it is drawn. */
import { useEffect, useState } from 'preact/hooks'
import { formatArea, formatLength } from '../../text/measures.ts'
import { t } from '../../text/text.ts'
import { IconButton } from '../../ui/button.tsx'
import type { IconName } from '../../ui/icon.tsx'
import { DrawingBar } from './drawing-bar.tsx'
import type { Draw, Drawn, DrawState, DrawTool } from './engine/draw.ts'
import type { MapEngine } from './engine/engine.ts'

const TOOLS: { tool: DrawTool; icon: IconName }[] = [
  { tool: 'polygon', icon: 'polygon' },
  { tool: 'rectangle', icon: 'rectangle' },
  { tool: 'circle', icon: 'circle' },
  { tool: 'select', icon: 'select' },
]

export function DrawTools(props: {
  engine: MapEngine | undefined
  /** The earlier drawing, read when the tools are shown. */
  initial: readonly Drawn[]
  onChange: (polygons: Drawn[]) => void
}) {
  const { engine, initial } = props
  const [draw, setDraw] = useState<Draw | undefined>(undefined)
  const [state, setState] = useState<DrawState | undefined>(undefined)
  const [tool, setTool] = useState<DrawTool>(initial.length > 0 ? 'select' : 'polygon')

  useEffect(() => {
    if (engine === undefined) return
    let made: Draw | undefined
    let isGone = false
    void import('./engine/draw.ts').then(({ createDraw }) => {
      if (isGone) return
      made = createDraw(engine.map, (next) => {
        setState(next)
        if (!next.isDrawing) props.onChange(next.polygons)
      })
      if (initial.length > 0) made.load(initial)
      made.setTool(tool)
      setDraw(made)
    })
    return () => {
      isGone = true
      made?.stop()
    }
  }, [engine])
  useEffect(() => {
    if (draw === undefined) return
    function onKeyDown(event: KeyboardEvent): void {
      const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement
      if (isTyping || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z') return
      event.preventDefault()
      draw?.undo()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [draw])

  if (draw === undefined) return null
  return (
    <DrawingBar
      tools={TOOLS.map((one) => ({ ...one, label: t(`zones.draw.${one.tool}`) }))}
      chosen={tool}
      onChoose={(next) => {
        setTool(next)
        draw.setTool(next)
      }}
      actions={
        <>
          <IconButton icon="undo" label={t('zones.draw.undo')} disabled={!state?.mayUndo} onClick={() => draw.undo()} />
          <IconButton
            icon="remove"
            label={state?.hasSelection ? t('zones.draw.removeOne') : t('zones.draw.removeAll')}
            disabled={!state || state.polygons.length === 0}
            onClick={() => draw.remove()}
          />
        </>
      }
      status={
        state !== undefined && state.areaM2 > 0
          ? t('zones.draw.measure', { area: formatArea(state.areaM2), edge: formatLength(state.perimeterM) })
          : t(`zones.draw.hints.${tool}`)
      }
    />
  )
}
