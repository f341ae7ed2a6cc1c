/** What happened on a track: distance, highest speed, stops, gaps and time in zones; and the track as a file. */
import { Fragment } from 'preact'
import { formatDuration, formatMoment } from '../../../text/format.ts'
import { formatLength, formatSpeed } from '../../../text/measures.ts'
import { t } from '../../../text/text.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { saveFile } from '../../../ui/save-file.ts'
import type { MapEngine } from '../engine/engine.ts'
import type { Track } from './track.ts'
import { geojsonOf, gpxOf } from './track-files.ts'
import { STOP_M, STOP_MS, type TrackSummary } from './track-summary.ts'

export function TrackFacts(props: {
  name: string
  track: Track
  summary: TrackSummary
  engine: MapEngine | undefined
  /** Sets the slider to a moment. */
  onTime: (ms: number) => void
}) {
  const { name, track, summary, engine, onTime } = props
  const { distanceM, highest, stops, gaps, zones } = summary
  const gapMs = gaps.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)
  function show(ms: number, [longitude = 0, latitude = 0]: readonly number[]): void {
    onTime(ms)
    engine?.goToAsset({ longitude, latitude })
  }
  return (
    <>
      <dl class="track-facts">
        <dt>{t('map.track.distance')}</dt>
        <dd class="number">{formatLength(distanceM)}</dd>
        {highest !== undefined && (
          <>
            <dt>{t('map.track.highest')}</dt>
            <dd class="number">
              {formatSpeed(highest.speedKmh)}{' '}
              <Button kind="quiet" onClick={() => show(highest.atMs, highest.place)}>
                {formatMoment(highest.atMs)}
              </Button>
            </dd>
          </>
        )}
        {zones.map((zone) => (
          <Fragment key={zone.name}>
            <dt>{t('map.track.inZone', { zone: zone.name })}</dt>
            <dd class="number">{formatDuration(zone.ms)}</dd>
          </Fragment>
        ))}
        {gaps.length > 0 && (
          <>
            <dt>{t('map.track.gaps')}</dt>
            <dd>{t('map.track.gapsCount', { count: gaps.length, duration: formatDuration(gapMs) })}</dd>
          </>
        )}
      </dl>
      <details class="track-stops">
        <summary>{t('map.track.stopsCount', { count: stops.length })}</summary>
        <ul aria-label={t('map.track.stops')}>
          {stops.map(({ fromMs, toMs, place }) => (
            <li key={fromMs}>
              <span class="number">{formatMoment(fromMs)}</span>
              <span class="number">{formatDuration(toMs - fromMs)}</span>
              <IconButton icon="map" label={t('map.track.showStop')} onClick={() => show(fromMs, place)} />
            </li>
          ))}
        </ul>
        <p class="weak">{t('map.track.rule', { time: formatDuration(STOP_MS), length: formatLength(STOP_M) })}</p>
      </details>
      <fieldset class="row track-files">
        <legend class="visually-hidden">{t('map.track.save')}</legend>
        <Button
          icon="download"
          onClick={() =>
            saveFile(`${name}.gpx`, new Blob([gpxOf(name, track, summary)], { type: 'application/gpx+xml' }))
          }
        >
          GPX
        </Button>
        <Button
          icon="download"
          onClick={() => {
            const text = JSON.stringify(geojsonOf(name, track, summary))
            saveFile(`${name}.geojson`, new Blob([text], { type: 'application/geo+json' }))
          }}
        >
          GeoJSON
        </Button>
      </fieldset>
    </>
  )
}
