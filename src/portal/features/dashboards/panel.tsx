/** One panel: its data is loaded when it is seen, and again every few seconds while the range follows the clock. */
import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { usePolled } from '../../api/polled.ts'
import { t } from '../../text/text.ts'
import { Loaded } from '../../ui/states.tsx'
import type {
  ChartPanelData,
  LoadPanel,
  MapPanelData,
  NumberPanelData,
  Panel,
  StatesPanelData,
  TablePanelData,
} from './dashboard-data.ts'
import { ChartPanel, MapPanel, NumberPanel, type PanelContext, StatesPanel, TablePanel } from './panel-views.tsx'

const REFRESH_MS = 15_000
/** A range that does not move changes only by late readings. */
const FIXED_REFRESH_MS = 300_000
const PIXELS = 2
const LEAST_POINTS = 60

export function titleOf(panel: Panel): string {
  if (panel.title !== undefined) return panel.title
  const channels = panel.channels?.join(', ') ?? ''
  return channels === '' ? t(`dashboards.types.${panel.type}`) : channels
}

type PanelProps = PanelContext & {
  panel: Panel
  load: LoadPanel
  /** What makes other data: the range, the variables, the link. */
  source: string
  /** Buttons while the dashboard is arranged. */
  tools?: ComponentChildren
}

export function PanelCard(props: PanelProps) {
  const { panel, tools } = props
  const element = useRef<HTMLElement>(null)
  const isSeen = useSeen(element)
  const title = titleOf(panel)
  return (
    <article class={`dash-panel dash-${panel.type}`} ref={element} aria-label={title} data-panel={panel.id}>
      <header class="dash-head">
        <h2 class="cut" title={title}>
          <bdi>{title}</bdi>
        </h2>
        {tools}
      </header>
      <div class="dash-body">{isSeen && <PanelContent {...props} title={title} />}</div>
    </article>
  )
}

function PanelContent(props: PanelProps & { title: string }) {
  const { panel, load, range, source, title } = props
  // where a panel stands changes nothing of its data
  const { x: _x, y: _y, w: _w, h: _h, title: _title, ...asked } = panel
  const width = Math.floor((innerWidth * panel.w) / 12)
  const points = Math.max(LEAST_POINTS, Math.floor(width / PIXELS))
  const data = usePolled(
    (signal) => load(panel, points, signal),
    [JSON.stringify(asked), source],
    range.preset === undefined ? FIXED_REFRESH_MS : REFRESH_MS,
  )
  return (
    <Loaded resource={data} lines={3}>
      {(loaded) => {
        const view = { ...props, title }
        if ((loaded as { sensors: number }).sensors === 0) return <p class="weak">{t('dashboards.noSensors')}</p>
        switch (panel.type) {
          case 'chart':
            return <ChartPanel {...view} data={loaded as ChartPanelData} />
          case 'number':
            return <NumberPanel {...view} data={loaded as NumberPanelData} />
          case 'table':
            return <TablePanel {...view} data={loaded as TablePanelData} />
          case 'states':
            return <StatesPanel {...view} data={loaded as StatesPanelData} />
          case 'map':
            return <MapPanel {...view} data={loaded as MapPanelData} />
        }
      }}
    </Loaded>
  )
}

/** A panel that was seen once stays loaded. Printing shows all of them. */
function useSeen(element: RefObject<HTMLElement>): boolean {
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    const show = (): void => setSeen(true)
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) show()
      },
      { rootMargin: '200px' },
    )
    if (element.current !== null) observer.observe(element.current)
    addEventListener('beforeprint', show)
    return () => {
      observer.disconnect()
      removeEventListener('beforeprint', show)
    }
  }, [])
  return isSeen
}
