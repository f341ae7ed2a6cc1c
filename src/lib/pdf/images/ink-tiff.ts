/** Wraps samples of four inks in a TIFF, because libvips does not take CMYK as raw samples. */

type Form = { width: number; height: number; profile?: Uint8Array | undefined }

/** TIFF 6.0: tags of the directory, in ascending order, and the types of their values. */
const [SHORT, LONG, UNDEFINED] = [3, 4, 7]
const HEADER_BYTES = 8
const ENTRY_BYTES = 12
const INKS = 4
const SEPARATED = 5

/** @param samples a byte for each ink of each pixel */
export function inkTiff(samples: Uint8Array, { width, height, profile }: Form): Buffer {
  const entries = (bitsAt: number, profileAt: number): [tag: number, type: number, count: number, value: number][] => [
    [256, LONG, 1, width],
    [257, LONG, 1, height],
    [258, SHORT, INKS, bitsAt],
    [259, SHORT, 1, 1],
    [262, SHORT, 1, SEPARATED],
    [273, LONG, 1, HEADER_BYTES],
    [277, SHORT, 1, INKS],
    [278, LONG, 1, height],
    [279, LONG, 1, samples.length],
    ...(profile ? [[34675, UNDEFINED, profile.length, profileAt] as [number, number, number, number]] : []),
  ]
  const directoryAt = HEADER_BYTES + samples.length
  const bitsAt = directoryAt + 2 + ENTRY_BYTES * entries(0, 0).length + 4
  const profileAt = bitsAt + 2 * INKS
  const file = Buffer.alloc(profileAt + (profile?.length ?? 0))
  file.write('II*\0', 'latin1')
  file.writeUInt32LE(directoryAt, 4)
  file.set(samples, HEADER_BYTES)
  const directory = entries(bitsAt, profileAt)
  file.writeUInt16LE(directory.length, directoryAt)
  for (const [i, [tag, type, count, value]] of directory.entries()) {
    const at = directoryAt + 2 + ENTRY_BYTES * i
    file.writeUInt16LE(tag, at)
    file.writeUInt16LE(type, at + 2)
    file.writeUInt32LE(count, at + 4)
    file.writeUInt32LE(value, at + 8)
  }
  for (let i = 0; i < INKS; i++) file.writeUInt16LE(8, bitsAt + 2 * i)
  if (profile !== undefined) file.set(profile, profileAt)
  return file
}
