// biome-ignore-all lint/a11y/useSemanticElements: rows of a table element cannot be laid out one by one
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names its current cell
/** The head and the rows of a table. */
import { useMemo } from 'preact/hooks'
import { t } from '../../text/text.ts'
import { Icon } from '../icon.tsx'
import type { Rows } from './table-rows.ts'
import type { Selection } from './table-selection.ts'
import type { Column, TableView } from './table-view.ts'

type HeadProps<Row> = {
  view: TableView<Row>
  rows: Rows<Row>
  selection?: Selection
  rowId: (row: Row) => string
}

export function TableHead<Row>({ view, rows, selection, rowId }: HeadProps<Row>) {
  const chosen = selection?.ids.value.size ?? 0
  function selectLoaded(): void {
    if (selection === undefined) return
    const loaded: string[] = []
    for (let i = 0; i < (rows.count.peek() ?? 0); i++) {
      const row = rows.at(i)
      if (row !== undefined) loaded.push(rowId(row))
    }
    if (chosen > 0) selection.clear()
    else selection.add(loaded)
  }
  const sorting = (column: Column<Row>) =>
    column.sort?.by !== view.sort || column.sort === undefined
      ? undefined
      : view.order === 'asc'
        ? ('ascending' as const)
        : ('descending' as const)
  return (
    <div role="rowgroup" class="table-head">
      <div role="row" class="table-row" aria-rowindex={1}>
        {selection && (
          <div role="columnheader" class="table-check" aria-colindex={1}>
            <input
              type="checkbox"
              aria-label={t('table.selectLoaded')}
              checked={chosen > 0}
              ref={(element) => {
                if (element) element.indeterminate = chosen > 0 && chosen < (rows.count.value ?? 0)
              }}
              onClick={selectLoaded}
            />
          </div>
        )}
        {view.shown.map((column, i) => (
          <div
            key={column.id}
            role="columnheader"
            class={column.isNumber ? 'table-number' : undefined}
            aria-colindex={i + 1 + (selection ? 1 : 0)}
            aria-sort={sorting(column)}
          >
            {column.sort === undefined ? (
              <span class="cut" dir="auto" title={column.title}>
                {column.title}
              </span>
            ) : (
              <button type="button" onClick={() => view.sortBy(column)}>
                <span class="cut" dir="auto" title={column.title}>
                  {column.title}
                </span>
                <span class="table-order">
                  <Icon name={sorting(column) === 'ascending' ? 'up' : 'down'} size={14} />
                </span>
              </button>
            )}
          </div>
        ))}
      </div>
    </div>
  )
}

type RowProps<Row> = {
  index: number
  start: number
  /** Version of the rows: with it, a row is drawn again only after a change. */
  version: number
  row: Row | undefined
  columns: Column<Row>[]
  isSelected: boolean | undefined
  isMarked: boolean
  /** The focused column, in the row that has the focus. */
  current: number | undefined
  cellId: (row: number, column: number) => string
  onCheck: ((event: MouseEvent, index: number) => void) | undefined
  onOpen: ((row: Row) => void) | undefined
}

export function TableRow<Row>(props: RowProps<Row>) {
  const { index, start, row, columns, isSelected, isMarked, current, cellId } = props
  const offset = isSelected === undefined ? 0 : 1
  return useMemo(
    () => (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys
      <div
        role="row"
        class={props.onOpen ? 'table-row table-link' : 'table-row'}
        aria-rowindex={index + 2}
        aria-selected={isMarked || isSelected}
        style={{ transform: `translateY(${start}px)` }}
        onClick={(event) => {
          // links and controls in a cell handle their keys
          const isOwn = (event.target as Element).closest('a, button, input, label') !== null
          if (!isOwn && row !== undefined && getSelection()?.isCollapsed !== false) props.onOpen?.(row)
        }}
      >
        {isSelected !== undefined && (
          <div role="gridcell" id={cellId(index, 0)} class={cellClass('table-check', current === 0)}>
            {row !== undefined && (
              <input
                type="checkbox"
                tabIndex={-1}
                aria-label={t('table.select')}
                checked={isSelected}
                onClick={(event) => props.onCheck?.(event, index)}
              />
            )}
          </div>
        )}
        {columns.map((column, i) => (
          <div
            key={column.id}
            role="gridcell"
            id={cellId(index, i + offset)}
            class={cellClass(column.isNumber ? 'table-number' : '', current === i + offset)}
          >
            {row === undefined ? <span class="table-missing" /> : column.cell(row)}
          </div>
        ))}
      </div>
    ),
    [index, start, row, columns, isSelected, isMarked, current],
  )
}

const cellClass = (kind: string, isCurrent: boolean): string => `${kind}${isCurrent ? ' table-at' : ''}`
