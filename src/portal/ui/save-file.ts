/** Downloads a file to the person's device. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  // characters that some file systems reject
  link.download = name
    .replace(/[\\/:*?"<>|\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .slice(0, 120)
  link.click()
  // the browser reads the blob while it saves
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
