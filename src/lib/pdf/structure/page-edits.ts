/** Builds the arguments of qpdf that rotate and delete pages. */
import { fieldText } from '../../../field-texts/field-text.ts'
import { InputError } from '../../input-error.ts'
import { rangesOf, rangeText } from './page-ranges.ts'

export type PageEdits = { args: string[]; remaining: number; rotated: number; deleted: number }

/**
 * @param operations pages count from 0; a page that is both rotated and deleted is deleted
 * @throws InputError `operations`, `range`, `delete`
 */
export function pageEdits(
  { rotations = {}, delete: deletions = [] }: { rotations?: Record<string, number>; delete?: number[] },
  pageCount: number,
): PageEdits {
  const rotationList = Object.entries(rotations).map(([page, degrees]) => ({ page: Number(page), degrees }))
  if (rotationList.length + deletions.length === 0) throw new InputError('operations', fieldText('pageEdits'))
  for (const page of [...rotationList.map((rotation) => rotation.page), ...deletions])
    if (page >= pageCount)
      throw new InputError('range', fieldText('noSuchPage', { page, least: 0, most: pageCount - 1 }))
  const deleted = new Set(deletions)
  if (deleted.size === pageCount) throw new InputError('delete', fieldText('leavesPage'))
  const remainingPages = Array.from({ length: pageCount }, (_, page) => page).filter((page) => !deleted.has(page))
  // qpdf rotates by the page numbers of the output
  const newNumbers = new Map(remainingPages.map((page, i) => [page, i + 1]))
  const rotated = rotationList.filter(({ page }) => newNumbers.has(page))
  const rotate = [90, 180, 270].flatMap((degrees) => {
    const pages = rotated
      .filter((rotation) => rotation.degrees === degrees)
      .map(({ page }) => newNumbers.get(page) as number)
    if (pages.length === 0) return []
    const ranges = rangesOf(pages.toSorted((a, b) => a - b))
    return [`--rotate=+${degrees}:${ranges.map(rangeText).join(',')}`]
  })
  const selected = rangesOf(remainingPages.map((page) => page + 1))
  const select = deleted.size === 0 ? [] : ['--pages', '.', selected.map(rangeText).join(','), '--']
  return {
    args: [...select, ...rotate],
    remaining: remainingPages.length,
    rotated: rotated.length,
    deleted: deleted.size,
  }
}
