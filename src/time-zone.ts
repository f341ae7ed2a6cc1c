/** Whether a text is an IANA time zone. */
export function isTimeZone(text: string): boolean {
  // Intl also accepts UTC offsets, which are not time zone names
  if (!/^[A-Za-z][\w+-]*(\/[\w+-]+)*$/.test(text)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: text })
    return true
  } catch {
    return false
  }
}
