/**
 * The type of a catalogue of texts. Each area has a file `<area>.en.ts` and one `<area>.ar.ts` with the same keys; a
 * key that is missing in Arabic, or a placeholder that the text lacks, fails the type check or
 * test/unit/portal/portal-texts.test.ts.
 */
import type { en } from './en.ts'

/** Forms by the categories of Intl.PluralRules; Arabic has six. */
export type Plural = { zero?: string; one?: string; two?: string; few?: string; many?: string; other: string }
/** The shape of a catalogue in another language: the same keys, a plural where English has one. */
export type Translated<T> = {
  [K in keyof T]: T[K] extends string ? string : T[K] extends Plural ? Plural : Translated<T[K]>
}
export type Catalogue = Translated<typeof en>

type Path<T> = {
  [K in keyof T & string]: T[K] extends string | Plural ? K : `${K}.${Path<T[K]>}`
}[keyof T & string]
/** A key such as `sensors.title`. */
export type TextKey = Path<typeof en>
