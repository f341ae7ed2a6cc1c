/** Which sensors are inside a zone now, before its rule is saved. */
import { useEffect, useState } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import { enterpriseId } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import type { LiveAssets } from '../map/engine/live-assets.ts'
import { loadZones, polygonsOf, type ZoneFeature } from './zone-data.ts'
import { countInside, type ZoneValues } from './zone-rule-api.ts'

const SETTLE_MS = 250
const SHOWN = 12

export function InsideNow({ live, values }: { live: LiveAssets; values: ZoneValues }) {
  const owner = enterpriseId.value as string
  const [zone, setZone] = useState(values)
  const { source, layerId, polygons } = values
  useEffect(() => {
    const timer = setTimeout(() => setZone(values), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [source, layerId, polygons])
  const isDrawn = zone.source === 'draw'
  const hasZone = isDrawn ? zone.polygons.length > 0 : zone.layerId !== ''

  const inside = useResource(
    async (signal) => {
      if (!hasZone) return undefined
      const of = isDrawn ? { polygons: zone.polygons } : { layerId: zone.layerId }
      const [count, features] = await Promise.all([
        countInside(of, signal),
        isDrawn ? (zone.polygons as ZoneFeature[]) : loadZones(owner, zone.layerId, signal).then((one) => one.features),
      ])
      // names of sensors that the live map knows
      const { assets } = await live.inside(features.flatMap(polygonsOf), SHOWN)
      return { total: count.total, names: assets.map(({ id, name }) => ({ id, name })) }
    },
    [zone, live.summary.value?.total],
  )
  const data = inside.data.value
  return (
    <section class="inside-now" aria-label={t('zones.inside.title')} aria-live="polite">
      <h2>{t('zones.inside.title')}</h2>
      {!hasZone || data === undefined ? (
        <p class="weak">{hasZone && inside.error.value === undefined ? t('frame.loading') : t('zones.inside.none')}</p>
      ) : (
        <>
          <p class="inside-count number" data-testid="inside">
            {t('zones.inside.count', { count: data.total })}
          </p>
          <ul>
            {data.names.map(({ id, name }) => (
              <li key={id} class="cut">
                <bdi>{name}</bdi>
              </li>
            ))}
          </ul>
          {data.total > data.names.length && data.names.length > 0 && (
            <p class="weak">{t('zones.inside.more', { count: data.total - data.names.length })}</p>
          )}
        </>
      )}
    </section>
  )
}
