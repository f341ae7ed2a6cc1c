/** Where a sensor was in the shown range, on a small map. The point is its newest position. */
import { useEffect, useRef } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import type { MapEngine } from '../../map/engine.ts'
import { loadTrack, type Track, trackLines } from '../../map/track.ts'
import { MapView } from '../../parts/map.tsx'
import type { Range } from '../../parts/range.ts'
import { t } from '../../text/text.ts'

const text = (ms: number): string => new Date(ms).toISOString()

export function Positions(props: { sensorId: string; range: Range; location: [number, number] }) {
  const { sensorId, range, location } = props
  const [longitude, latitude] = location
  const track = useResource(
    (signal) => loadTrack(sensorId, text(range.fromMs), text(range.toMs), signal),
    [sensorId, range.preset ?? `${range.fromMs} ${range.toMs}`],
  )
  const engine = useRef<MapEngine | undefined>(undefined)
  const shown = track.data.value

  function show(map: MapEngine): void {
    map.setMarker({ longitude, latitude })
    if (shown !== undefined) map.setData('track', trackLines(shown))
    map.fit(boxOf(shown, location))
  }
  useEffect(() => {
    if (engine.current !== undefined) show(engine.current)
  }, [shown])
  useEffect(() => engine.current?.setMarker({ longitude, latitude }), [longitude, latitude])

  return (
    <section class="sensor-positions">
      <h2>{t('sensor.positions')}</h2>
      <MapView
        label={t('sensor.positions')}
        isSmall
        onReady={(map) => {
          engine.current = map
          show(map)
          return () => {
            engine.current = undefined
          }
        }}
      />
      <p class="weak number">
        {t('sensor.newestPosition')}{' '}
        <bdi>
          {latitude.toFixed(5)}, {longitude.toFixed(5)}
        </bdi>
        {shown?.isCut && ` · ${t('sensor.firstPositions', { count: shown.times.length })}`}
      </p>
    </section>
  )
}

function boxOf(track: Track | undefined, [x, y]: [number, number]): [number, number, number, number] {
  let [west, south, east, north] = [x, y, x, y]
  for (const [longitude = x, latitude = y] of track?.places ?? []) {
    west = Math.min(west, longitude)
    east = Math.max(east, longitude)
    south = Math.min(south, latitude)
    north = Math.max(north, latitude)
  }
  return [west, south, east, north]
}
