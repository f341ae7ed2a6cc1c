/** The current positions: a live map with a list that shares its filter and selection. Its state is the address. */
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import { liveStatus } from '../../live.ts'
import { now } from '../../shell/clock.ts'
import { href, queryValue, setQuery } from '../../shell/router.ts'
import { enterpriseId, may } from '../../shell/session.ts'
import { formatPastAge } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { Empty, Failure, Skeleton } from '../../ui/states.tsx'
import { AssetList } from '../sensors/asset-list.tsx'
import { onlyFavourites } from '../sensors/favourite.tsx'
import { SavedViews } from '../views/saved-views.tsx'
import { loadZoneRules, loadZones, namedZones, zoneCollection, zoneLabels } from '../zones/zone-data.ts'
import type { Asset } from './engine/asset-index.ts'
import type { MapEngine, MapPlace } from './engine/engine.ts'
import type { LiveAssets } from './engine/live-assets.ts'
import { useLiveAssets } from './engine/use-live-assets.ts'
import { MapView } from './map.tsx'
import { AssetPanel } from './map-asset.tsx'
import { ColourMenu, ValueLegend } from './map-colours.tsx'
import { MapFilters, statesIn } from './map-filters.tsx'
import { isHidden, MapLayers } from './map-layers.tsx'
import type { Zone } from './track/track-summary.ts'

const DECIMALS = 5

/** `latitude,longitude,zoom` */
function placeIn(text: string | undefined): MapPlace | undefined {
  const [latitude, longitude, zoom] = (text ?? '').split(',').map(Number)
  if (latitude === undefined || longitude === undefined || zoom === undefined) return undefined
  const isValid = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && zoom >= 0 && zoom <= 24
  return isValid ? { latitude, longitude, zoom } : undefined
}
const placeText = ({ latitude, longitude, zoom }: MapPlace): string =>
  `${latitude.toFixed(DECIMALS)},${longitude.toFixed(DECIMALS)},${zoom.toFixed(2)}`

export function MapPage() {
  const live = useLiveAssets()
  const engine = useSignal<MapEngine | undefined>(undefined)
  const start = useMemo(() => placeIn(queryValue('at')), [])
  const selected = queryValue('asset')
  const isFollowing = queryValue('follow') === 'yes'
  const text = queryValue('q') ?? ''
  const states = queryValue('state') ?? ''
  const tag = queryValue('tag')
  const isFavourites = onlyFavourites()
  const summary = live.summary.value
  const asset = useSignal<Asset | undefined>(undefined)

  useEffect(() => {
    void live.filter({ text, states: statesIn(states) })
  }, [live, text, states])
  useEffect(() => {
    void live.limit({ tag, isFavourites })
  }, [live, tag, isFavourites])
  useSelected(live, engine.value, asset, selected, isFollowing)
  const zones = useZones(engine.value)
  useEffect(() => {
    // the initial view shows the whole fleet, unless the address has a position
    if (engine.value === undefined || summary === undefined || start !== undefined || selected !== undefined) return
    void live.box().then((box) => box && engine.peek()?.fitFirst(box))
  }, [engine.value, summary !== undefined && summary.total > 0])

  const select = (id: string | undefined): void =>
    setQuery(
      { asset: id, ...(id !== selected && { follow: undefined, track: undefined, time: undefined }) },
      { push: true },
    )

  function selectInList(id: string): void {
    select(id)
    void live.find(id).then((found) => found && engine.peek()?.goToAsset(found.asset))
  }

  const isEmpty = summary !== undefined && summary.total === 0
  return (
    <div class="map-page">
      <aside class="map-side">
        <PageHead title={t('map.title')}>
          <SavedViews page="/map" />
          <MapLayers engine={engine.value} />
          <a class="menu-button" href={href('/zones', {}, { tab: 'events' })}>
            {t('map.events')}
          </a>
        </PageHead>
        <MapFilters live={live} text={text} states={statesIn(states)}>
          {engine.value !== undefined && <ColourMenu />}
        </MapFilters>
        {engine.value !== undefined && <ValueLegend live={live} />}
        <Stale live={live} />
        {summary === undefined ? (
          live.error.value === undefined ? (
            <Skeleton />
          ) : (
            <Failure error={live.error.value} onRetry={() => void live.load()} />
          )
        ) : isEmpty ? (
          <Empty title={t('map.empty')} text={t('map.emptyText')} docs={t('frame.docs')}>
            {may.value.administer && (
              <a class="button button-main" href={href('/sensors/new')}>
                {t('map.emptyAction')}
              </a>
            )}
          </Empty>
        ) : (
          <AssetList live={live} selected={selected} onSelect={selectInList} />
        )}
      </aside>
      <MapView
        label={t('map.title')}
        place={start}
        onReady={(made) => {
          engine.value = made
          const end = made.setAssets(live)
          return () => {
            end()
            engine.value = undefined
          }
        }}
        onMoved={(place) => setQuery({ at: placeText(place) })}
        onTouched={() => {
          if (queryValue('follow') !== undefined) setQuery({ follow: undefined })
        }}
        onClick={(hit) => {
          if (hit?.kind === 'cluster') engine.peek()?.open(hit.box)
          else select(hit?.id)
        }}
      >
        {asset.value !== undefined && (
          <AssetPanel
            key={asset.value.id}
            asset={asset.value}
            zones={zones}
            engine={engine.value}
            isFollowing={isFollowing}
            onClose={() => select(undefined)}
          />
        )}
      </MapView>
    </div>
  )
}

const STALE_AFTER_MS = 10_000

/** Shows the time of the positions when they can no longer be refreshed by the stream or by loading. */
function Stale({ live }: { live: LiveAssets }) {
  const status = liveStatus.value
  const isCurrent = status === 'live' || status === 'paused' || status === 'idle'
  const isOld = live.error.value !== undefined || (!isCurrent && now.value - live.freshMs.value > STALE_AFTER_MS)
  if (live.summary.value === undefined || !isOld) return null
  return (
    <p class="stale" role="status">
      {t('frame.stale', { age: formatPastAge(live.freshMs.value, now.value) })}
    </p>
  )
}

/** Keeps the selected asset at its newest position, and centres the map on it while it is followed. */
function useSelected(
  live: LiveAssets,
  engine: MapEngine | undefined,
  shown: { value: Asset | undefined; peek(): Asset | undefined },
  selected: string | undefined,
  isFollowing: boolean,
): void {
  useEffect(() => {
    if (selected === undefined) {
      shown.value = undefined
      engine?.setSelected(undefined)
      return
    }
    let isOld = false
    let isFirst = shown.peek()?.id !== selected
    const end = live.version.subscribe(() => {
      live.find(selected).then(
        (found) => {
          if (isOld) return
          shown.value = found?.asset
          engine?.setSelected(found && { ...found.asset, drawnAs: found.drawnAs })
          if (found === undefined || engine === undefined) return
          if (isFirst && queryValue('at') === undefined) engine.goToAsset(found.asset)
          else if (isFollowing) engine.follow(found.asset)
          isFirst = false
        },
        // the worker has ended with its page
        () => undefined,
      )
    })
    return () => {
      isOld = true
      end()
    }
  }, [live, engine, selected, isFollowing])
}

/**
 * The zones of all rules, drawn below the assets.
 * @returns undefined while they are being loaded
 */
function useZones(engine: MapEngine | undefined): Zone[] | undefined {
  const owner = enterpriseId.value as string
  const zones = useResource(
    async (signal) => {
      const rules = await loadZoneRules(signal)
      const layers = new Map<string, { name: string; enabled: boolean }>()
      for (const { layerId, name, enabled, layerUsable } of rules)
        if (layerUsable) layers.set(layerId, { name, enabled: enabled || layers.get(layerId)?.enabled === true })
      return Promise.all(
        [...layers].map(async ([id, layer]) => ({ ...layer, ...(await loadZones(owner, id, signal)) })),
      )
    },
    [owner],
  )
  const loaded = zones.data.value
  const isOff = isHidden('zones')
  useEffect(() => {
    if (engine === undefined || loaded === undefined) return
    const shown = isOff ? [] : loaded
    engine.setData('zones', {
      type: 'FeatureCollection',
      features: shown.flatMap(({ features, enabled }) => zoneCollection(features, { enabled }).features),
    })
    engine.setLabels(shown.flatMap(({ features, name }) => zoneLabels(features, name)))
  }, [engine, loaded, isOff])
  return useMemo(() => loaded?.flatMap(({ features, name }) => namedZones(features, name)), [loaded])
}
