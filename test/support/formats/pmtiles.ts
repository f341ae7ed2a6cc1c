/** A PMTiles file (version 3) with one tile, written by the specification: header, directory, metadata, tile. */

const HEADER_BYTES = 127
const NO_COMPRESSION = 1
const PNG = 2

function varints(...values: number[]): number[] {
  const bytes: number[] = []
  for (let value of values) {
    for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) + 128)
    bytes.push(value)
  }
  return bytes
}

/** @param tile PNG of the whole world */
export function pmtilesOf(tile: Uint8Array): Uint8Array {
  // one entry: tile 0, a run of one, its length, its offset plus one
  const directory = Buffer.from(varints(1, 0, 1, tile.length, 1))
  const metadata = Buffer.from('{"attribution":"Test base map"}')
  const header = Buffer.alloc(HEADER_BYTES)
  header.write('PMTiles', 'latin1')
  header.writeUInt8(3, 7)
  const metadataAt = HEADER_BYTES + directory.length
  const dataAt = metadataAt + metadata.length
  const numbers = [HEADER_BYTES, directory.length, metadataAt, metadata.length, dataAt, 0, dataAt, tile.length, 1, 1, 1]
  for (const [i, number] of numbers.entries()) header.writeBigUInt64LE(BigInt(number), 8 + i * 8)
  header.set([1, NO_COMPRESSION, NO_COMPRESSION, PNG, 0, 0], 96)
  for (const [i, degrees] of [-180, -85, 180, 85].entries()) header.writeInt32LE(degrees * 1e7, 102 + i * 4)
  return Buffer.concat([header, directory, metadata, tile])
}
