/** Shared by both watermark tools. */

import { Type } from '@sinclair/typebox'
import { AppError, fieldError } from '../errors.ts'
import { type FieldText, inField } from '../field-texts/bilingual.ts'
import { fieldText } from '../field-texts/field-text.ts'
import type { Position } from '../lib/image/watermark.ts'
import { choice, file, number, text } from './params.ts'
import type { InputFile, Text } from './tool.ts'

/** Titles of watermark positions in forms. */
export const POSITION_TITLES: Record<Position, Text> = {
  diagonal: { en: 'Diagonal', ar: 'قطري' },
  center: { en: 'Centre', ar: 'الوسط' },
  'top-left': { en: 'Top left', ar: 'أعلى اليسار' },
  'top-right': { en: 'Top right', ar: 'أعلى اليمين' },
  'bottom-left': { en: 'Bottom left', ar: 'أسفل اليسار' },
  'bottom-right': { en: 'Bottom right', ar: 'أسفل اليمين' },
}

/** The fields that choose the watermark. */
export const markFields = () => ({
  wm_mode: choice(
    ['text', 'image'],
    {
      title: { en: 'Kind of watermark', ar: 'نوع العلامة المائية' },
      en: 'Whether the watermark is text or an image',
      ar: 'نوع العلامة المائية',
    },
    { default: 'text', titles: { text: { en: 'Text', ar: 'نص' }, image: { en: 'Image', ar: 'صورة' } } },
  ),
  text: Type.Optional(
    text(
      { title: { en: 'Text', ar: 'النص' }, en: 'The text', ar: 'النص' },
      { maxLength: 200 },
      { 'x-svc-usedWhen': { field: 'wm_mode', equals: 'text' } },
    ),
  ),
  logo: Type.Optional({
    ...file('image', {
      title: { en: 'Logo', ar: 'الشعار' },
      en: 'The logo: PNG, JPEG, WebP, BMP, TIFF or GIF',
      ar: 'الشعار: PNG أو JPEG أو WebP أو BMP أو TIFF أو GIF',
    }),
    'x-svc-usedWhen': { field: 'wm_mode', equals: 'image' },
  }),
})

/**
 * The watermark that the caller sent.
 * @throws AppError VALIDATION_FAILED unless exactly one of text and logo was sent, and the mode matches it
 */
export function checkMark(
  mode: 'text' | 'image',
  text: string | undefined,
  logo: InputFile | undefined,
): { text: string } | { logo: InputFile } {
  if (text !== undefined && logo === undefined && mode === 'text') return { text }
  if (logo !== undefined && text === undefined && mode === 'image') return { logo }
  if ((text === undefined) === (logo === undefined)) {
    throw failed('exactlyOne', fieldText(text === undefined ? 'neitherMark' : 'bothMarks'), ['text', 'logo'])
  }
  const [sent, wanted] = text === undefined ? ['logo', 'image'] : ['text', 'text']
  throw failed('mode', fieldText('whenSent', { expected: wanted, field: sent }), ['wm_mode'])
}

const failed = (rule: string, text: FieldText, fields: string[]): AppError =>
  new AppError('VALIDATION_FAILED', {
    message: inField(fields.join(', '), text),
    errors: fields.map((field) => fieldError(field, rule, text)),
  })

export const opacityField = (fallback: number) =>
  number(
    {
      title: { en: 'Opacity', ar: 'العتامة' },
      en: 'Opacity of the watermark, 0.05 to 1',
      ar: 'عتامة العلامة من 0.05 إلى 1',
    },
    { minimum: 0.05, maximum: 1, default: fallback },
  )
