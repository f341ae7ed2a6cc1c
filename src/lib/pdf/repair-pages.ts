/**
 * Treats pages whose entries are of a wrong type as readers do: annotations that are not a list are ignored, and a page
 * without a size is US Letter. pdf-lib would fail on them in the middle of other work.
 */
import type { PDFDict, PDFDocument, PDFObject, PDFPageLeaf } from '@cantoo/pdf-lib'

type Pdf = typeof import('@cantoo/pdf-lib')

const LETTER = [0, 0, 612, 792]
/** Of a page's resources, those that something may be added to. */
const RESOURCES = ['Font', 'XObject', 'ExtGState']

/** @throws Error when the tree of pages is broken */
export async function repairPages(document: PDFDocument): Promise<void> {
  const pdf = await import('@cantoo/pdf-lib')
  const nodes = document.getPages().map(({ node }) => node)
  for (const node of nodes) repairEntries(node, pdf)
  repairResources(nodes, pdf)
}

function repairEntries(node: PDFPageLeaf, { PDFArray, PDFDict, PDFName, PDFNumber, PDFStream }: Pdf): void {
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
  const resources = inherited('Resources')
  if (resources !== undefined && !(resources instanceof PDFDict)) node.set(PDFName.of('Resources'), context.obj({}))
  leaveOut('Annots', (value) => value instanceof PDFArray)
  leaveOut('Contents', (value) => value instanceof PDFArray || value instanceof PDFStream)
}

/** pdf-lib puts resources into their pages, and fonts into their resources: none of these may contain itself. */
function repairResources(nodes: readonly PDFPageLeaf[], { PDFDict, PDFName }: Pdf): void {
  const all = new Set<PDFDict>()
  for (const node of nodes) {
    const resources = node.Resources()
    if (resources !== undefined) all.add(resources)
  }
  const holders = new Set<PDFObject>([...nodes, ...all])
  for (const resources of all)
    for (const name of RESOURCES) {
      const value = resources.lookup(PDFName.of(name))
      if (value !== undefined && (!(value instanceof PDFDict) || holders.has(value))) resources.delete(PDFName.of(name))
    }
}
