/** The file of a snapshot: a line that names its format, its sections with their lengths, and a CRC-32 of all of it. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'

const FORMAT = Buffer.from('groundwave alerts 1\n')
const LENGTH_BYTES = 8
const CRC_BYTES = 4

/** Writes a section as soon as it is made, so that the memory of one is needed at a time. */
export function writeSnapshot(path: string, sections: Iterable<Uint8Array>): void {
  const file = openSync(path, 'w')
  try {
    let crc = 0
    const write = (bytes: Uint8Array): void => {
      crc = crc32(bytes, crc)
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
    }
    write(FORMAT)
    for (const section of sections) {
      const length = Buffer.alloc(LENGTH_BYTES)
      length.writeDoubleLE(section.length)
      write(length)
      write(section)
    }
    const end = Buffer.alloc(CRC_BYTES)
    end.writeUInt32LE(crc)
    write(end)
  } finally {
    closeSync(file)
  }
}

/** A snapshot that cannot be used. The message says why. */
export class UnreadableSnapshot extends Error {}

/** @returns the sections @throws UnreadableSnapshot */
export function readSnapshot(path: string): Buffer[] {
  const bytes = readFileSync(path)
  if (!bytes.subarray(0, FORMAT.length).equals(FORMAT)) throw new UnreadableSnapshot('it has another format')
  const end = bytes.length - CRC_BYTES
  if (end < FORMAT.length || crc32(bytes.subarray(0, end)) !== bytes.readUInt32LE(end))
    throw new UnreadableSnapshot('its checksum is wrong')
  const sections: Buffer[] = []
  for (let at = FORMAT.length; at < end; ) {
    const length = bytes.readDoubleLE(at)
    at += LENGTH_BYTES
    sections.push(bytes.subarray(at, at + length))
    at += length
  }
  return sections
}
