/** Shared by image tools: opening the image of a field, and writing the result image. */
import { stemOf } from '../lib/file-name.ts'
import { FORMAT_PROPERTIES, type ImageFormat } from '../lib/image/formats.ts'
import { decoding, isDamaged, type OpenImage, openImage, partsOf, withProfileApplied } from '../lib/image/image.ts'
import { inField, type Warning, warning } from '../warnings/warning.ts'
import { ofField } from './layers.ts'
import { file, integerResult, textResult } from './params.ts'
import type { InputFile, RunContext, ToolResult } from './tool.ts'

/** Common properties of tools with image input and output. */
export const IMAGE_TOOL = { lane: 'bun', async: true, inputKind: 'image', outputKind: 'image' } as const

export const imageFile = () =>
  file('image', {
    title: { en: 'File', ar: 'الملف' },
    en: 'The image: PNG, JPEG, WebP, BMP, TIFF or GIF',
    ar: 'الصورة: PNG أو JPEG أو WebP أو BMP أو TIFF أو GIF',
  })

/** Response fields common to all image results. */
export const imageOutput = {
  width: integerResult('Width of the result in pixels', 'عرض النتيجة بالبكسل'),
  height: integerResult('Height of the result in pixels', 'ارتفاع النتيجة بالبكسل'),
  format: textResult('Format of the result', 'صيغة النتيجة'),
}

/**
 * Parts of an image that a tool uses. Unused parts get a warning here. `own` is for a tool with its own warnings,
 * because its settings decide which frames it uses.
 */
export type ImageUse = {
  frames: 'first' | 'own'
  samples: '8-bit sRGB' | 'own'
  formats?: readonly ImageFormat[]
}

export const FIRST_FRAME: ImageUse = { frames: 'first', samples: '8-bit sRGB' }

/** Tolerance between horizontal and vertical resolution for square pixels. */
const SQUARE_TOLERANCE = 0.02

/** @throws AppError INPUT_UNREADABLE or FILE_TOO_LARGE naming the field */
export async function openImageFile(
  { path }: InputFile,
  field: string,
  { limits, warn }: RunContext,
  { frames, samples, formats }: ImageUse,
): Promise<OpenImage> {
  const image = await ofField(field, () =>
    openImage(path, { maxPixels: limits.maxPixels, ...(formats && { formats }) }),
  )
  const { pages, format, depth, space, resolution, unused } = image
  const note = (found: Warning): void => warn(inField(field, found))
  if (frames === 'first' && pages > 1) note(warning('onlyFirstPartUsed', { n: pages, parts: partsOf(format) }))
  if (resolution && Math.abs(resolution.x / resolution.y - 1) > SQUARE_TOLERANCE)
    note(warning('pixelsNotSquare', { x: Math.round(resolution.x), y: Math.round(resolution.y) }))
  if (samples === 'own') return image
  unused.forEach(note)
  if (depth === 16) note(warning('samplesRounded'))
  if (space === 'cmyk') note(warning('cmykConverted'))
  return ofField(field, () => decoding([image], () => withProfileApplied(image)))
}

/**
 * Opens the first frames of a list of files, one after the other: a pipeline of libvips that ends takes the warnings of all
 * others, among them those about colour profiles (lib/image/colour-profile.ts).
 */
export async function openImageFiles(files: readonly InputFile[], context: RunContext): Promise<OpenImage[]> {
  const images: OpenImage[] = []
  for (const [i, file] of files.entries()) images.push(await openImageFile(file, `files.${i}`, context, FIRST_FRAME))
  return images
}

/**
 * The format of the result: the source's format, unless it cannot hold the result.
 * @param size of the result
 */
export function formatOfResult(
  { format, hasAlpha }: OpenImage,
  size: { width: number; height: number },
): { format: ImageFormat; warnings: Warning[] } {
  const { name, alpha, maxSide, maxPixels } = FORMAT_PROPERTIES[format]
  const warnings: Warning[] = []
  if (format === 'gif') warnings.push(warning('pngForColours'))
  else if (Math.max(size.width, size.height) > maxSide)
    warnings.push(warning('pngForSide', { format: name, pixels: maxSide }))
  else if (size.width * size.height > maxPixels)
    warnings.push(warning('pngForArea', { format: name, megapixels: maxPixels / 1e6 }))
  else if (hasAlpha && !alpha) warnings.push(warning('pngForTransparency', { format: name }))
  else return { format, warnings }
  return { format: 'png', warnings }
}

/** @returns a warning for each image whose pixels could be read in spite of damage */
export async function damageWarnings(images: readonly OpenImage[], nameOf: (i: number) => string): Promise<Warning[]> {
  const warnings: Warning[] = []
  for (const [i, image] of images.entries())
    if (await isDamaged(image)) warnings.push(warning('jpegDamaged', { field: nameOf(i) }))
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
  more: { data?: Record<string, unknown>; warnings?: readonly Warning[] } = {},
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
