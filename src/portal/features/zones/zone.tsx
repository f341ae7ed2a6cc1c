/** One zone rule: its zone on the map, its settings, its events. Also the page of a new rule. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import type { PageProps } from '../../shell/page.ts'
import { href, queryValue, setQuery } from '../../shell/router.ts'
import { enterpriseId } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { DrawTools } from '../map/draw-tools.tsx'
import type { Drawn } from '../map/engine/draw.ts'
import type { MapEngine } from '../map/engine/engine.ts'
import { useLiveAssets } from '../map/engine/use-live-assets.ts'
import { MapView } from '../map/map.tsx'
import type { ZoneEvent } from './event-table.tsx'
import { boxOf, loadZones, type ZoneFeature, type ZoneRule, zoneCollection } from './zone-data.ts'
import { ZoneEvents } from './zone-events.tsx'
import { ZoneForm, type ZoneShape } from './zone-form.tsx'

export type Saved = { rule: ZoneRule; etag: string | undefined; sensors: { id: string; name: string }[] }

async function loadRule(id: string, signal: AbortSignal): Promise<Saved> {
  const { data, response } = await api.GET('/enterprise/v1/assets/rules/{id}', { params: { path: { id } }, signal })
  const rule = data?.data as ZoneRule
  const ids = rule.sensorIds === 'all' ? [] : rule.sensorIds
  const sensors = await Promise.all(ids.slice(0, SHOWN_NAMES).map((sensorId) => sensorOf(sensorId, signal)))
  const rest = ids.slice(SHOWN_NAMES).map((sensorId) => ({ id: sensorId, name: sensorId }))
  return { rule, etag: response.headers.get('etag') ?? undefined, sensors: [...sensors, ...rest] }
}
/** Names of more sensors are not looked up. */
const SHOWN_NAMES = 20

async function sensorOf(id: string, signal: AbortSignal): Promise<{ id: string; name: string }> {
  const query = { q: id, limit: 1 }
  const page = await dataOf(api.GET('/enterprise/v1/assets/sensors', { params: { query }, signal }))
  return { id, name: page.items[0]?.name ?? id }
}

export function NewZonePage() {
  return <Editor saved={undefined} onSaved={() => undefined} />
}

export function ZonePage({ parameters }: PageProps) {
  const rule = useResource((signal) => loadRule(parameters.id as string, signal), [])
  return (
    <Loaded resource={rule} record={{ kind: 'zone' }}>
      {(saved) => <Editor key={rule.loadedAt.value} saved={saved} onSaved={() => rule.reload()} />}
    </Loaded>
  )
}

function Editor({ saved, onSaved }: { saved: Saved | undefined; onSaved: () => void }) {
  const live = useLiveAssets()
  const engine = useSignal<MapEngine | undefined>(undefined)
  const shape = useSignal<ZoneShape>(
    saved === undefined ? { kind: 'none' } : { kind: 'layer', layerId: saved.rule.layerId },
  )
  const drawn = useSignal<Drawn[]>([])
  const bufferM = useSignal(saved?.rule.bufferM ?? 0)
  const events = useSignal<ZoneEvent[]>([])
  const selected = useSignal<string | undefined>(undefined)
  const tab = saved !== undefined && queryValue('tab') === 'events' ? 'events' : 'rule'
  useZone(engine.value, shape.value, drawn.value, bufferM.value)
  const hasAssets = (live.summary.value?.total ?? 0) > 0
  useEffect(() => {
    // a new zone is likely to be where the fleet is
    if (saved !== undefined || engine.value === undefined || !hasAssets || drawn.peek().length > 0) return
    void live.box().then((box) => box && engine.peek()?.fitFirst(box))
  }, [engine.value, hasAssets])
  useEventPlaces(engine.value, tab === 'events' ? events.value : [], selected.value)

  return (
    <div class="map-page zone-page">
      <aside class="map-side">
        <PageHead
          title={saved?.rule.name ?? t('zones.newTitle')}
          isName={saved !== undefined}
          parent={{ href: href('/zones'), label: t('zones.title') }}
        >
          {saved !== undefined && saved.rule.when !== 'enter' && saved.rule.when !== 'leave' && (
            <a href={href('/rules/:id', { id: saved.rule.id })}>{t('rules.alerts')}</a>
          )}
        </PageHead>
        {saved !== undefined && (
          <Tabs
            label={saved.rule.name}
            tabs={[
              { id: 'rule', label: t('zones.settings') },
              { id: 'events', label: t('zones.events.title') },
            ]}
            selected={tab}
            onSelect={(id) => setQuery({ tab: id === 'events' ? id : undefined })}
          />
        )}
        <div class="zone-side">
          {tab === 'events' && saved !== undefined ? (
            <ZoneEvents
              rule={saved.rule.id}
              selected={selected.value}
              onEvents={(all) => {
                events.value = all
              }}
              onSelect={(event) => {
                selected.value = event.id
                engine.peek()?.goTo({ longitude: event.location[0] as number, latitude: event.location[1] as number })
              }}
            />
          ) : (
            <ZoneForm saved={saved} live={live} shape={shape} drawn={drawn} bufferM={bufferM} onSaved={onSaved} />
          )}
        </div>
      </aside>
      <MapView
        label={t('zones.mapLabel')}
        onReady={(made) => {
          engine.value = made
          const end = made.setAssets(live)
          return () => {
            end()
            engine.value = undefined
          }
        }}
      >
        {shape.value.kind === 'draw' && tab === 'rule' && (
          <DrawTools
            engine={engine.value}
            initial={shape.value.polygons}
            onChange={(polygons) => {
              drawn.value = polygons
            }}
          />
        )}
      </MapView>
    </div>
  )
}

/** Shows the polygons of a chosen layer; the drawing tool shows its own shape. */
function useZone(engine: MapEngine | undefined, shape: ZoneShape, drawn: readonly Drawn[], bufferM: number): void {
  const owner = enterpriseId.value as string
  const layerId = shape.kind === 'layer' ? shape.layerId : ''
  const zones = useResource(
    (signal) => (layerId === '' ? Promise.resolve(undefined) : loadZones(owner, layerId, signal)),
    [layerId],
  )
  const features =
    shape.kind === 'layer' ? zones.data.value?.features : shape.kind === 'draw' ? shape.stored : undefined
  useEffect(() => {
    if (engine === undefined) return
    const shown = features ?? (shape.kind === 'draw' ? (shape.polygons as ZoneFeature[]) : [])
    const box = boxOf(shown)
    if (box !== undefined) engine.fit(box)
  }, [engine, features, shape])
  const around = shape.kind === 'draw' ? drawn : features
  const rings = useResource(async () => {
    if (bufferM === 0 || around === undefined || around.length > MAX_RINGS) return []
    return (await import('./buffer-rings.ts')).bufferRings(around, bufferM)
  }, [around, bufferM])
  const outline = rings.data.value
  useEffect(() => {
    const zones = zoneCollection(features ?? [], { selected: shape.kind === 'layer' })
    engine?.setData('zones', { ...zones, features: [...zones.features, ...(outline ?? [])] })
  }, [engine, features, shape, outline])
}
/** Rings around more polygons would take too long. */
const MAX_RINGS = 200

function useEventPlaces(engine: MapEngine | undefined, events: ZoneEvent[], selected: string | undefined): void {
  useEffect(() => {
    engine?.setData('events', {
      type: 'FeatureCollection',
      features: events.map(({ id, location }) => ({
        type: 'Feature',
        properties: { selected: id === selected },
        geometry: { type: 'Point', coordinates: location },
      })),
    })
  }, [engine, events, selected])
}
