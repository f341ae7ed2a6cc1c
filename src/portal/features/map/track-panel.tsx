/** The track of a sensor: a range, a slider through its time, and play. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Resource, useResource } from '../../api/resource.ts'
import { queryValue, setQuery } from '../../shell/router.ts'
import { formatMoment } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { IconButton } from '../../ui/button.tsx'
import type { MapEngine } from './engine/engine.ts'
import { loadTrack, placeAt, type Track, trackLines } from './engine/track.ts'

const HOUR_MS = 3_600_000
const RANGES = { '1h': HOUR_MS, '6h': 6 * HOUR_MS, '24h': 24 * HOUR_MS, '7d': 168 * HOUR_MS, '30d': 720 * HOUR_MS }
type Range = keyof typeof RANGES
const rangeOf = (text: string | undefined): Range | undefined =>
  text !== undefined && text in RANGES ? (text as Range) : undefined
/** Duration of playing the whole track. */
const PLAY_MS = 20_000

export function TrackPanel({ sensorId, engine }: { sensorId: string; engine: MapEngine | undefined }) {
  const range = rangeOf(queryValue('track'))
  return (
    <div class="track">
      <label class="track-range">
        <span>{t('map.track.label')}</span>
        <select
          value={range ?? ''}
          onChange={(event) => setQuery({ track: event.currentTarget.value, time: undefined })}
        >
          <option value="">{t('map.track.none')}</option>
          {(Object.keys(RANGES) as Range[]).map((one) => (
            <option key={one} value={one}>
              {t(`map.track.ranges.${one}`)}
            </option>
          ))}
        </select>
      </label>
      {range !== undefined && (
        <LoadedTrack key={`${sensorId} ${range}`} sensorId={sensorId} range={range} engine={engine} />
      )}
    </div>
  )
}

function LoadedTrack(props: { sensorId: string; range: Range; engine: MapEngine | undefined }) {
  const { engine } = props
  const resource: Resource<Track> = useResource((signal) => {
    const to = Date.now()
    return loadTrack(
      props.sensorId,
      new Date(to - RANGES[props.range]).toISOString(),
      new Date(to).toISOString(),
      signal,
    )
  }, [])
  const track = resource.data.value
  useEffect(() => {
    if (engine === undefined || track === undefined) return
    engine.setData('track', trackLines(track))
    return () => {
      engine.setData('track', trackLines({ ...track, starts: [] }))
      engine.setData('range', trackLines({ ...track, starts: [] }))
      engine.setMarker(undefined)
    }
  }, [engine, track])
  if (track === undefined)
    return <p class="weak">{resource.error.value === undefined ? t('frame.loading') : t('map.track.failed')}</p>
  if (track.times.length === 0) return <p class="weak">{t('map.track.empty')}</p>
  return <Player track={track} engine={engine} />
}

function Player({ track, engine }: { track: Track; engine: MapEngine | undefined }) {
  const [from, to] = [track.times[0] as number, track.times.at(-1) as number]
  const asked = Number(queryValue('time'))
  const [at, setAt] = useState(asked >= from && asked <= to ? asked : to)
  const [isPlaying, setPlaying] = useState(false)
  const frame = useRef(0)

  useEffect(() => {
    engine?.setData('range', trackLines(track, at))
    engine?.setMarker(placeAt(track, at))
  }, [engine, track, at])
  useEffect(() => {
    if (!isPlaying) return
    let before = performance.now()
    function step(nowMs: number): void {
      const passed = nowMs - before
      before = nowMs
      setAt((current) => Math.min(to, current + (passed / PLAY_MS) * (to - from)))
      frame.current = requestAnimationFrame(step)
    }
    frame.current = requestAnimationFrame(step)
    return () => cancelAnimationFrame(frame.current)
  }, [isPlaying, track])
  useEffect(() => {
    if (isPlaying && at >= to) setPlaying(false)
  }, [at, isPlaying])

  const label = formatMoment(at)
  return (
    <>
      {/* time runs from left to right in every language, as in charts */}
      <div class="track-player" dir="ltr">
        <IconButton
          icon={isPlaying ? 'pause' : 'play'}
          label={isPlaying ? t('map.track.pause') : t('map.track.play')}
          onClick={() => {
            if (!isPlaying && at >= to) setAt(from)
            setPlaying(!isPlaying)
          }}
        />
        <input
          type="range"
          aria-label={t('map.track.time')}
          aria-valuetext={label}
          min={from}
          max={Math.max(to, from + 1)}
          step={Math.max(1, Math.round((to - from) / 1000))}
          value={at}
          onInput={(event) => {
            setPlaying(false)
            setAt(Number(event.currentTarget.value))
          }}
          onChange={() => setQuery({ time: String(Math.round(at)) })}
        />
      </div>
      <p class="track-moment number">
        <bdi>{label}</bdi>
        <span class="weak"> · {t('map.track.positions', { count: track.times.length })}</span>
        {track.isCut && <span class="weak"> · {t('map.track.cut')}</span>}
      </p>
    </>
  )
}
