/** Texts in English and Arabic. Apart from the sentences, which the pages of the portal do not load. */
import { isolated } from '../placeholders.ts'

export type Bilingual = { en: string; ar: string }

/** The feature or the row of a file that a fault is in. */
export type Place = { feature: number } | { row: number }
export type FieldText = Bilingual & { place?: Place | undefined }

/** @param fault continues the name of the field */
export const inField = (field: string, { en, ar }: Bilingual): Bilingual => ({
  en: `${field}: ${en}`,
  ar: `${isolated(field)}: ${ar}`,
})

/** @param place none for a value that is not one of many */
export const inPlace = (place: Place | undefined, text: FieldText): FieldText => ({ ...text, place })

export function englishOf({ en, place }: FieldText): string {
  if (place === undefined) return en
  return 'row' in place ? `row ${place.row}: ${en}` : `feature ${place.feature}: ${en}`
}

export function arabicOf({ ar, place }: FieldText): string {
  if (place === undefined) return ar
  return 'row' in place ? `الصف ${place.row}: ${ar}` : `العنصر ${place.feature}: ${ar}`
}
