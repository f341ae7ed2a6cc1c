/** CSV (RFC 4180) for people who open it in a spreadsheet. */
export type CsvValue = string | number | boolean | null | undefined

/** A text that a spreadsheet would run as a formula; a number with a sign is none. */
const FORMULA = /^[=+\-@\t\r]/
const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text))

function cell(value: CsvValue): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  const text = FORMULA.test(value) && !isNumber(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export const csvLine = (values: readonly CsvValue[]): string => `${values.map(cell).join(',')}\r\n`

/** Without it, Excel reads UTF-8 as something else. */
const BYTE_ORDER_MARK = '\ufeff'

export const csvFile = (lines: string[]): Blob =>
  new Blob([BYTE_ORDER_MARK, ...lines], { type: 'text/csv;charset=utf-8' })

/** Hands a file to the person, as a download. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  // the download has started by then
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
