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
