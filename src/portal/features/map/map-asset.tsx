/** The selected asset above the map: its state, newest values, movement, zone and position, and its track. */
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { href, setQuery } from '../../shell/router.ts'
import { formatList, formatValue, formatWhole } from '../../text/format.ts'
import { formatSpeed } from '../../text/measures.ts'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { type SensorState, State } from '../sensors/state.tsx'
import { containsPosition } from './engine/area.ts'
import type { Asset } from './engine/asset-index.ts'
import { crs, formatCoordinates } from './engine/coordinates.ts'
import type { MapEngine } from './engine/engine.ts'
import { TrackPanel } from './track/track-panel.tsx'
import type { Zone } from './track/track-summary.ts'
import { useMovement, useValues } from './use-card.ts'

const COMPASS = ['n', 'ne', 'e', 'se', 's', 'sw', 'w', 'nw'] as const
const directionOf = (degrees: number): string => t(`map.compass.${COMPASS[Math.round(degrees / 45) % 8] ?? 'n'}`)

export function AssetPanel(props: {
  asset: Asset
  /** Undefined while they are being loaded. */
  zones: readonly Zone[] | undefined
  engine: MapEngine | undefined
  isFollowing: boolean
  onClose: () => void
}) {
  const { asset, engine, isFollowing } = props
  const panel = useRef<HTMLElement>(null)
  return (
    <section class="map-asset" aria-label={t('map.selected')} ref={panel}>
      <header>
        <h2 class="cut" dir="auto" title={asset.name}>
          <bdi>{asset.name}</bdi>
        </h2>
        <IconButton icon="close" label={t('frame.close')} onClick={props.onClose} />
      </header>
      <div class="map-asset-body">
        <p class="row">
          <State state={asset.state as SensorState} />
          <span class="weak">
            <Age at={asset.at} />
          </span>
        </p>
        <Facts asset={asset} zones={props.zones} engine={engine} />
        <div class="row">
          <Button
            kind={isFollowing ? 'main' : 'plain'}
            icon="follow"
            onClick={() => {
              setQuery({ follow: isFollowing ? undefined : 'yes' })
              if (!isFollowing) engine?.goToAsset(asset)
            }}
          >
            {isFollowing ? t('map.following') : t('map.follow')}
          </Button>
          <a class="button" href={href('/sensors/:id', { id: asset.sensorId })}>
            {t('map.toSensor')}
          </a>
        </div>
        <TrackPanel asset={asset} zones={props.zones} engine={engine} panel={panel} />
      </div>
    </section>
  )
}

/** Each value with its unit and its age. Speed, heading and zone are as old as the position. */
function Facts(props: { asset: Asset; zones: readonly Zone[] | undefined; engine: MapEngine | undefined }) {
  const { asset, zones, engine } = props
  const { longitude, latitude, at } = asset
  const { values } = useValues(asset.sensorId)
  const movement = useMovement(asset)
  const heading = movement?.headingDegrees
  useEffect(() => {
    engine?.setHeading(heading)
    return () => engine?.setHeading(undefined)
  }, [engine, heading])
  const around = useMemo(
    () => zones?.filter(({ area }) => containsPosition(area, longitude, latitude)).map(({ name }) => name),
    [zones, longitude, latitude],
  )
  const place = formatCoordinates(crs.value, longitude, latitude) ?? formatCoordinates('decimal', longitude, latitude)
  return (
    <table class="map-facts">
      <caption class="visually-hidden">{t('map.card.values')}</caption>
      <thead class="visually-hidden">
        <tr>
          <th scope="col">{t('map.card.name')}</th>
          <th scope="col">{t('map.card.value')}</th>
          <th scope="col">{t('map.card.age')}</th>
        </tr>
      </thead>
      <tbody>
        {values?.map(({ name, value, unit, at: valueAt }) => (
          <Fact key={name} name={name} at={valueAt}>
            <bdi class="number">{formatValue(value, unit)}</bdi>
          </Fact>
        ))}
        {movement !== undefined && (
          <Fact name={t('map.card.speed')} at={at}>
            <bdi class="number">{formatSpeed(movement.speedKmh)}</bdi>
          </Fact>
        )}
        {heading !== undefined && (
          <Fact name={t('map.card.heading')} at={at}>
            <bdi>{directionOf(heading)}</bdi> <bdi class="number">{formatWhole(Math.round(heading) % 360)}°</bdi>
          </Fact>
        )}
        {around !== undefined && zones !== undefined && zones.length > 0 && (
          <Fact name={t('map.card.zone')} at={at}>
            <bdi>{around.length === 0 ? t('map.card.noZone') : formatList(around)}</bdi>
          </Fact>
        )}
        <Fact name={t('map.card.place')} at={at}>
          <bdi class="number" dir="ltr">
            {place}
          </bdi>
        </Fact>
      </tbody>
    </table>
  )
}

function Fact(props: { name: string; at: string | number; children: ComponentChildren }) {
  return (
    <tr>
      <th scope="row" title={props.name}>
        <bdi>{props.name}</bdi>
      </th>
      <td>{props.children}</td>
      <td class="weak number">
        <Age at={props.at} />
      </td>
    </tr>
  )
}
