/** The audit log of the enterprise, or of a person. */
import { api, dataOf } from '../../api/client.ts'
import { href, queryValue, setQuery } from '../../shell/router.ts'
import { ownerId } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { Empty } from '../../ui/states.tsx'
import { Table } from '../../ui/table/table.tsx'
import { type LoadRows, useRows } from '../../ui/table/table-rows.ts'
import { tableView } from '../../ui/table/table-view.ts'
import { ChangeDialog } from './audit/change-dialog.tsx'
import { auditColumns } from './audit/columns.tsx'
import { AuditFilters, ExportMenu, type Filters, filtersInAddress } from './audit/filters.tsx'
import type { Entry } from './audit/words.ts'
import { useToolNames } from './usage/tool-names.ts'

export function AuditPage() {
  const owner = ownerId.value ?? ''
  const filters = filtersInAddress()
  const toolName = useToolNames()
  const view = tableView(auditColumns(toolName))
  const load: LoadRows<Entry> = ({ cursor, limit, signal }) => {
    const query = { owner, limit, ...(cursor !== undefined && { cursor }), ...(filters as Filters) }
    return dataOf(api.GET('/manage/v1/audit', { params: { query }, signal }))
  }
  const rows = useRows(load, [owner, ...Object.values(filters)])
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  const opened = queryValue('change')
  return (
    <>
      <PageHead title={t('audit.title')}>
        <ExportMenu owner={owner} filters={filters} />
      </PageHead>
      <Table
        label={t('audit.title')}
        fileName="audit"
        isFilling
        hasOwnExport
        view={view}
        rows={rows}
        rowId={({ id }) => id}
        open={({ id }) =>
          () =>
            setQuery({ change: id }, { push: true })
          }
        countText={(count) => t('audit.count', { count })}
        filters={<AuditFilters owner={owner} filters={filters} />}
        empty={
          isFiltered ? (
            <Empty title={t('audit.noneFound')} text={t('audit.noneFoundText')}>
              <a class="button" href={href('/settings/audit')}>
                {t('audit.clearFilters')}
              </a>
            </Empty>
          ) : (
            <Empty title={t('audit.none')} text={t('audit.noneText')} />
          )
        }
      />
      {opened !== undefined && (
        <ChangeDialog
          key={opened}
          owner={owner}
          id={opened}
          loaded={loadedEntry(rows, opened)}
          toolName={toolName}
          onClose={() => setQuery({ change: undefined })}
        />
      )}
    </>
  )
}

function loadedEntry(rows: ReturnType<typeof useRows<Entry>>, id: string): Entry | undefined {
  for (let i = 0; i < (rows.count.peek() ?? 0); i++) {
    const row = rows.at(i)
    if (row?.id === id) return row
  }
  return undefined
}
