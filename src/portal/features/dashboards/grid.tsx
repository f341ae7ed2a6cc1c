/** The grid of a dashboard. Panels are moved and resized by dragging, with the arrow keys, and in the form of a panel. */
import { useRef, useState } from 'preact/hooks'
import { t } from '../../text/text.ts'
import { IconButton } from '../../ui/button.tsx'
import type { LoadPanel, Panel } from './dashboard-data.ts'
import { COLUMNS, inGrid, inReadingOrder, type Place, settled } from './layout.ts'
import { PanelCard, titleOf } from './panel.tsx'
import type { PanelContext } from './panel-views.tsx'

/** Height of a row with its gap, as in dashboards.css. */
const ROW_PX = 72

export type Arrange = {
  onChange: (panels: Panel[]) => void
  onEdit: (panel: Panel) => void
  onRemove: (panel: Panel) => void
}

export function Grid(
  props: PanelContext & { panels: readonly Panel[]; load: LoadPanel; source: string; arrange?: Arrange | undefined },
) {
  const { arrange, panels, ...context } = props
  const root = useRef<HTMLDivElement>(null)
  const [dragged, setDragged] = useState<readonly Panel[] | undefined>(undefined)
  const placed = dragged ?? panels
  // an element that changes its place among others would lose the focus
  const shown = arrange ? placed : inReadingOrder(placed)

  function place(panel: Panel, next: Place): Panel[] {
    const moved = { ...panel, ...inGrid(next) }
    return settled(
      panels.map((one) => (one.id === panel.id ? moved : one)),
      panel.id,
    )
  }
  function drag(panel: Panel, isResize: boolean) {
    return (event: PointerEvent & { currentTarget: HTMLElement }) => {
      if (event.button !== 0 || root.current === null) return
      event.preventDefault()
      event.currentTarget.focus()
      const columnPx = root.current.clientWidth / COLUMNS
      const sign = document.documentElement.dir === 'rtl' ? -1 : 1
      const [startX, startY] = [event.pageX, event.pageY]
      let last: Panel[] | undefined
      const move = (to: PointerEvent): void => {
        const dx = Math.round((sign * (to.pageX - startX)) / columnPx)
        const dy = Math.round((to.pageY - startY) / ROW_PX)
        const { x, y, w, h } = panel
        last = place(
          panel,
          isResize ? { x, y, w: Math.min(w + dx, COLUMNS - x), h: h + dy } : { x: x + dx, y: y + dy, w, h },
        )
        setDragged(last)
      }
      const end = (): void => {
        removeEventListener('pointermove', move)
        removeEventListener('pointerup', end)
        removeEventListener('pointercancel', end)
        setDragged(undefined)
        if (last !== undefined) arrange?.onChange(last)
      }
      addEventListener('pointermove', move)
      addEventListener('pointerup', end)
      addEventListener('pointercancel', end)
    }
  }
  function onKeyDown(panel: Panel, event: KeyboardEvent): void {
    const sign = document.documentElement.dir === 'rtl' ? -1 : 1
    const step = { ArrowLeft: [-sign, 0], ArrowRight: [sign, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const [dx = 0, dy = 0] = step
    const { x, y, w, h } = panel
    // panels close the gaps above, so a panel moves down past the next one
    const to = event.shiftKey
      ? { x, y, w: Math.min(w + dx, COLUMNS - x), h: h + dy }
      : { x: x + dx, y: y + dy * h, w, h }
    arrange?.onChange(place(panel, to))
  }

  return (
    <div class={arrange ? 'dash-grid dash-arranged' : 'dash-grid'} ref={root}>
      {shown.map((panel) => (
        <div
          key={panel.id}
          class="dash-cell"
          style={{
            gridColumn: `${panel.x + 1} / span ${panel.w}`,
            gridRow: `${panel.y + 1} / span ${panel.h}`,
            '--rows': panel.h,
            '--halves': panel.w < 6 ? 1 : 2,
          }}
        >
          <PanelCard
            {...context}
            panel={panel}
            tools={
              arrange && (
                <div class="dash-tools">
                  <button
                    type="button"
                    class="dash-move"
                    title={t('dashboards.moveHelp')}
                    aria-label={t('dashboards.move', { name: titleOf(panel) })}
                    onPointerDown={drag(panel, false)}
                    onKeyDown={(event) => onKeyDown(panel, event)}
                  >
                    <span aria-hidden="true">⠿</span>
                  </button>
                  <IconButton
                    icon="edit"
                    label={t('dashboards.editPanel', { name: titleOf(panel) })}
                    onClick={() => arrange.onEdit(panel)}
                  />
                  <IconButton
                    icon="remove"
                    label={t('dashboards.removePanel', { name: titleOf(panel) })}
                    onClick={() => arrange.onRemove(panel)}
                  />
                </div>
              )
            }
          />
          {arrange && <span class="dash-resize" aria-hidden="true" onPointerDown={drag(panel, true)} />}
        </div>
      ))}
    </div>
  )
}
