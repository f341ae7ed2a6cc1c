/** Sizes of files in powers of 1024, as the limits of the server are. */
const UNITS = ['bytes', 'kibibytes', 'mebibytes', 'gibibytes', 'tebibytes'] as const

/** @returns the largest unit that the size fills, and how many of it, with one decimal */
export function sizeOf(bytes: number): { unit: (typeof UNITS)[number]; count: number } {
  // a size that would be rounded to 1,024 KiB is 1 MiB
  const power = Math.max(
    0,
    UNITS.findLastIndex((_, i) => bytes / 1024 ** i >= 0.99995),
  )
  return { unit: UNITS[power] ?? 'bytes', count: Math.round((bytes / 1024 ** power) * 10) / 10 }
}
