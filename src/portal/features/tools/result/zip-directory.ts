/** The list of files in a ZIP archive, from its central directory (APPNOTE 6.3.9), without reading the files. */
export type ZipEntry = { name: string; bytes: number; packedBytes: number; modifiedMs: number | undefined }

const END = 0x06054b50
const END_BYTES = 22
const ENTRY = 0x02014b50
const ENTRY_BYTES = 46
/** The end record, with the longest comment after it. */
const MAX_END_BYTES = END_BYTES + 0xffff
const MAX_DIRECTORY_BYTES = 32 * 2 ** 20
const UTF8_FLAG = 0x800
/** The value that refers to a ZIP64 record for the real value. */
const ELSEWHERE = 0xffff_ffff

export class ZipError extends Error {}

/** @param read bytes from `first` to before `end`. @throws ZipError if the archive cannot be listed */
export async function listZip(
  size: number,
  read: (first: number, end: number) => Promise<ArrayBuffer>,
): Promise<ZipEntry[]> {
  const tailFrom = Math.max(0, size - MAX_END_BYTES)
  const tail = new DataView(await read(tailFrom, size))
  let at = tail.byteLength - END_BYTES
  while (at >= 0 && tail.getUint32(at, true) !== END) at--
  if (at < 0) throw new ZipError('no end record')
  const count = tail.getUint16(at + 10, true)
  const bytes = tail.getUint32(at + 12, true)
  const from = tail.getUint32(at + 16, true)
  if (from === ELSEWHERE || bytes > MAX_DIRECTORY_BYTES || from + bytes > size) throw new ZipError('directory')
  const isInTail = from >= tailFrom
  const directory = isInTail
    ? new DataView(tail.buffer, from - tailFrom, bytes)
    : new DataView(await read(from, from + bytes))
  return entriesOf(directory, count)
}

function entriesOf(view: DataView, count: number): ZipEntry[] {
  const entries: ZipEntry[] = []
  for (let at = 0; at + ENTRY_BYTES <= view.byteLength && entries.length < count; ) {
    if (view.getUint32(at, true) !== ENTRY) throw new ZipError('entry')
    const nameBytes = view.getUint16(at + 28, true)
    const next = at + ENTRY_BYTES + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
    if (next > view.byteLength) throw new ZipError('entry')
    const raw = new Uint8Array(view.buffer, view.byteOffset + at + ENTRY_BYTES, nameBytes)
    const isUtf8 = (view.getUint16(at + 8, true) & UTF8_FLAG) !== 0
    entries.push({
      name: nameOf(raw, isUtf8),
      bytes: view.getUint32(at + 24, true),
      packedBytes: view.getUint32(at + 20, true),
      modifiedMs: momentOf(view.getUint16(at + 14, true), view.getUint16(at + 12, true)),
    })
    at = next
  }
  if (entries.length < count) throw new ZipError('entries')
  return entries
}

/** Many programs write UTF-8 without setting the flag. */
function nameOf(raw: Uint8Array, isUtf8: boolean): string {
  try {
    return new TextDecoder('utf-8', { fatal: !isUtf8 }).decode(raw)
  } catch {
    return new TextDecoder('windows-1252').decode(raw)
  }
}

/** In the local time of the archive's author, whose zone is unknown. */
function momentOf(date: number, time: number): number | undefined {
  const [year, month, day] = [1980 + (date >> 9), (date >> 5) & 15, date & 31]
  if (month < 1 || month > 12 || day < 1) return undefined
  return new Date(year, month - 1, day, time >> 11, (time >> 5) & 63, (time & 31) * 2).getTime()
}
