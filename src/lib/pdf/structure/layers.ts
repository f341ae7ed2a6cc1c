/**
 * Layers (optional content, ISO 32000-1, 8.11) of merged files. Their visibility is stored in the catalog, and qpdf
 * keeps only the first file's catalog, so each other file's entry is carried by its first page.
 */
import type { PDFDict, PDFDocument, PDFObject } from '@cantoo/pdf-lib'

const CARRIED = 'GroundwaveLayers'
const LAYERS = 'OCProperties'
/** Lists of a configuration that are concatenated in a merge (table 101). */
const LISTS = ['Order', 'AS', 'RBGroups', 'Locked']

/** Before the merge. */
export async function carryLayers(document: PDFDocument): Promise<void> {
  const { PDFName } = await import('@cantoo/pdf-lib')
  const layers = document.catalog.get(PDFName.of(LAYERS))
  if (layers !== undefined) document.getPage(0).node.set(PDFName.of(CARRIED), layers)
}

/** After the merge: adds the carried entry of a page to the catalog. @param page counted from 0 */
export async function addLayers(document: PDFDocument, page: number): Promise<void> {
  const { PDFArray, PDFDict, PDFName } = await import('@cantoo/pdf-lib')
  const { catalog, context } = document
  const { node } = document.getPage(page)
  const key = PDFName.of
  const dictAt = (holder: PDFDict, name: string): PDFDict => {
    const found = context.lookup(holder.get(key(name)))
    if (found instanceof PDFDict) return found
    const made = PDFDict.withContext(context)
    holder.set(key(name), made)
    return made
  }
  const listAt = (holder: PDFDict, name: string): PDFObject[] => {
    const found = context.lookup(holder.get(key(name)))
    return found instanceof PDFArray ? found.asArray() : []
  }
  const append = (holder: PDFDict, name: string, items: readonly PDFObject[]): void => {
    if (items.length > 0) holder.set(key(name), context.obj([...listAt(holder, name), ...items]))
  }
  const isOff = (config: PDFDict): boolean => config.lookup(key('BaseState')) === key('OFF')

  const added = context.lookup(node.get(key(CARRIED)))
  node.delete(key(CARRIED))
  if (!(added instanceof PDFDict)) return
  const [layers, from] = [dictAt(catalog, LAYERS), dictAt(added, 'D')]
  const to = dictAt(layers, 'D')
  const groups = listAt(added, 'OCGs')
  append(layers, 'OCGs', groups)
  if (!layers.has(key('OCGs'))) layers.set(key('OCGs'), context.obj([]))
  const [on, off] = [listAt(from, 'ON'), listAt(from, 'OFF')]
  const isHidden = (group: PDFObject): boolean => off.includes(group) || (isOff(from) && !on.includes(group))
  if (isOff(to))
    append(
      to,
      'ON',
      groups.filter((group) => !isHidden(group)),
    )
  else append(to, 'OFF', groups.filter(isHidden))
  for (const name of LISTS) append(to, name, listAt(from, name))
}
