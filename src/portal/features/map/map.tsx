/**
 * A map with its controls. The map itself is a separate chunk; where the browser cannot draw it, a note says so, and
 * the list beside it still works.
 */
import { effect, signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { language, theme } from '../../shell/preferences.ts'
import { t } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import type { EngineOptions, MapEngine } from './engine/engine.ts'
import { MapCoordinates, type Pointer } from './map-coordinates.tsx'

export type MapProps = {
  /** Description of the map for a screen reader. */
  label: string
  place?: EngineOptions['place']
  /**
   * Called once the map can be drawn on.
   * @returns a cleanup for when the map is removed
   */
  onReady: (engine: MapEngine) => (() => void) | undefined
  onMoved?: EngineOptions['onMoved']
  onTouched?: EngineOptions['onTouched']
  onClick?: EngineOptions['onClick']
  /** Without the bar of coordinates, for small maps. */
  isSmall?: boolean
  /** Above the map: messages, tools. */
  children?: ComponentChildren
}

const words = (): EngineOptions['words'] => ({
  'Map.Title': t('map.title'),
  'NavigationControl.ZoomIn': t('map.zoomIn'),
  'NavigationControl.ZoomOut': t('map.zoomOut'),
  'NavigationControl.ResetBearing': t('map.north'),
  'AttributionControl.ToggleAttribution': t('map.sources'),
})

type Failure = 'webgl' | 'load'

/** MapLibre throws this where the browser cannot draw the map at all. */
const isWithoutWebGl = (error: unknown): boolean => error instanceof Error && error.name === 'GPUInitializationError'

export function MapView(props: MapProps) {
  const container = useRef<HTMLDivElement>(null)
  const [failure, setFailure] = useState<Failure | undefined>(undefined)
  const [isReady, setReady] = useState(false)
  const [baseFailed, setBaseFailed] = useState(false)
  const pointer = useMemo<Pointer>(() => signal(undefined), [])
  const current = useRef(props)
  current.current = props

  useEffect(() => {
    if (failure !== undefined) return
    let isGone = false
    let undo: (() => void)[] = []
    async function start(): Promise<void> {
      const { createMapEngine } = await import('./engine/engine.ts')
      if (isGone || container.current === null) return
      const engine = await createMapEngine(container.current, {
        place: current.current.place,
        tiles: document.documentElement.dataset.tiles,
        language: language.peek(),
        words: words(),
        units: { metres: t('map.metres'), kilometres: t('map.kilometres') },
        onMoved: (place) => current.current.onMoved?.(place),
        onTouched: () => current.current.onTouched?.(),
        onClick: (hit, place) => current.current.onClick?.(hit, place),
        onPointer: (place) => {
          pointer.value = place
        },
        onBaseMapFailed: () => setBaseFailed(true),
      })
      undo.push(() => engine.remove())
      if (isGone) return finish()
      undo.push(followTheme(engine))
      const more = current.current.onReady(engine)
      if (more !== undefined) undo.push(more)
      setReady(true)
    }
    function finish(): void {
      for (const step of undo.toReversed()) step()
      undo = []
    }
    start().catch((error: unknown) => {
      // testing beforehand would create a second context, which takes as long as creating the map's
      if (!isGone) setFailure(isWithoutWebGl(error) ? 'webgl' : 'load')
    })
    return () => {
      isGone = true
      finish()
    }
    // the texts of the controls are fixed when the map is created
  }, [failure, language.value])

  return (
    <section class={props.isSmall ? 'map map-small' : 'map'} aria-label={props.label} data-ready={isReady}>
      {/* a map has no reading direction: its controls stay where they are in every language */}
      <div class="map-canvas" dir="ltr" ref={container} />
      {failure !== undefined && (
        <div class="map-note" role="status">
          <p>{failure === 'webgl' ? t('map.noWebGl') : t('map.failed')}</p>
          {failure === 'load' && (
            <Button icon="reload" onClick={() => setFailure(undefined)}>
              {t('frame.retry')}
            </Button>
          )}
        </div>
      )}
      {baseFailed && (
        <div class="map-message" role="status">
          {t('map.baseFailed')}
        </div>
      )}
      {props.children}
      {!props.isSmall && failure === undefined && <MapCoordinates pointer={pointer} />}
    </section>
  )
}

/** The map has the colours of the page's theme, also when the device changes it. */
function followTheme(engine: MapEngine): () => void {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  // the style of the page changes after the signal
  const restyle = (): void => void requestAnimationFrame(() => engine.restyle())
  dark.addEventListener('change', restyle)
  let isFirst = true
  const end = effect(() => {
    theme.value
    if (!isFirst) restyle()
    isFirst = false
  })
  return () => {
    dark.removeEventListener('change', restyle)
    end()
  }
}
