/** The assets beside a map: virtual rows that the worker of the live assets fills. Arrow keys move, Enter selects. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { useVirtual } from '../../ui/virtual.ts'
import type { Asset } from '../map/engine/asset-index.ts'
import type { LiveAssets } from '../map/engine/live-assets.ts'
import { type SensorState, StateShape, stateName } from './state.tsx'

const ROW_HEIGHT = 44

export function AssetList(props: { live: LiveAssets; selected: string | undefined; onSelect: (id: string) => void }) {
  const { live, selected, onSelect } = props
  const element = useRef<HTMLDivElement>(null)
  const count = live.summary.value?.matching ?? 0
  const rows = useVirtual({ count, rowHeight: ROW_HEIGHT, headHeight: 0, element: () => element.current })
  const [page, setPage] = useState<{ from: number; items: Asset[] }>({ from: 0, items: [] })
  const [active, setActive] = useState(0)
  const first = rows.items[0]?.index ?? 0
  const last = rows.items.at(-1)?.index ?? -1
  const version = live.version.value

  useEffect(() => {
    let isOld = false
    live.rows(first, last + 1).then(
      (items) => {
        if (!isOld) setPage({ from: first, items })
      },
      // the worker has ended with its page
      () => undefined,
    )
    return () => {
      isOld = true
    }
  }, [first, last, version])
  useEffect(() => {
    if (selected === undefined) return
    live.find(selected).then(
      (found) => {
        if (found === undefined || found.row < 0) return
        setActive(found.row)
        rows.show(found.row)
      },
      () => undefined,
    )
  }, [selected])

  const rowAt = (index: number): Asset | undefined => page.items[index - page.from]
  function onKeyDown(event: KeyboardEvent): void {
    const perPage = Math.max(1, Math.floor((element.current?.clientHeight ?? 0) / ROW_HEIGHT) - 1)
    const next = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + perPage,
      PageUp: active - perPage,
      Home: 0,
      End: count - 1,
    }[event.key]
    if (next !== undefined) {
      event.preventDefault()
      const index = Math.max(0, Math.min(count - 1, next))
      setActive(index)
      rows.show(index)
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault()
      const row = rowAt(active)
      if (row !== undefined) onSelect(row.id)
    }
  }

  return (
    <div
      class="asset-list"
      role="listbox"
      aria-label={t('map.assets')}
      aria-activedescendant={rowAt(active) && `asset-${active}`}
      tabIndex={0}
      ref={element}
      onKeyDown={onKeyDown}
    >
      <div class="asset-rows" role="presentation" style={{ height: `${rows.totalHeight}px` }}>
        {rows.items.map(({ index, start }) => {
          const asset = rowAt(index)
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the keys of all its rows
            // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, and names the active row
            <div
              key={index}
              id={`asset-${index}`}
              class={index === active ? 'asset-row asset-active' : 'asset-row'}
              role="option"
              aria-selected={asset !== undefined && asset.id === selected}
              // a row that is still loading has no content for its accessible name
              aria-label={asset === undefined ? t('frame.loading') : undefined}
              aria-posinset={index + 1}
              aria-setsize={count}
              style={{ transform: `translateY(${start}px)` }}
              onClick={() => {
                setActive(index)
                if (asset !== undefined) onSelect(asset.id)
              }}
            >
              {asset && <Row asset={asset} />}
            </div>
          )
        })}
      </div>
    </div>
  )
}

function Row({ asset: { name, state, at } }: { asset: Asset }) {
  return (
    <>
      <StateShape state={state as SensorState} />
      <span class="asset-name cut" dir="auto" title={name}>
        <bdi>{name}</bdi>
      </span>
      <span class={`asset-state state-${state}`}>{stateName(state as SensorState)}</span>
      <span class="asset-age weak number">
        <Age at={at} />
      </span>
    </>
  )
}
