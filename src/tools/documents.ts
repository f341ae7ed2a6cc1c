/** Shared by document tools: opening the PDF of a field, and writing a changed PDF. */
import { join } from 'node:path'
import { stemOf } from '../lib/file-name.ts'
import { countDamagedImages } from '../lib/pdf/images/damaged-images.ts'
import { type OpenPdf, openPdf, type Purpose } from '../lib/pdf/structure/open-pdf.ts'
import { type Warning, warning } from '../warnings/warning.ts'
import { ofField } from './layers.ts'
import { file, integerResult } from './params.ts'
import type { InputFile, OutputFile, RunContext } from './tool.ts'

/** Common properties of tools with PDF input and output. */
export const DOCUMENT_TOOL = { lane: 'bun', async: true, inputKind: 'document', outputKind: 'document' } as const

export const pdfFile = () =>
  file('pdf', {
    title: { en: 'File', ar: 'الملف' },
    en: 'The document: PDF that opens without a password',
    ar: 'المستند: PDF بلا كلمة مرور',
  })

export const pageCount = integerResult('Pages', 'عدد الصفحات')

/** @throws AppError INPUT_UNREADABLE or FILE_TOO_LARGE naming the field */
export function openDocument(
  { path }: InputFile,
  field: string,
  { limits, scratch }: RunContext,
  purpose: Purpose = 'change',
): Promise<OpenPdf> {
  return ofField(field, () => openPdf(path, limits.maxPages, purpose, scratch))
}

/** @returns a warning if pictures are damaged, although tools can decode them */
export async function damagedImageWarnings({ path }: OpenPdf, { limits }: RunContext): Promise<Warning[]> {
  const damaged = await countDamagedImages(path, limits.maxPixels)
  if (damaged === 0) return []
  return [damaged === 1 ? warning('pictureDamaged') : warning('picturesDamaged', { n: damaged })]
}

/**
 * Writes the PDF as changed by qpdf.
 * @param args arguments of qpdf between the names of input and output
 * @param suffix appended to the file name, to show which tool created it
 */
export async function changed(
  document: OpenPdf,
  source: InputFile,
  args: readonly string[],
  suffix: string,
  { scratch }: RunContext,
): Promise<OutputFile> {
  const filename = `${stemOf(source.filename, 'document')}_${suffix}.pdf`
  const path = join(scratch, `result-${suffix}.pdf`)
  await ofField('file', () => document.write(args, path))
  return { role: 'output', path, filename, mediaType: 'application/pdf' }
}
