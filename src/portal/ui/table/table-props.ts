/** The props of a table. */
import type { ComponentChildren } from 'preact'
import type { Rows } from './table-rows.ts'
import type { Selection } from './table-selection.ts'
import type { TableView } from './table-view.ts'

export type TableProps<Row> = {
  /** Name of the rows, for a screen reader. */
  label: string
  view: TableView<Row>
  rows: Rows<Row>
  rowId: (row: Row) => string
  /** Address below /portal of a row's page, or an action that opens it. */
  open?: (row: Row) => string | (() => void)
  selection?: Selection
  /** Actions for the selected rows. */
  bulk?: ComponentChildren
  /** Search and filters, at the start of the line above. */
  filters?: ComponentChildren
  /** The number of rows as text: "10,000 sensors". */
  countText: (count: number) => string
  /** A search of the menu of columns, where there are more columns than the menu shows. */
  columnSearch?: { label: string; value: string; onInput: (text: string) => void }
  /** Instead of rows when there are none. */
  empty: ComponentChildren
  /** Name of the CSV file, without its extension. */
  fileName: string
  /** The page offers a file with more than the rows of the table. */
  hasOwnExport?: boolean
  /** Takes the height that the page has left; otherwise it is as high as its rows, up to 480 px. */
  isFilling?: boolean
  /** A highlighted row; `rows.shown` scrolls to it. */
  marked?: number | undefined
  /** Called with the rows in view, to load them again from time to time. */
  onRange?: (first: number, last: number) => void
}
