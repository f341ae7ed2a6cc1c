/** The selected asset above the map: its state, the way to its sensor, following it, and its track. */

import { href, setQuery } from '../../shell/router.ts'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { type SensorState, State } from '../sensors/state.tsx'
import type { Asset } from './engine/asset-index.ts'
import type { MapEngine } from './engine/engine.ts'
import { TrackPanel } from './track-panel.tsx'

export function AssetPanel(props: {
  asset: Asset
  engine: MapEngine | undefined
  isFollowing: boolean
  onClose: () => void
}) {
  const { asset, engine, isFollowing } = props
  return (
    <section class="map-asset" aria-label={t('map.selected')}>
      <header>
        <h2 class="cut" dir="auto" title={asset.name}>
          <bdi>{asset.name}</bdi>
        </h2>
        <IconButton icon="close" label={t('frame.close')} onClick={props.onClose} />
      </header>
      <p class="row">
        <State state={asset.state as SensorState} />
        <span class="weak">
          <Age at={asset.at} />
        </span>
      </p>
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
      <TrackPanel sensorId={asset.sensorId} engine={engine} />
    </section>
  )
}
