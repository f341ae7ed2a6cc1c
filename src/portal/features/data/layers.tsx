/** The map layers of an enterprise or a person. */
import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { href, queryValue, setQuery } from '../../shell/router.ts'
import { may, ownerId } from '../../shell/session.ts'
import { formatBytes, formatWhole } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Empty } from '../../ui/states.tsx'
import { Table } from '../../ui/table/table.tsx'
import { type LoadRows, useRows } from '../../ui/table/table-rows.ts'
import { type Column, tableView } from '../../ui/table/table-view.ts'
import { NewLayer } from './layer-page/new-layer.tsx'
import { actorName, geometryWord, usesText } from './layers/words.ts'

type Answer = Awaited<ReturnType<typeof loadPage>>
type LayerRow = Answer['items'][number]
type Sort = 'id' | 'name' | 'changed' | 'features' | 'size'

const loadPage = (owner: string, query: object, signal: AbortSignal) =>
  dataOf(api.GET('/manage/v1/owners/{ownerId}/layers', { params: { path: { ownerId: owner }, query }, signal }))

const columns = (): Column<LayerRow>[] => [
  {
    id: 'name',
    title: t('layers.name'),
    width: 220,
    narrowWidth: 160,
    grow: 3,
    isMain: true,
    sort: { by: 'name', first: 'asc' },
    cell: ({ id, name }) => (
      <a class="cut" href={href('/data/layers/:id', { id })}>
        <bdi>{name}</bdi>
      </a>
    ),
    csv: ({ name }) => name,
  },
  {
    id: 'geometry',
    title: t('layers.geometry'),
    width: 160,
    grow: 1,
    isWideOnly: true,
    cell: ({ dimensions }) => <span class="cut">{geometryWord(dimensions)}</span>,
    csv: ({ dimensions }) => geometryWord(dimensions),
  },
  {
    id: 'features',
    title: t('layers.features'),
    width: 100,
    isNumber: true,
    sort: { by: 'features', first: 'desc' },
    cell: ({ featureCount }) => formatWhole(featureCount),
    csv: ({ featureCount }) => featureCount,
  },
  {
    id: 'size',
    title: t('layers.size'),
    width: 100,
    isNumber: true,
    isWideOnly: true,
    sort: { by: 'size', first: 'desc' },
    cell: ({ bytes }) => formatBytes(bytes),
    csv: ({ bytes }) => bytes,
  },
  {
    id: 'version',
    title: t('layers.version'),
    width: 90,
    isNumber: true,
    isWideOnly: true,
    cell: ({ version }) => formatWhole(version),
    csv: ({ version }) => version,
  },
  {
    id: 'changed',
    title: t('layers.changed'),
    width: 110,
    narrowWidth: 100,
    grow: 1,
    sort: { by: 'changed', first: 'desc' },
    cell: ({ updatedAt }) => <Age at={updatedAt} />,
    csv: ({ updatedAt }) => updatedAt,
  },
  {
    id: 'changedBy',
    title: t('layers.changedBy'),
    width: 170,
    grow: 2,
    isWideOnly: true,
    cell: ({ changedBy }) => (
      <span class="cut">
        <bdi>{actorName(changedBy)}</bdi>
      </span>
    ),
    csv: ({ changedBy }) => actorName(changedBy),
  },
  {
    id: 'uses',
    title: t('layers.usedBy'),
    width: 170,
    grow: 1,
    isWideOnly: true,
    cell: ({ usedBy }) => <span class="cut">{usesText(usedBy)}</span>,
    csv: ({ usedBy }) => usesText(usedBy),
  },
]

export function LayersPage() {
  const owner = ownerId.value as string
  const view = tableView(columns(), { sort: 'changed' })
  const q = queryValue('q')
  const [isMaking, setMaking] = useState(queryValue('new') !== undefined)
  const load: LoadRows<LayerRow> = ({ limit, cursor, signal }) =>
    loadPage(
      owner,
      {
        limit,
        sort: view.sort as Sort,
        order: view.order,
        ...(cursor !== undefined && { cursor }),
        ...(q !== undefined && { q }),
      },
      signal,
    )
  const rows = useRows(load, [owner, view.sort, view.order, q])
  const isNew = rows.count.value === 0 && q === undefined
  const create = may.value.keep && (
    <Button kind="main" icon="add" onClick={() => setMaking(true)}>
      {t('layers.create')}
    </Button>
  )
  return (
    <>
      <PageHead title={t('layers.title')}>{!isNew && create}</PageHead>
      {isNew ? (
        <Empty title={t('layers.empty')} text={t('layers.emptyText')} docs={t('frame.docs')}>
          {may.value.keep ? create : <p>{t('layers.askAdministrator')}</p>}
        </Empty>
      ) : (
        <Table
          label={t('layers.title')}
          fileName="layers"
          isFilling
          view={view}
          rows={rows}
          rowId={({ id }) => id}
          open={({ id }) => `/data/layers/${encodeURIComponent(id)}`}
          countText={(count) => t('layers.count', { count })}
          filters={<SearchField label={t('layers.search')} />}
          empty={
            <Empty title={t('layers.noneFound')} text={t('layers.noneFoundText')}>
              <a class="button" href={href('/data/layers')}>
                <Icon name="close" />
                <span>{t('layers.clearSearch')}</span>
              </a>
            </Empty>
          }
        />
      )}
      {isMaking && (
        <NewLayer
          onClose={() => {
            setMaking(false)
            setQuery({ new: undefined })
          }}
        />
      )}
    </>
  )
}
