/** The line above a table: filters, count, columns, file; and the line for the selection. */
import { useState } from 'preact/hooks'
import { t } from '../../text/text.ts'
import { Button } from '../button.tsx'
import { attempt, notifyFailure } from '../failure-text.tsx'
import { Icon } from '../icon.tsx'
import { Menu } from '../menu.tsx'
import { saveFile } from '../save-file.ts'
import { notify } from '../toasts.tsx'
import { csvFile, csvLine } from './csv.ts'
import type { TableProps } from './table-props.ts'
import type { Selection } from './table-selection.ts'

/** Longer selections are for an export. */
const MAX_CSV_ROWS = 100_000

export function TableBar<Row>(props: TableProps<Row>) {
  const { view, rows } = props
  const count = rows.count.value
  const searched = props.columnSearch?.value.toLowerCase() ?? ''
  return (
    <div class="table-bar">
      <div class="table-filters">{props.filters}</div>
      <span class="table-count weak number" role="status">
        {count !== undefined && !rows.hasMore.value && props.countText(count)}
      </span>
      <Menu
        label={t('table.columns')}
        button={
          <>
            <Icon name="columns" />
            <span class="table-bar-word">{t('table.columns')}</span>
          </>
        }
        {...(props.columnSearch && { search: props.columnSearch })}
        items={view.columns
          .filter(({ isMain, title }) => !isMain && title.toLowerCase().includes(searched))
          .map((column) => ({
            label: <bdi>{column.title}</bdi>,
            isOption: view.shown.includes(column),
            onSelect: () => view.toggle(column),
          }))}
      />
      {props.hasOwnExport !== true && <CsvButton {...props} />}
    </div>
  )
}

function CsvButton<Row>({ view, rows, fileName }: TableProps<Row>) {
  const [loaded, setLoaded] = useState<number | undefined>(undefined)
  async function save(): Promise<void> {
    try {
      setLoaded(0)
      const all = await rows.all({ most: MAX_CSV_ROWS, onRows: setLoaded })
      const lines = [csvLine(view.shown.map(({ title }) => title))]
      for (const row of all) lines.push(csvLine(view.shown.map(({ csv }) => csv(row))))
      saveFile(`${fileName}.csv`, csvFile(lines))
      if (all.length === MAX_CSV_ROWS) notify(t('table.csvCut', { count: MAX_CSV_ROWS }))
    } catch (error) {
      notifyFailure(error)
    } finally {
      setLoaded(undefined)
    }
  }
  return (
    <Button kind="quiet" icon="download" title={t('table.csvHelp')} disabled={!rows.count.value} onClick={save}>
      {loaded === undefined ? 'CSV' : t('table.csvLoaded', { count: loaded })}
    </Button>
  )
}

/** Above the last rows, so that nothing moves when the first row is selected. */
export function BulkBar<Row>(props: TableProps<Row> & { selection: Selection }) {
  const { selection, rows } = props
  const selected = selection.ids.value.size
  const count = rows.count.value ?? 0
  if (selected === 0) return null
  async function selectAll(): Promise<void> {
    await attempt(async () => {
      selection.add((await rows.all({})).map(props.rowId))
    })
  }
  return (
    <section class="table-bulk" aria-label={t('table.selected', { count: selected })}>
      <strong class="number">{t('table.selected', { count: selected })}</strong>
      {selected < count && (
        <Button kind="quiet" onClick={selectAll}>
          {t('table.selectAll', { count })}
        </Button>
      )}
      <div class="table-bulk-actions">{props.bulk}</div>
      <Button kind="quiet" onClick={selection.clear}>
        {t('table.clear')}
      </Button>
    </section>
  )
}
