/**
 * Repairs PDFs with a damaged cross-reference table or page tree, which this build of qpdf cannot: pdf-lib reads the
 * objects sequentially, without the table.
 */
import { fieldText } from '../../../field-texts/field-text.ts'
import { InputError } from '../../input-error.ts'

/** @returns a file for qpdf to check. @throws InputError `unreadable` */
export async function repaired(bytes: Uint8Array): Promise<Uint8Array> {
  const { PDFArray, PDFDict, PDFDocument, PDFName } = await import('@cantoo/pdf-lib')
  try {
    const document = await PDFDocument.load(bytes, { updateMetadata: false })
    const key = PDFName.of
    for (const [, object] of document.context.enumerateIndirectObjects()) {
      if (!(object instanceof PDFDict)) continue
      // ISO 32000-1, 7.7.3: an object with kids is a node of the page tree, and an object with a parent and contents is
      // a page
      const kids = document.context.lookup(object.get(key('Kids')))
      if (kids instanceof PDFArray && object.has(key('Count'))) {
        object.set(key('Type'), key('Pages'))
        for (let i = kids.size() - 1; i >= 0; i--)
          if (!(document.context.lookup(kids.get(i)) instanceof PDFDict)) kids.remove(i)
      } else if (object.has(key('Type'))) continue
      else if (object.has(key('Parent')) && (object.has(key('Contents')) || object.has(key('MediaBox'))))
        object.set(key('Type'), key('Page'))
    }
    return await document.save({ updateFieldAppearances: false, addDefaultPage: false })
  } catch (cause) {
    throw new InputError('unreadable', fieldText('pdfDamaged'), cause)
  }
}
