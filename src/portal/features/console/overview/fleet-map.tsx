/** A small map of the fleet. Loaded when it comes into view, because its code is larger than the page. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { href, navigate } from '../../../shell/router.ts'
import { t } from '../../../text/text.ts'
import type { MapEngine } from '../../map/engine/engine.ts'
import { useLiveAssets } from '../../map/engine/use-live-assets.ts'
import { MapView } from '../../map/map.tsx'

export function FleetMap() {
  const live = useLiveAssets()
  const engine = useSignal<MapEngine | undefined>(undefined)
  const total = live.summary.value?.total
  useEffect(() => {
    if (engine.value !== undefined && total) void live.box().then((box) => box && engine.peek()?.fitFirst(box))
  }, [engine.value, total !== undefined && total > 0])
  // an enterprise whose sensors send no positions needs no map
  if (total === 0) return null
  return (
    <section class="stack">
      <MapView
        label={t('map.title')}
        isSmall
        onReady={(made) => {
          engine.value = made
          const end = made.setAssets(live)
          return () => {
            end()
            engine.value = undefined
          }
        }}
        onClick={(hit) => {
          if (hit !== undefined && hit.kind !== 'cluster') navigate(`/map?asset=${encodeURIComponent(hit.id)}`)
        }}
      />
      <a href={href('/map')}>{t('overview.toMap')}</a>
    </section>
  )
}
