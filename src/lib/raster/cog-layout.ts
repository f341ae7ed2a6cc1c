/**
 * Checks whether a TIFF has the layout of a Cloud Optimized GeoTIFF (OGC 21-026): the directories come first, so that
 * a client learns where everything is with one request for the start of the file.
 */
import { MASK, REDUCED, type TiffDirectory, type TiffLayout } from './tiff-directory.ts'

/** Rasters up to this side length need neither tiles nor overviews. */
const SMALL_SIDE = 512

const isOverview = ({ subfile }: TiffDirectory): boolean => (subfile & REDUCED) !== 0 && (subfile & MASK) === 0

export const overviewsOf = ({ directories }: TiffLayout): TiffDirectory[] => directories.filter(isOverview)

/** @returns one sentence per broken rule; empty for a COG */
export function cogIssues(layout: TiffLayout): string[] {
  const [main] = layout.directories as [TiffDirectory, ...TiffDirectory[]]
  const overviews = overviewsOf(layout)
  const issues: string[] = []
  const large = Math.max(main.width, main.height) > SMALL_SIDE
  if (large && !main.tiled) issues.push(`It is not tiled: its strips are ${main.width} × ${main.blockHeight} pixels.`)
  if (large && overviews.length === 0)
    issues.push(`It has no overviews, and is larger than ${SMALL_SIDE} pixels a side.`)
  issues.push(
    ...orderOfDirectories(layout, main),
    ...sizesOfOverviews(main, overviews),
    ...orderOfData(main, overviews),
  )
  return issues
}

function orderOfDirectories({ big, structuralBytes, directories }: TiffLayout, main: TiffDirectory): string[] {
  const issues: string[] = []
  // word-aligned, after the header and the optional metadata of GDAL
  const expected = (big ? 16 : 8) + structuralBytes
  if (main.offset !== expected + (expected % 2))
    issues.push(`Its first directory is at byte ${main.offset} instead of directly after the header.`)
  for (const [i, directory] of directories.entries()) {
    const before = directories[i - 1]
    if (before !== undefined && directory.offset < before.offset)
      issues.push(`Directory ${i} comes before directory ${i - 1} in the file.`)
  }
  return issues
}

function sizesOfOverviews(main: TiffDirectory, overviews: readonly TiffDirectory[]): string[] {
  return overviews.flatMap((overview, i) => {
    const before = overviews[i - 1] ?? main
    const name = `Overview ${i + 1} of ${overview.width} × ${overview.height} pixels`
    const issues: string[] = []
    if (overview.width > before.width || overview.height > before.height)
      issues.push(`${name} is larger than the one before it.`)
    if (!overview.tiled && Math.max(overview.width, overview.height) > SMALL_SIDE) issues.push(`${name} is not tiled.`)
    return issues
  })
}

/** Required order of data: the smallest overview first, the full image last, all after the directories. */
function orderOfData(main: TiffDirectory, overviews: readonly TiffDirectory[]): string[] {
  const issues: string[] = []
  const chain = [main, ...overviews].filter(({ firstBlock }) => firstBlock > 0)
  for (const [i, { firstBlock }] of chain.entries()) {
    const next = chain[i + 1]
    if (next !== undefined && firstBlock < next.firstBlock) {
      issues.push('Its data is out of order: the smallest overview must come first and the full image last.')
      break
    }
  }
  const smallest = chain.at(-1)
  if (smallest !== undefined && smallest.firstBlock < smallest.offset)
    issues.push('Its data starts before the directories.')
  return issues
}
