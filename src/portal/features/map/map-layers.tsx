/** What is drawn below the assets: own layers, zones and the base map, switched on and off. In the address. */
import { useEffect } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { queryValue, setQuery } from '../../shell/router.ts'
import { enterpriseId } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { notifyFailure } from '../../ui/failure-text.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Menu, type MenuItem } from '../../ui/menu.tsx'
import type { MapEngine } from './engine/engine.ts'

/** Colours of several layers; safe for colour-blind people. */
const COLOURS = ['--series-1', '--series-3', '--series-4', '--series-5', '--series-6', '--series-2']
const colourAt = (i: number): string => COLOURS[i % COLOURS.length] as string

const namesIn = (name: string): string[] => (queryValue(name) ?? '').split(',').filter((text) => text !== '')
export const isHidden = (part: 'zones' | 'base'): boolean => namesIn('hide').includes(part)

function toggle(name: 'layers' | 'hide', value: string): void {
  const now = namesIn(name)
  const next = now.includes(value) ? now.filter((one) => one !== value) : [...now, value]
  setQuery({ [name]: next.join(',') })
}

export function MapLayers({ engine }: { engine: MapEngine | undefined }) {
  const owner = enterpriseId.value as string
  const layers = useResource(
    async (signal) => {
      const params = { path: { ownerId: owner }, query: { limit: 1_000 } }
      return (await dataOf(api.GET('/manage/v1/owners/{ownerId}/layers', { params, signal }))).items
    },
    [owner],
  )
  const shown = namesIn('layers')
  useOverlays(engine, owner, shown)
  const hasBase = document.documentElement.dataset.tiles !== undefined
  const isWithoutBase = isHidden('base')
  useEffect(() => engine?.showBase(!isWithoutBase), [engine, isWithoutBase])

  const parts: MenuItem[] = (['zones', ...(hasBase ? (['base'] as const) : [])] as const).map((part) => ({
    label: t(`map.layers.${part}`),
    isOption: true,
    isChecked: !isHidden(part),
    onSelect: () => toggle('hide', part),
  }))
  const own: MenuItem[] = (layers.data.value ?? []).map(({ id, name }) => ({
    label: (
      <span class="layer-choice">
        <bdi>{name}</bdi>
        {shown.includes(id) && (
          <span class="layer-swatch" style={{ background: `var(${colourAt(shown.indexOf(id))})` }} />
        )}
      </span>
    ),
    isOption: true,
    isChecked: shown.includes(id),
    onSelect: () => toggle('layers', id),
  }))
  return (
    <Menu
      label={t('map.layers.label')}
      align="end"
      button={
        <>
          <Icon name="layers" />
          <span>{t('map.layers.label')}</span>
        </>
      }
      items={[...parts, ...(own.length > 0 ? ['line' as const, ...own] : [])]}
    />
  )
}

/** The chosen layers on the map. */
function useOverlays(engine: MapEngine | undefined, owner: string, shown: readonly string[]): void {
  useEffect(() => {
    if (engine === undefined) return
    let isGone = false
    const removals: (() => void)[] = []
    void import('./engine/overlay-layer.ts').then(({ addOverlayLayer }) => {
      if (isGone) return
      for (const [i, id] of shown.entries())
        removals.push(addOverlayLayer(engine, owner, id, colourAt(i), notifyFailure))
    })
    return () => {
      isGone = true
      for (const remove of removals) remove()
    }
  }, [engine, owner, shown.join()])
}
