/**
 * The size of a unit of page coordinates (ISO 32000-1, table 30: UserUnit), which pdf-lib and PDFium treat as a point.
 */
import type { PDFDocument } from '@cantoo/pdf-lib'

/** @returns points per unit, for each page */
export async function unitsOf(document: PDFDocument): Promise<number[]> {
  const { PDFName, PDFNumber } = await import('@cantoo/pdf-lib')
  return document.getPages().map(({ node }) => {
    const unit = node.lookup(PDFName.of('UserUnit'))
    return unit instanceof PDFNumber && unit.asNumber() > 0 ? unit.asNumber() : 1
  })
}
