/** Entries of EXIF data (EXIF 2.32, 4.6.2), a TIFF structure whose offsets are untrusted. */

export type ExifEntries = {
  /** A whole number at an offset; 0 outside of the data. */
  whole(at: number, bytes: number): number
  text(at: number, bytes: number): string
  /** Offsets of the values in a directory, by tag. */
  directory(at: number): Map<number, number>
}

export function exifEntries(exif: Buffer): ExifEntries {
  const tiff = exif.subarray(exif.toString('latin1', 0, 6) === 'Exif\0\0' ? 6 : 0)
  const little = tiff[0] === 0x49
  const whole = (at: number, bytes: number): number =>
    at < 0 || at + bytes > tiff.length ? 0 : little ? tiff.readUIntLE(at, bytes) : tiff.readUIntBE(at, bytes)
  return {
    whole,
    text: (at, bytes) => tiff.toString('latin1', at, at + bytes),
    directory(from) {
      const values = new Map<number, number>()
      for (let at = from + 2, left = whole(from, 2); left > 0 && at < tiff.length; at += 12, left--)
        values.set(whole(at, 2), at + 8)
      return values
    },
  }
}

/** Offset of the first directory's offset. */
export const FIRST_DIRECTORY = 4
