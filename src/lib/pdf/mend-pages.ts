/**
 * Pages whose entries are of a wrong type, as readers take them: what is no list of annotations is none, and a page
 * that does not say its size is US Letter. pdf-lib would fail on each of them in the middle of other work.
 */
import type { PDFDocument, PDFObject, PDFPageLeaf } from '@cantoo/pdf-lib'

type Pdf = typeof import('@cantoo/pdf-lib')

const LETTER = [0, 0, 612, 792]
/** Of a page's resources, those that something may be added to. */
const RESOURCES = ['Font', 'XObject', 'ExtGState']

/** @throws Error when the tree of pages is broken */
export async function mendPages(document: PDFDocument): Promise<void> {
  const pdf = await import('@cantoo/pdf-lib')
  for (const { node } of document.getPages()) mend(node, pdf)
}

function mend(node: PDFPageLeaf, { PDFArray, PDFDict, PDFName, PDFNumber, PDFStream }: Pdf): void {
  const { context } = node
  const inherited = (name: string): PDFObject | undefined =>
    context.lookup(node.getInheritableAttribute(PDFName.of(name)))
  const isBox = (value: PDFObject | undefined): boolean =>
    value instanceof PDFArray &&
    value.size() === 4 &&
    value.asArray().every((side) => context.lookup(side) instanceof PDFNumber)
  const leaveOut = (name: string, isSound: (value: PDFObject) => boolean): void => {
    const value = context.lookup(node.get(PDFName.of(name)))
    if (value !== undefined && !isSound(value)) node.delete(PDFName.of(name))
  }

  if (!isBox(inherited('MediaBox'))) node.set(PDFName.of('MediaBox'), context.obj(LETTER))
  const crop = inherited('CropBox')
  if (crop !== undefined && !isBox(crop)) node.set(PDFName.of('CropBox'), inherited('MediaBox') as PDFObject)
  const rotation = inherited('Rotate')
  if (rotation !== undefined && !(rotation instanceof PDFNumber)) node.set(PDFName.of('Rotate'), PDFNumber.of(0))
  leaveOut('Annots', (value) => value instanceof PDFArray)
  leaveOut('Contents', (value) => value instanceof PDFArray || value instanceof PDFStream)
  const resources = inherited('Resources')
  if (resources instanceof PDFDict) {
    for (const name of RESOURCES) {
      const value = context.lookup(resources.get(PDFName.of(name)))
      if (value !== undefined && !(value instanceof PDFDict)) resources.delete(PDFName.of(name))
    }
  } else if (resources !== undefined) node.set(PDFName.of('Resources'), context.obj({}))
}
