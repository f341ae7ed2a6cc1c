/**
 * Handles page entries of a wrong type as readers do: annotations that are not a list are ignored, a page without a
 * size is US Letter, and a crop box outside the page is ignored. pdf-lib would fail on them in the middle of other
 * work.
 */
import type { PDFDict, PDFDocument, PDFObject, PDFPageLeaf } from '@cantoo/pdf-lib'

type Pdf = typeof import('@cantoo/pdf-lib')

type Sides = readonly [number, number, number, number]
type Num = import('@cantoo/pdf-lib').PDFNumber

const LETTER: Sides = [0, 0, 612, 792]
/** Resource categories to which entries may be added. */
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

  /**
   * From the lower left to the upper right corner; the file may state any two opposite corners (ISO 32000-1, 7.9.5).
   */
  const boxOf = (name: string): Sides | undefined => {
    const value = inherited(name)
    if (!(value instanceof PDFArray) || !isBox(value)) return undefined
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = value.asArray().map((side) => (context.lookup(side) as Num).asNumber())
    return [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)]
  }
  const hasArea = ([left, bottom, right, top]: Sides): boolean => right > left && top > bottom
  const given = boxOf('MediaBox')
  const media = given !== undefined && hasArea(given) ? given : LETTER
  node.set(PDFName.of('MediaBox'), context.obj([...media]))
  const crop = boxOf('CropBox')
  if (inherited('CropBox') !== undefined) {
    const visible: Sides =
      crop === undefined
        ? media
        : [
            Math.max(crop[0], media[0]),
            Math.max(crop[1], media[1]),
            Math.min(crop[2], media[2]),
            Math.min(crop[3], media[3]),
          ]
    node.set(PDFName.of('CropBox'), context.obj([...(hasArea(visible) ? visible : media)]))
  }
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
