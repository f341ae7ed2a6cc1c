/** Page ranges such as `1-3,5,8-`, counted from 1. */
import { fieldText } from '../../../field-texts/field-text.ts'
import { InputError } from '../../input-error.ts'

/** Both ends are included. */
export type PageRange = { first: number; last: number }

const MAX_PARTS = 500

/**
 * Parses `1-3,5,8-`; an open end means the last page.
 * @throws InputError `syntax`, `range`, `order`, `parts`
 */
export function parseRanges(text: string, pageCount: number): PageRange[] {
  const items = text.split(',').map((item) => item.trim())
  if (items.length > MAX_PARTS)
    throw new InputError('parts', fieldText('rangeCount', { count: items.length, most: MAX_PARTS }))
  return items.map((item) => {
    const found = /^(\d{1,9})(?:(-)(\d{1,9})?)?$/.exec(item)
    if (found === null) throw new InputError('syntax', fieldText('pageRanges', { text: item.slice(0, 20) }))
    const first = Number(found[1])
    const last = found[2] === undefined ? first : found[3] === undefined ? pageCount : Number(found[3])
    for (const page of [first, last])
      if (page < 1 || page > pageCount)
        throw new InputError('range', fieldText('noSuchPage', { page, least: 1, most: pageCount }))
    if (last < first) throw new InputError('order', fieldText('pageOrder', { range: item }))
    return { first, last }
  })
}

/** The syntax of qpdf. */
export const rangeText = ({ first, last }: PageRange): string => (first === last ? `${first}` : `${first}-${last}`)

/** Combines ascending page numbers into ranges. */
export function rangesOf(pages: readonly number[]): PageRange[] {
  const ranges: PageRange[] = []
  for (const page of pages) {
    const open = ranges.at(-1)
    if (open !== undefined && open.last + 1 === page) open.last = page
    else ranges.push({ first: page, last: page })
  }
  return ranges
}
