// biome-ignore-all lint/a11y/useSemanticElements: rows of a table element cannot be laid out one by one
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names its current cell
/**
 * Many rows: only those in view are drawn, the server sorts and filters, and the address holds order, filters and
 * columns. The table is one stop of the Tab key; arrows move in it, Enter opens a row, Space selects it.
 */
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { navigate } from '../../shell/router.ts'
import { Failure, Skeleton } from '../states.tsx'
import { useVirtual } from '../virtual.ts'
import { fullText } from './figure.tsx'
import { BulkBar, TableBar } from './table-bar.tsx'
import { TableHead, TableRow } from './table-grid.tsx'
import type { TableProps } from './table-props.ts'
import { columnWidths, useWidth } from './table-widths.ts'

const ROW_PX = 36
const PAGE_ROWS = 10

export function Table<Row>(props: TableProps<Row>) {
  const { rows, view, selection } = props
  const id = useId()
  const scrolled = useRef<HTMLDivElement>(null)
  /** The focused cell. */
  const [at, setAt] = useState({ row: 0, column: 0 })
  const [isSpoken, setSpoken] = useState(false)
  const total = rows.count.value ?? 0
  const virtual = useVirtual({
    count: total + (rows.hasMore.value ? 1 : 0),
    rowHeight: ROW_PX,
    headHeight: ROW_PX,
    element: () => scrolled.current,
  })
  const { first, last } = virtual.range()
  useEffect(() => {
    rows.want(first, last)
    props.onRange?.(first, last)
  }, [first, last, rows.version.value])
  useEffect(() => {
    if (scrolled.current) scrolled.current.scrollTop = 0
    setAt(({ column }) => ({ row: 0, column }))
  }, [rows.started.value])

  const { value: shown } = rows.shown
  useEffect(() => {
    if (shown === undefined || rows.count.peek() === undefined) return
    setAt((now) => ({ row: shown, column: now.column }))
    virtual.show(shown)
    rows.shown.value = undefined
  }, [shown, rows.count.value === undefined])

  const columnCount = view.shown.length + (selection ? 1 : 0)
  const row = Math.min(at.row, Math.max(0, total - 1))
  const column = Math.min(at.column, columnCount - 1)
  const cellId = (r: number, c: number): string => `${id}-${r}-${c}`

  function move(toRow: number, toColumn: number): void {
    const next = Math.max(0, Math.min(total - 1, toRow))
    setAt({ row: next, column: Math.max(0, Math.min(columnCount - 1, toColumn)) })
    setSpoken(true)
    virtual.show(next)
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.target !== scrolled.current || total === 0) return
    const forward = document.documentElement.dir === 'rtl' ? -1 : 1
    const targets: Record<string, [number, number]> = {
      ArrowDown: [row + 1, column],
      ArrowUp: [row - 1, column],
      PageDown: [row + PAGE_ROWS, column],
      PageUp: [row - PAGE_ROWS, column],
      ArrowRight: [row, column + forward],
      ArrowLeft: [row, column - forward],
      Home: event.ctrlKey ? [0, column] : [row, 0],
      End: event.ctrlKey ? [total - 1, column] : [row, columnCount - 1],
    }
    const target = targets[event.key]
    const current = rows.at(row)
    if (target !== undefined) move(...target)
    else if (event.key === 'Enter' && current !== undefined) openRow(current)
    else if (event.key === ' ' && current !== undefined && selection) selection.toggle(props.rowId(current))
    else return
    event.preventDefault()
    if (event.shiftKey && selection && target !== undefined) selectBetween(row, target[0])
  }

  function openRow(opened: Row): void {
    const target = props.open?.(opened)
    if (typeof target === 'string') navigate(target)
    else target?.()
  }

  /** The row of the last click, from which a click with Shift selects. */
  const anchor = useRef(0)
  function selectBetween(from: number, to: number): void {
    const found: string[] = []
    for (let i = Math.min(from, to); i <= Math.max(from, to); i++) {
      const one = rows.at(i)
      if (one !== undefined) found.push(props.rowId(one))
    }
    selection?.add(found)
  }

  function onCheck(event: MouseEvent, index: number): void {
    const clicked = rows.at(index)
    if (clicked === undefined) return
    if (event.shiftKey) selectBetween(anchor.current, index)
    else selection?.toggle(props.rowId(clicked))
    anchor.current = index
  }

  /** Without a selection, the value of the focused cell. */
  function onCopy(event: ClipboardEvent): void {
    const selected = getSelection()
    const current = rows.at(row)
    const cell = view.shown[column - (selection ? 1 : 0)]
    const isCell = selected?.isCollapsed !== false && event.target === scrolled.current
    const full = isCell ? current && cell?.csv(current) : selected && fullText(selected)
    if (full === undefined || full === null) return
    event.clipboardData?.setData('text/plain', String(full))
    event.preventDefault()
  }

  const room = useWidth(scrolled)
  const { template, least, isWider } = columnWidths(view.shown, selection ? ROW_PX : 0, room)
  const isEmpty = rows.count.value === 0

  return (
    <div class={props.isFilling ? 'table table-filling' : 'table'}>
      <TableBar {...props} />
      {rows.error.value !== undefined && <Failure error={rows.error.value} onRetry={rows.reload} />}
      <div
        ref={scrolled}
        class={`table-scroll${isSpoken ? ' table-spoken' : ''}${isWider ? ' table-wider' : ''}`}
        role="grid"
        tabIndex={0}
        aria-label={props.label}
        aria-rowcount={rows.hasMore.value ? -1 : total + 1}
        aria-colcount={columnCount}
        aria-multiselectable={selection !== undefined}
        aria-busy={rows.isLoading.value}
        aria-activedescendant={isEmpty || rows.count.value === undefined ? undefined : cellId(row, column)}
        onKeyDown={onKeyDown}
        onCopy={onCopy}
        onPointerDown={() => setSpoken(false)}
        style={{ '--table-columns': template, '--table-least': `${least}px` }}
      >
        <TableHead {...props} />
        {isEmpty ? (
          <div class="table-empty">{props.empty}</div>
        ) : rows.count.value === undefined ? (
          rows.error.value === undefined && <Skeleton lines={12} />
        ) : (
          <div role="rowgroup" class="table-body" style={{ height: `${virtual.totalHeight}px` }}>
            {virtual.items.map(({ index, start }) => (
              <TableRow
                key={index}
                index={index}
                start={start}
                version={rows.version.value}
                row={rows.at(index)}
                columns={view.shown}
                isSelected={selectedAt(props, index)}
                isMarked={index === props.marked}
                current={index === row ? column : undefined}
                cellId={cellId}
                onCheck={selection && onCheck}
                onOpen={props.open && openRow}
              />
            ))}
          </div>
        )}
      </div>
      {selection && <BulkBar {...props} selection={selection} />}
    </div>
  )
}

function selectedAt<Row>({ rows, rowId, selection }: TableProps<Row>, index: number): boolean | undefined {
  const row = rows.at(index)
  return selection === undefined ? undefined : row !== undefined && selection.ids.value.has(rowId(row))
}
