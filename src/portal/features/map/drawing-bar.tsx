/** The bar above a map to draw on: its tools, of which one is chosen, further actions, and the next step. */
import type { ComponentChildren } from 'preact'
import { t } from '../../text/text.ts'
import { IconButton } from '../../ui/button.tsx'
import type { IconName } from '../../ui/icon.tsx'

export type DrawingTool<Tool extends string> = { tool: Tool; icon: IconName; label: string }

export function DrawingBar<Tool extends string>(props: {
  tools: readonly DrawingTool<Tool>[]
  chosen: Tool
  onChoose: (tool: Tool) => void
  /** Buttons after the tools. */
  actions: ComponentChildren
  /** The next step, or the measurement. */
  status: string
}) {
  return (
    <div class="draw-tools" role="toolbar" aria-label={t('zones.draw.tools')}>
      {props.tools.map(({ tool, icon, label }) => (
        <IconButton
          key={tool}
          icon={icon}
          label={label}
          isPressed={props.chosen === tool}
          onClick={() => props.onChoose(tool)}
        />
      ))}
      <span class="draw-line" />
      {props.actions}
      <span class="draw-measure number" role="status">
        {props.status}
      </span>
    </div>
  )
}
