/**
 * Where a sensor was at the end of the shown range, on a small map. The point is its newest position. The map is loaded
 * only when it is scrolled into view: the chart above comes first.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { useResource } from '../../../api/resource.ts'
import { formatDuration } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import type { Range } from '../../../ui/chart/range.ts'
import type { MapEngine } from '../../map/engine/engine.ts'
import { MapView } from '../../map/map.tsx'
import { type Track, trackLines } from '../../map/track/track.ts'
import { loadTrack } from '../../map/track/track-load.ts'

const text = (ms: number): string => new Date(ms).toISOString()
/** A longer track of a sensor that sends every second has too many positions for a small map. */
const LONGEST_MS = 6 * 3_600_000

type PositionsProps = { sensorId: string; range: Range; location: [number, number] }

export function Positions(props: PositionsProps) {
  const section = useRef<HTMLElement>(null)
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true)
    })
    if (section.current !== null) observer.observe(section.current)
    return () => observer.disconnect()
  }, [])
  return (
    <section class="sensor-positions" ref={section}>
      <h2>{t('sensor.positions')}</h2>
      {isSeen && <SmallMap {...props} />}
    </section>
  )
}

function SmallMap({ sensorId, range, location }: PositionsProps) {
  const isShortened = range.toMs - range.fromMs > LONGEST_MS
  const fromMs = isShortened ? range.toMs - LONGEST_MS : range.fromMs
  const [longitude, latitude] = location
  const track = useResource(
    (signal) => loadTrack(sensorId, text(fromMs), text(range.toMs), signal),
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
    <>
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
        {isShortened && ` · ${t('sensor.trackOf', { duration: formatDuration(LONGEST_MS) })}`}
        {shown?.isCut && ` · ${t('sensor.firstPositions', { count: shown.times.length })}`}
      </p>
    </>
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
