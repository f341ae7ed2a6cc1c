/** A number of a person's data: rounded for reading, with its full value on hover and in copies. */
import { formatRounded } from '../../text/format.ts'

export const Figure = ({ value }: { value: number }) => (
  <data class="number" dir="ltr" value={value} title={String(value)}>
    {formatRounded(value)}
  </data>
)

/** What a copy of the selected text has instead of it, if it has rounded numbers. */
export function fullText(selection: Selection): string | undefined {
  if (selection.rangeCount === 0) return undefined
  const range = selection.getRangeAt(0)
  const { commonAncestorContainer: place } = range
  const around = (place instanceof Element ? place : place.parentElement)?.closest('data')
  // a part of a number is copied as it is
  if (around) return selection.toString().trim() === around.textContent?.trim() ? around.value : undefined
  const copied = range.cloneContents()
  const figures = [...copied.querySelectorAll('data')]
  if (figures.length === 0) return undefined
  for (const figure of figures) figure.replaceWith(figure.value)
  const linesOf = (parts: Iterable<Element>, between: string): string | undefined =>
    [...parts].map((part) => textOf(part)).join(between) || undefined
  const textOf = (part: ParentNode & Node): string =>
    linesOf(part.querySelectorAll('[role="gridcell"]'), '\t') ?? part.textContent ?? ''
  return linesOf(copied.querySelectorAll('[role="row"]'), '\n') ?? textOf(copied)
}
