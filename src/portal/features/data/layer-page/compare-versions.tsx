/** Two versions of a layer: added, changed and removed features, on the map and in a table. */

import type { Geometry } from 'geojson'
import { useEffect, useState } from 'preact/hooks'
import { api, dataOf } from '../../../api/client.ts'
import type { components } from '../../../api/schema.d.ts'
import { setQuery } from '../../../shell/router.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { TableRows } from '../../../ui/plain-table.tsx'
import { Empty, Failure, Skeleton } from '../../../ui/states.tsx'
import { useRows } from '../../../ui/table/table-rows.ts'
import type { MapEngine } from '../../map/engine/engine.ts'
import { MapView } from '../../map/map.tsx'
import { boxOfGeometries } from '../layers/geometry-box.ts'
import { differencePart } from '../layers/layer-style.ts'
import { ValueText } from './value-text.tsx'

type Difference = components['schemas']['FeatureDifference']
const PAGE = 200
const CHANGES = ['added', 'changed', 'removed'] as const

type Props = { owner: string; layer: { id: string; name: string }; from: number; to: number }

export function CompareVersions({ owner, layer, from, to }: Props) {
  const [engine, setEngine] = useState<MapEngine | undefined>(undefined)
  const [selected, setSelected] = useState<string | undefined>(undefined)
  const rows = useRows<Difference>(
    ({ cursor, signal }) =>
      dataOf(
        api.GET('/manage/v1/owners/{ownerId}/layers/{id}/versions/compare', {
          params: {
            path: { ownerId: owner, id: layer.id },
            query: { from, to, limit: PAGE, ...(cursor !== undefined && { cursor }) },
          },
          signal,
        }),
      ),
    [],
  )
  const version = rows.version.value
  const found = Array.from({ length: rows.count.value ?? 0 }, (_, i) => rows.at(i)).filter((one) => one !== undefined)

  useEffect(() => {
    if (engine === undefined || rows.count.peek() === undefined) return
    engine.setPartData('differences', {
      type: 'FeatureCollection',
      // new features lie above the features that they replace
      features: found.flatMap((one) => {
        const geometry = geometryOf(one)
        return geometry === undefined
          ? []
          : [{ type: 'Feature' as const, properties: { change: one.change }, geometry }]
      }),
    })
    const box = boxOfGeometries(found.map((one) => geometryOf(one) ?? null))
    if (box !== undefined) engine.fit(box)
  }, [engine, version])
  useEffect(() => {
    const geometry = found.find(({ featureId }) => featureId === selected)
    const shown = geometry && geometryOf(geometry)
    engine?.setPartData('chosen', {
      type: 'FeatureCollection',
      features: shown === undefined ? [] : [{ type: 'Feature', properties: {}, geometry: shown }],
    })
    const box = shown && boxOfGeometries([shown])
    if (box !== undefined) engine?.fit(box)
  }, [engine, selected])

  return (
    <div class="comparison">
      <header class="row comparison-head">
        <h2>{t('layers.comparing', { from, to })}</h2>
        <Button kind="quiet" icon="close" onClick={() => setQuery({ from: undefined, to: undefined })}>
          {t('layers.endCompare')}
        </Button>
      </header>
      <MapView
        label={t('layers.comparing', { from, to })}
        isSmall
        onReady={(made) => {
          made.setPart(differencePart)
          setEngine(made)
          return () => setEngine(undefined)
        }}
      >
        <ul class="difference-legend">
          {CHANGES.map((change) => (
            <li key={change}>
              <Mark change={change} /> {t(`layers.changes.${change}`)}
            </li>
          ))}
        </ul>
      </MapView>
      {rows.error.value !== undefined && <Failure error={rows.error.value} onRetry={rows.reload} />}
      {rows.count.value === undefined && rows.error.value === undefined && <Skeleton lines={4} />}
      {rows.count.value === 0 && <Empty title={t('layers.same')} text={t('layers.sameText')} />}
      {found.length > 0 && (
        <div class="rule-table">
          <table>
            <TableRows
              rows={found}
              keyOf={({ featureId }) => featureId}
              attributesOf={({ featureId }) => ({ class: featureId === selected ? 'event-selected' : '' })}
              columns={[
                [
                  t('layers.feature'),
                  ({ featureId }) => (
                    <button type="button" class="text-button" onClick={() => setSelected(featureId)}>
                      <bdi>{featureId}</bdi>
                    </button>
                  ),
                  { isName: true },
                ],
                [
                  t('layers.change'),
                  ({ change }) => (
                    <span class={`difference difference-${change}`}>
                      <Mark change={change} /> {t(`layers.changes.${change}`)}
                    </span>
                  ),
                ],
                [t('layers.differences'), (one) => <Attributes difference={one} />],
              ]}
            />
          </table>
        </div>
      )}
      {rows.hasMore.value && (
        <Button onClick={() => rows.want(found.length, found.length)}>{t('layers.moreDifferences')}</Button>
      )}
    </div>
  )
}

const geometryOf = ({ before, after }: Difference): Geometry | undefined =>
  ((after ?? before)?.geometry as Geometry | null | undefined) ?? undefined

/** The outline of such a feature on the map. */
function Mark({ change }: { change: Difference['change'] }) {
  const dash = { added: undefined, changed: '1.5 3', removed: '6 4' }[change]
  return (
    <svg class={`difference-mark difference-${change}`} viewBox="0 0 22 10" width="22" height="10" aria-hidden="true">
      <path d="M1 5h20" stroke="currentColor" stroke-width="3" fill="none" stroke-dasharray={dash} />
    </svg>
  )
}

function Attributes({ difference }: { difference: Difference }) {
  const { attributes, geometryChanged, change } = difference
  if (change !== 'changed') return null
  return (
    <ul class="plain-list">
      {attributes.map(({ name, before, after }) => (
        <li key={name}>
          <bdi class="weak">{name}</bdi>: <ValueText value={before} /> {t('layers.arrow')} <ValueText value={after} />
        </li>
      ))}
      {geometryChanged && <li>{t('layers.geometryDiffers')}</li>}
    </ul>
  )
}
