/** The features of a layer: map and table beside each other, with one selection. */
import { useSignal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { queryValue, setQuery } from '../../../shell/router.ts'
import { may } from '../../../shell/session.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { SearchField } from '../../../ui/search-field.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Figure } from '../../../ui/table/figure.tsx'
import { Table } from '../../../ui/table/table.tsx'
import { useRows } from '../../../ui/table/table-rows.ts'
import { type Selection, useSelection } from '../../../ui/table/table-selection.ts'
import { type Column, NARROW, tableView } from '../../../ui/table/table-view.ts'
import { Tabs } from '../../../ui/tabs.tsx'
import type { LayerData } from '../layers/layer-data.ts'
import type { LayerFeature } from '../layers/layer-store.ts'
import { ColumnsDialog } from './columns-dialog.tsx'
import { FeatureMap } from './feature-map.tsx'
import { ValueCell } from './value-cell.tsx'
import { textOf, ValueText } from './value-text.tsx'

type Props = { layer: { id: string; name: string; featureCount: number }; data: LayerData }

/** More columns than these are shown when they are chosen. */
const FIRST_COLUMNS = 12

export function FeaturesTab({ layer, data }: Props) {
  const selection = useSelection()
  const side = queryValue('side') === 'table' ? 'table' : 'map'
  const isNarrow = NARROW.matches
  const isReady = data.summary.value !== undefined
  useEffect(() => {
    const wanted = queryValue('feature')
    if (wanted !== undefined) selection.add([wanted])
    return selection.ids.subscribe((ids) => {
      const [only] = ids
      const id = ids.size === 1 ? only : undefined
      if (queryValue('feature') !== id) setQuery({ feature: id })
    })
  }, [])
  return (
    <>
      {isNarrow && (
        <Tabs
          label={t('layers.sides')}
          tabs={[
            { id: 'map', label: t('layers.map') },
            { id: 'table', label: t('layers.table') },
          ]}
          selected={side}
          onSelect={(next) => setQuery({ side: next === 'table' ? next : undefined })}
        />
      )}
      {isNarrow && !isReady && <Loading layer={layer} data={data} />}
      <div class="layer-split">
        {(!isNarrow || side === 'map') && <FeatureMap layer={layer} data={data} selection={selection} />}
        {!isNarrow && !isReady && <Loading layer={layer} data={data} />}
        {isReady && (!isNarrow || side === 'table') && <FeatureTable layer={layer} data={data} selection={selection} />}
      </div>
    </>
  )
}

/** Shown instead of the table; the map shows the features loaded so far. */
function Loading({ layer: { featureCount: total }, data }: Props) {
  const done = data.loaded.value
  return (
    <div class="layer-loading">
      <Progress
        label={t('layers.loading')}
        text={t('layers.loaded', { done, count: total })}
        done={done}
        total={total}
      />
    </div>
  )
}

function columnsOf(data: LayerData, selection: Selection): Column<LayerFeature>[] {
  const found = data.summary.value?.columns ?? []
  const only = selection.ids.value.size === 1 ? [...selection.ids.value][0] : undefined
  const { keep } = may.value
  return [
    {
      id: 'id',
      title: t('layers.featureId'),
      width: 110,
      grow: 1,
      isMain: true,
      sort: { by: 'id:', first: 'asc' },
      cell: ({ id }) => <bdi class="cut">{id}</bdi>,
      csv: ({ id }) => id,
    },
    ...found.map(
      ({ name, type }, i): Column<LayerFeature> => ({
        id: `a:${name.replaceAll(',', '\u201a')}`,
        title: name.slice(0, 60) || '–',
        width: 130,
        grow: 1,
        isNumber: type === 'number',
        isExtra: i >= FIRST_COLUMNS,
        sort: { by: name, first: 'asc' },
        cell: ({ id, properties }) => {
          const value = Object.hasOwn(properties, name) ? properties[name] : undefined
          return keep && only === id ? (
            <ValueCell
              label={name}
              type={type}
              value={value}
              onChange={(next) => data.apply({ kind: 'value', id, name, value: next })}
            />
          ) : typeof value === 'number' ? (
            <Figure value={value} />
          ) : (
            <ValueText value={value} />
          )
        },
        csv: ({ properties }) => (Object.hasOwn(properties, name) ? textOf(properties[name] ?? '') : ''),
      }),
    ),
  ]
}

function FeatureTable({ layer, data, selection }: Props & { selection: Selection }) {
  const view = tableView(columnsOf(data, selection))
  const [isShaping, setShaping] = useState(false)
  const range = useSignal({ first: 0, last: 0 })
  const q = queryValue('q') ?? ''
  const query = { q, sort: view.sort, order: view.order ?? ('asc' as const) }
  const rows = useRows<LayerFeature>(
    async ({ offset, limit }) => ({ ...(await data.rows(query, offset, limit)), nextCursor: null }),
    [q, view.sort, view.order],
  )
  const version = data.version.value
  useEffect(() => {
    // the rows in view stay where they are, so that the focus stays in its cell
    if (rows.count.peek() === undefined) return
    const { first, last } = range.peek()
    rows.forget(first, last)
    void rows.refresh(first, last)
  }, [version])
  const chosen = [...selection.ids.value]
  useEffect(() => {
    const [only] = chosen
    if (chosen.length !== 1 || only === undefined) return
    void data.indexOf(query, only).then((index) => {
      if (index >= 0) rows.shown.value = index
    })
  }, [chosen.join(' '), rows.count.value === undefined])

  const isEmpty = data.summary.value?.count === 0
  return (
    <div class="layer-table">
      <Table
        label={layer.name}
        fileName={layer.name}
        isFilling
        view={view}
        rows={rows}
        selection={selection}
        rowId={({ id }) => id}
        open={({ id }) =>
          () => {
            if (selection.ids.peek().size === 1 && selection.ids.peek().has(id)) return
            selection.clear()
            selection.add([id])
          }}
        countText={(count) => t('layers.featureCount', { count })}
        onRange={(first, last) => {
          range.value = { first, last }
        }}
        filters={
          <>
            <SearchField label={t('layers.searchFeatures')} />
            {may.value.keep && (
              <Button icon="edit" kind="quiet" onClick={() => setShaping(true)}>
                {t('layers.editColumns')}
              </Button>
            )}
          </>
        }
        bulk={
          may.value.keep && (
            <Button
              icon="remove"
              kind="danger"
              onClick={async () => {
                await data.apply({ kind: 'remove', ids: [...selection.ids.peek()] })
                selection.clear()
              }}
            >
              {t('layers.removeFeatures', { count: chosen.length })}
            </Button>
          )
        }
        empty={
          <Empty
            title={isEmpty ? t('layers.noFeatures') : t('layers.noFeaturesFound')}
            text={isEmpty ? t('layers.noFeaturesText') : t('layers.noneFoundText')}
          />
        }
      />
      {isShaping && <ColumnsDialog data={data} onClose={() => setShaping(false)} />}
    </div>
  )
}
