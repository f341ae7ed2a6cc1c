/** What image tools share: opening the image of a field, and writing the result image. */
import { stemOf } from '../lib/file-name.ts'
import { FORMAT_PROPERTIES, type ImageFormat } from '../lib/image/formats.ts'
import { decoding, isDamaged, type OpenImage, openImage } from '../lib/image/image.ts'
import { ofField } from './layers.ts'
import { file, integerResult, textResult } from './params.ts'
import type { InputFile, RunContext, ToolResult } from './tool.ts'

/** What tools with images as input and result have in common. */
export const IMAGE_TOOL = { lane: 'bun', async: true, inputKind: 'image', outputKind: 'image' } as const

export const imageFile = () =>
  file('image', {
    title: { en: 'File', ar: 'الملف' },
    en: 'The image: PNG, JPEG, WebP, BMP, TIFF or GIF',
    ar: 'الصورة: PNG أو JPEG أو WebP أو BMP أو TIFF أو GIF',
  })

/** What every response with an image says about it. */
export const imageOutput = {
  width: integerResult('Width of the result in pixels', 'عرض النتيجة بالبكسل'),
  height: integerResult('Height of the result in pixels', 'ارتفاع النتيجة بالبكسل'),
  format: textResult('Format of the result', 'صيغة النتيجة'),
}

/** @throws AppError INPUT_UNREADABLE or FILE_TOO_LARGE naming the field */
export function openImageFile(
  { path }: InputFile,
  field: string,
  { limits }: RunContext,
  formats?: readonly ImageFormat[],
): Promise<OpenImage> {
  return ofField(field, () => openImage(path, { maxPixels: limits.maxPixels, ...(formats && { formats }) }))
}

/**
 * The format of the result: that of the source, unless it cannot hold the result.
 * @param size of the result
 */
export function formatOfResult(
  { format, pages }: OpenImage,
  size: { width: number; height: number },
): { format: ImageFormat; warnings: string[] } {
  const { name, maxSide, maxPixels } = FORMAT_PROPERTIES[format]
  const warnings = pages > 1 ? [`Only the first of its ${pages} frames or pages was processed.`] : []
  if (format === 'gif') warnings.push('The result is PNG because GIF is limited to 256 colours.')
  else if (Math.max(size.width, size.height) > maxSide)
    warnings.push(`The result is PNG because ${name} is limited to ${maxSide} pixels a side.`)
  else if (size.width * size.height > maxPixels)
    warnings.push(`The result is PNG because ${name} is limited to ${maxPixels / 1e6} megapixels here.`)
  else return { format, warnings }
  return { format: 'png', warnings }
}

/** @returns a warning for each image whose pixels could be read in spite of damage */
export async function damageWarnings(images: readonly OpenImage[], nameOf: (i: number) => string): Promise<string[]> {
  const warnings: string[] = []
  for (const [i, image] of images.entries())
    if (await isDamaged(image))
      warnings.push(`The JPEG in ${nameOf(i)} is damaged: parts of its picture may be shifted or have other colours.`)
  return warnings
}

/**
 * Writes the image of a response.
 * @param field the field to name when an image is truncated
 * @param suffix appended to the file name, to show which tool created it
 */
export async function imageResult(
  images: readonly OpenImage[],
  field: string,
  source: InputFile,
  format: ImageFormat,
  suffix: string,
  { scratch }: RunContext,
  write: (path: string) => Promise<{ width: number; height: number }>,
  more: { data?: Record<string, unknown>; warnings?: readonly string[] } = {},
): Promise<ToolResult> {
  const { extension, mediaType } = FORMAT_PROPERTIES[format]
  const stem = stemOf(source.filename, 'image')
  const filename = `${suffix === '' ? stem : `${stem}_${suffix}`}.${extension}`
  const path = `${scratch}/result.${extension}`
  const [{ width, height }, damage] = await Promise.all([
    ofField(field, () => decoding(images, () => write(path))),
    // on this thread, while libvips works on others
    damageWarnings(images, (i) => (images.length > 1 ? `${field}.${i}` : field)),
  ])
  return {
    data: { ...more.data, width, height, format },
    files: [{ role: 'output', path, filename, mediaType }],
    warnings: [...(more.warnings ?? []), ...damage],
  }
}
