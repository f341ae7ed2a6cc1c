/** Turning pages and taking pages out, as arguments of qpdf. */
import { InputError } from '../input-error.ts'
import { rangesOf, rangeText } from './page-ranges.ts'

export type PageEdits = { args: string[]; remaining: number; rotated: number; deleted: number }

/**
 * @param operations pages count from 0; a page that is both turned and taken out is taken out
 * @throws InputError `operations`, `range`, `delete`
 */
export function pageEdits(
  { rotations = {}, delete: deletions = [] }: { rotations?: Record<string, number>; delete?: number[] },
  pageCount: number,
): PageEdits {
  const rotationList = Object.entries(rotations).map(([page, degrees]) => ({ page: Number(page), degrees }))
  if (rotationList.length + deletions.length === 0)
    throw new InputError('operations', 'must hold at least one rotation or page to delete')
  for (const page of [...rotationList.map((turn) => turn.page), ...deletions])
    if (page >= pageCount) throw new InputError('range', `names page ${page}; the file has 0 to ${pageCount - 1}`)
  const deleted = new Set(deletions)
  if (deleted.size === pageCount) throw new InputError('delete', 'would leave no page')
  const keptPages = Array.from({ length: pageCount }, (_, page) => page).filter((page) => !deleted.has(page))
  // qpdf turns pages by where they are afterwards
  const newNumbers = new Map(keptPages.map((page, i) => [page, i + 1]))
  const rotated = rotationList.filter(({ page }) => newNumbers.has(page))
  const rotate = [90, 180, 270].flatMap((degrees) => {
    const pages = rotated.filter((turn) => turn.degrees === degrees).map(({ page }) => newNumbers.get(page) as number)
    if (pages.length === 0) return []
    const ranges = rangesOf(pages.toSorted((a, b) => a - b))
    return [`--rotate=+${degrees}:${ranges.map(rangeText).join(',')}`]
  })
  const selected = rangesOf(keptPages.map((page) => page + 1))
  const select = deleted.size === 0 ? [] : ['--pages', '.', selected.map(rangeText).join(','), '--']
  return { args: [...select, ...rotate], remaining: keptPages.length, rotated: rotated.length, deleted: deleted.size }
}
