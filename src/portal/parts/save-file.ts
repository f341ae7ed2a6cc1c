/** Hands a file to the person. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  // characters that some file system refuses
  link.download = name
    .replace(/[\\/:*?"<>|\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .slice(0, 120)
  link.click()
  // the browser reads it while it saves
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** A cell of RFC 4180. A text that a spreadsheet would run as a formula gets a quote in front. */
export function csvCell(value: string | number | boolean | null | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
