/** A person's choices for a table: order and columns, in the address. */
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { queryValue, setQuery } from '../../shell/router.ts'
import type { CsvValue } from './csv.ts'

export type Order = 'asc' | 'desc'

export type Column<Row> = {
  id: string
  title: string
  /** Width in pixels; the minimum, if the column also grows. */
  width: number
  /** On a narrow screen, instead of `width`. */
  narrowWidth?: number
  /** Share of the remaining width. */
  grow?: number
  /** For numbers, which are aligned by digit. */
  isNumber?: boolean
  /** Its name on the server, if the server can sort by it, and the preferred first order. */
  sort?: { by: string; first: Order }
  cell: (row: Row) => ComponentChildren
  /** The same for a CSV file. */
  csv: (row: Row) => CsvValue
  /** Not shown until it is chosen. */
  isExtra?: boolean
  /** Not shown on a narrow screen until it is chosen, nor on a tablet without room for it. */
  isWideOnly?: boolean
  /** Not shown until it is chosen, if it would push others out of view: on laptops and smaller screens. */
  isRoomyOnly?: boolean
  /** Names the row; it is always shown. */
  isMain?: boolean
}

export type TableView<Row> = {
  columns: Column<Row>[]
  shown: Column<Row>[]
  sort: string | undefined
  order: Order | undefined
  sortBy(column: Column<Row>): void
  toggle(column: Column<Row>): void
}

export const NARROW = matchMedia('(max-width: 720px)')
const TABLET = matchMedia('(max-width: 1024px)')
const ROOMY = matchMedia('(min-width: 1440px)')
/** The frame, and the checkboxes, beside the columns of a tablet's table. */
const BESIDE_PX = 142

/** Tables follow a device that is turned. */
const windowPx = signal(innerWidth)
addEventListener('resize', () => {
  windowPx.value = innerWidth
})

/** On a tablet, columns are left out, the last first, until no column is cut by the edge. */
function fitting<Row>(columns: Column<Row>[]): Column<Row>[] {
  let missing = columns.reduce((sum, { width }) => sum + width, BESIDE_PX) - windowPx.value
  if (!TABLET.matches || NARROW.matches) return columns
  return columns
    .toReversed()
    .filter(({ isWideOnly, width }) => {
      const isLeftOut = isWideOnly === true && missing > 0
      if (isLeftOut) missing -= width
      return !isLeftOut
    })
    .toReversed()
}

/**
 * @param options `prefix` distinguishes the tables of one page in the address; `sort` is the initial column, by its
 * name on the server
 */
export function tableView<Row>(
  columns: Column<Row>[],
  { prefix = '', sort: firstSort }: { prefix?: string; sort?: string } = {},
): TableView<Row> {
  const name = (part: string): string => (prefix === '' ? part : `${prefix}-${part}`)
  const usual = fitting(
    columns.filter(
      ({ isExtra, isWideOnly, isRoomyOnly }) =>
        !isExtra && !(isWideOnly && NARROW.matches) && !(isRoomyOnly && !ROOMY.matches),
    ),
  )
  const chosen = queryValue(name('columns'))?.split(',')
  const shown = chosen === undefined ? usual : columns.filter(({ id, isMain }) => isMain || chosen.includes(id))
  const sorted =
    columns.find(({ sort }) => sort !== undefined && sort.by === queryValue(name('sort'))) ??
    columns.find(({ sort }) => sort !== undefined && sort.by === firstSort)
  const asked = queryValue(name('order'))
  const order = asked === 'asc' || asked === 'desc' ? asked : sorted?.sort?.first
  return {
    columns,
    shown,
    sort: sorted?.sort?.by,
    order: sorted === undefined ? undefined : order,
    sortBy({ sort }) {
      if (sort === undefined) return
      const isSame = sort.by === sorted?.sort?.by
      const next = isSame ? (order === 'asc' ? 'desc' : 'asc') : sort.first
      setQuery({
        [name('sort')]: sort.by === firstSort ? undefined : sort.by,
        [name('order')]: next === sort.first ? undefined : next,
      })
    },
    toggle(column) {
      const ids = shown.includes(column)
        ? shown.filter((one) => one !== column)
        : columns.filter((one) => one === column || shown.includes(one))
      const isUsual = ids.length === usual.length && ids.every((one) => usual.includes(one))
      setQuery({ [name('columns')]: isUsual ? undefined : ids.map(({ id }) => id).join(',') })
    },
  }
}
