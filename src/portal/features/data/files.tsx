/** The files of an enterprise or a person, with the state of their scans. */
import { useEffect } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { href, queryValue } from '../../shell/router.ts'
import { may, ownerId } from '../../shell/session.ts'
import { formatBytes, formatWhole } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Empty } from '../../ui/states.tsx'
import { Table } from '../../ui/table/table.tsx'
import { type LoadRows, useRows } from '../../ui/table/table-rows.ts'
import { type Column, tableView } from '../../ui/table/table-view.ts'
import { FileUpload } from './layer-page/file-upload.tsx'
import { ResultFolders } from './layer-page/result-folders.tsx'
import { kindWord, ScanState } from './layer-page/scan-state.tsx'
import { usesText } from './layers/words.ts'

type Answer = Awaited<ReturnType<typeof loadPage>>
type FileRow = Answer['items'][number]

const loadPage = (owner: string, query: object, signal: AbortSignal) =>
  dataOf(api.GET('/manage/v1/owners/{ownerId}/files', { params: { path: { ownerId: owner }, query }, signal }))

/** Scans end within seconds. */
const PENDING_MS = 3_000

const columns = (): Column<FileRow>[] => [
  {
    id: 'name',
    title: t('layers.name'),
    width: 220,
    narrowWidth: 150,
    grow: 3,
    isMain: true,
    sort: { by: 'name', first: 'asc' },
    cell: ({ id, name }) => (
      <a class="cut" href={href('/data/files/:id', { id })}>
        <bdi>{name}</bdi>
      </a>
    ),
    csv: ({ name }) => name,
  },
  {
    id: 'scan',
    title: t('files.scan'),
    width: 130,
    narrowWidth: 110,
    cell: ({ scanStatus }) => <ScanState status={scanStatus} />,
    csv: ({ scanStatus }) => scanStatus ?? '',
  },
  {
    id: 'kind',
    title: t('files.kind'),
    width: 110,
    isWideOnly: true,
    cell: ({ kind }) => kindWord(kind),
    csv: ({ kind }) => kind ?? '',
  },
  {
    id: 'size',
    title: t('layers.size'),
    width: 100,
    isNumber: true,
    cell: ({ bytes }) => (bytes === null ? '–' : formatBytes(bytes)),
    csv: ({ bytes }) => bytes ?? '',
  },
  {
    id: 'versions',
    title: t('files.versions'),
    width: 100,
    isNumber: true,
    isWideOnly: true,
    cell: ({ versions }) => formatWhole(versions.length),
    csv: ({ versions }) => versions.length,
  },
  {
    id: 'changed',
    title: t('layers.changed'),
    width: 120,
    grow: 1,
    isWideOnly: true,
    sort: { by: 'changed', first: 'desc' },
    cell: ({ updatedAt }) => <Age at={updatedAt} />,
    csv: ({ updatedAt }) => updatedAt,
  },
  {
    id: 'uses',
    title: t('layers.usedBy'),
    width: 150,
    grow: 1,
    isWideOnly: true,
    cell: ({ usedBy }) => <span class="cut">{usesText(usedBy)}</span>,
    csv: ({ usedBy }) => usesText(usedBy),
  },
]

export function FilesPage() {
  const owner = ownerId.value as string
  const view = tableView(columns(), { sort: 'changed' })
  const q = queryValue('q')
  const load: LoadRows<FileRow> = ({ limit, cursor, signal }) =>
    loadPage(
      owner,
      {
        limit,
        sort: view.sort,
        order: view.order,
        ...(cursor !== undefined && { cursor }),
        ...(q !== undefined && { q }),
      },
      signal,
    )
  const rows = useRows(load, [owner, view.sort, view.order, q])
  const isNew = rows.count.value === 0 && q === undefined
  const version = rows.version.value
  useEffect(() => {
    const isPending = Array.from({ length: rows.count.peek() ?? 0 }, (_, i) => rows.at(i)).some(
      (row) => row?.scanStatus === 'pending',
    )
    if (!isPending) return
    const timer = setTimeout(() => rows.reload(), PENDING_MS)
    return () => clearTimeout(timer)
  }, [version])
  return (
    <>
      <PageHead title={t('files.title')} />
      {may.value.keep && (
        <FileUpload
          label={t('files.upload')}
          path={`/manage/v1/owners/${encodeURIComponent(owner)}/files`}
          onDone={() => rows.reload()}
        />
      )}
      <ResultFolders />
      {isNew ? (
        <Empty title={t('files.empty')} text={t('files.emptyText')} docs={t('frame.docs')}>
          {!may.value.keep && <p>{t('layers.askAdministrator')}</p>}
        </Empty>
      ) : (
        <Table
          label={t('files.title')}
          fileName="files"
          isFilling
          view={view}
          rows={rows}
          rowId={({ id }) => id}
          open={({ id }) => `/data/files/${encodeURIComponent(id)}`}
          countText={(count) => t('files.count', { count })}
          filters={<SearchField label={t('files.search')} />}
          empty={
            <Empty title={t('files.noneFound')} text={t('layers.noneFoundText')}>
              <a class="button" href={href('/data/files')}>
                <Icon name="close" />
                <span>{t('layers.clearSearch')}</span>
              </a>
            </Empty>
          }
        />
      )}
    </>
  )
}
