/** Reads a file of lines of JSON in pieces of whole lines, each as the text of a JSON array. */

/** Bytes that are stored at once. */
const PIECE_BYTES = 2 ** 20
const NEWLINE = 10

export async function* jsonArrays(path: string): AsyncGenerator<string> {
  const file = Bun.file(path)
  const { size } = file
  for (let at = 0, wanted = PIECE_BYTES; at < size; ) {
    const bytes = Buffer.from(await file.slice(at, at + wanted).arrayBuffer())
    const end = at + bytes.length >= size ? bytes.length : bytes.lastIndexOf(NEWLINE) + 1
    if (end === 0) {
      wanted *= 2
      continue
    }
    yield `[${bytes.toString('utf8', 0, end).trimEnd().replaceAll('\n', ',')}]`
    at += end
    wanted = PIECE_BYTES
  }
}
