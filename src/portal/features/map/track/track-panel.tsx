/** The track of a sensor: a range, a slider through its time, play, and what happened on it. */
import type { FeatureCollection } from 'geojson'
import type { RefObject } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type Resource, useResource } from '../../../api/resource.ts'
import { queryValue, setQuery } from '../../../shell/router.ts'
import { formatMoment } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { IconButton } from '../../../ui/button.tsx'
import type { Asset } from '../engine/asset-index.ts'
import type { MapEngine } from '../engine/engine.ts'
import { placeAt, type Track, trackBox, trackLines } from './track.ts'
import { TrackFacts } from './track-facts.tsx'
import { loadTrack } from './track-load.ts'
import { RANGES, type TrackRange, trackRangeOf } from './track-ranges.ts'
import { summaryOf, type TrackSummary, type Zone } from './track-summary.ts'

/** Duration of playing the whole track. */
const PLAY_MS = 20_000

type PanelProps = {
  asset: Asset
  zones: readonly Zone[] | undefined
  engine: MapEngine | undefined
  /** The panel that covers a part of the map. */
  panel: RefObject<HTMLElement>
}

export function TrackPanel(props: PanelProps) {
  const range = trackRangeOf(queryValue('track'))
  return (
    <div class="track">
      <label class="track-range">
        <span>{t('map.track.label')}</span>
        <select
          value={range ?? ''}
          // without a view in the address, the map shows the whole track
          onChange={(event) => setQuery({ track: event.currentTarget.value, time: undefined, at: undefined })}
        >
          <option value="">{t('map.track.none')}</option>
          {(Object.keys(RANGES) as TrackRange[]).map((one) => (
            <option key={one} value={one}>
              {t(`map.track.ranges.${one}`)}
            </option>
          ))}
        </select>
      </label>
      {range !== undefined && <LoadedTrack key={`${props.asset.sensorId} ${range}`} {...props} range={range} />}
    </div>
  )
}

const noPoints: FeatureCollection = { type: 'FeatureCollection', features: [] }
const stopPoints = ({ stops }: TrackSummary): FeatureCollection => ({
  type: 'FeatureCollection',
  features: stops.map(({ place }) => ({
    type: 'Feature',
    properties: { selected: false },
    geometry: { type: 'Point', coordinates: place },
  })),
})

function LoadedTrack(props: PanelProps & { range: TrackRange }) {
  const { asset, zones, engine, panel } = props
  const resource: Resource<Track> = useResource((signal) => {
    const to = Date.now()
    return loadTrack(
      asset.sensorId,
      new Date(to - RANGES[props.range]).toISOString(),
      new Date(to).toISOString(),
      signal,
    )
  }, [])
  const track = resource.data.value
  useEffect(() => {
    if (engine === undefined || track === undefined) return
    engine.setData('track', trackLines(track))
    if (queryValue('at') === undefined && queryValue('follow') === undefined) fit()
    return () => {
      engine.setData('track', trackLines({ ...track, starts: [] }))
      engine.setData('range', trackLines({ ...track, starts: [] }))
      engine.setMarker(undefined)
    }
  }, [engine, track])
  const summary = useMemo(() => track && summaryOf(track, zones), [track, zones])
  useEffect(() => {
    if (engine === undefined || summary === undefined) return
    engine.setData('events', stopPoints(summary))
    return () => engine.setData('events', noPoints)
  }, [engine, summary])
  function fit(): void {
    if (track !== undefined && track.times.length > 0 && panel.current !== null)
      engine?.fitBeside(trackBox(track), panel.current)
  }
  if (track === undefined || summary === undefined)
    return <p class="weak">{resource.error.value === undefined ? t('frame.loading') : t('map.track.failed')}</p>
  if (track.times.length === 0) return <p class="weak">{t('map.track.empty')}</p>
  return <Player name={asset.name} track={track} summary={summary} engine={engine} onFit={fit} />
}

function Player(props: {
  name: string
  track: Track
  summary: TrackSummary
  engine: MapEngine | undefined
  onFit: () => void
}) {
  const { track, engine } = props
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
        <IconButton icon="zoomOut" label={t('map.track.fit')} onClick={props.onFit} />
      </div>
      <p class="track-moment number">
        <bdi>{label}</bdi>
        <span class="weak"> · {t('map.track.positions', { count: track.times.length })}</span>
        {track.isCut && <span class="weak"> · {t('map.track.cut')}</span>}
      </p>
      <TrackFacts
        name={props.name}
        track={track}
        summary={props.summary}
        engine={engine}
        onTime={(ms) => {
          setPlaying(false)
          setAt(ms)
          setQuery({ time: String(ms) })
        }}
      />
    </>
  )
}
