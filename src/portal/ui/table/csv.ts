/** CSV (RFC 4180) for people who open it in a spreadsheet. */
export type CsvValue = string | number | boolean | null | undefined

/** Text that a spreadsheet would run as a formula. A number with a sign does not count, also with a decimal comma. */
const FORMULA = /^[=+\-@\t\r]/
const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text.replace(',', '.')))

function cell(value: CsvValue): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  const text = FORMULA.test(value) && !isNumber(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export const csvLine = (values: readonly CsvValue[]): string => `${values.map(cell).join(',')}\r\n`

/** Without it, Excel reads UTF-8 as another encoding. */
const BYTE_ORDER_MARK = '\ufeff'

export const csvFile = (lines: (string | Blob)[]): Blob =>
  new Blob([BYTE_ORDER_MARK, ...lines], { type: 'text/csv;charset=utf-8' })

/** Lines joined into blobs, which the browser may keep on disk, unlike strings. */
const PACKED_LINES = 5_000

/** Collects the lines of a file that may have millions of them. */
export function csvCollector() {
  const packed: Blob[] = []
  let lines: string[] = []
  return {
    add(values: readonly CsvValue[]): void {
      lines.push(csvLine(values))
      if (lines.length < PACKED_LINES) return
      packed.push(new Blob(lines))
      lines = []
    },
    file: (title: readonly CsvValue[]): Blob => csvFile([csvLine(title), ...packed, ...lines]),
  }
}
