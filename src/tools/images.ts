/** What image tools have in common: opening the picture of a field, and giving one back as a file. */
import { Type } from '@sinclair/typebox'
import { stemOf } from '../lib/file-name.ts'
import { FORMAT_FACTS, type ImageFormat } from '../lib/image/formats.ts'
import { decoding, type OpenImage, openImage } from '../lib/image/image.ts'
import { ofField } from './layers.ts'
import { described, file } from './params.ts'
import type { InputFile, RunContext, ToolResult } from './tool.ts'

export const imageFile = () =>
  file('image', {
    title: { en: 'File', ar: 'الملف' },
    en: 'The picture: PNG, JPEG, WebP, BMP, TIFF or GIF',
    ar: 'الصورة: PNG أو JPEG أو WebP أو BMP أو TIFF أو GIF',
  })

/** What every answer with a picture tells of it. */
export const imageOutput = {
  width: described(Type.Integer(), { en: 'Width of the result in pixels', ar: 'عرض النتيجة بالبكسل' }),
  height: described(Type.Integer(), { en: 'Height of the result in pixels', ar: 'ارتفاع النتيجة بالبكسل' }),
  format: described(Type.String(), { en: 'Format of the result', ar: 'صيغة النتيجة' }),
}

/** @throws AppError INPUT_UNREADABLE or FILE_TOO_LARGE naming the field */
export function openPicture(
  { path }: InputFile,
  field: string,
  { limits }: RunContext,
  formats?: readonly ImageFormat[],
): Promise<OpenImage> {
  return ofField(field, () => openImage(path, { maxPixels: limits.maxPixels, ...(formats && { formats }) }))
}

/**
 * The format that a picture worked on is written in: its own, unless that cannot hold the result.
 * @param size of the result
 */
export function formatOfResult(
  { format, pages }: OpenImage,
  size: { width: number; height: number },
): { format: ImageFormat; warnings: string[] } {
  const { name, maxSide, maxPixels } = FORMAT_FACTS[format]
  const warnings = pages > 1 ? [`Only the first of its ${pages} frames or pages was worked on.`] : []
  if (format === 'gif') warnings.push('The result is PNG, since GIF holds 256 colours only.')
  else if (Math.max(size.width, size.height) > maxSide)
    warnings.push(`The result is PNG, since ${name} holds at most ${maxSide} pixels a side.`)
  else if (size.width * size.height > maxPixels)
    warnings.push(`The result is PNG, since ${name} is written of ${maxPixels / 1e6} megapixels at most.`)
  else return { format, warnings }
  return { format: 'png', warnings }
}

/**
 * Writes the picture of an answer.
 * @param field whose fault it is when the picture breaks off
 * @param suffix what the name of the file tells of the tool
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
  const { extension, mediaType } = FORMAT_FACTS[format]
  const stem = stemOf(source.filename, 'image')
  const filename = `${suffix === '' ? stem : `${stem}_${suffix}`}.${extension}`
  const path = `${scratch}/result.${extension}`
  const { width, height } = await ofField(field, () => decoding(images, () => write(path)))
  return {
    data: { ...more.data, width, height, format },
    files: [{ role: 'output', path, filename, mediaType }],
    warnings: [...(more.warnings ?? [])],
  }
}
