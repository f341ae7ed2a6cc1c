/** Texts of faults in fields: both languages say the same. */
import { expect, test } from 'bun:test'
import { fieldError } from '../../src/errors.ts'
import { inPlace } from '../../src/field-texts/bilingual.ts'
import { fieldText, mustBe, TEXTS } from '../../src/field-texts/field-text.ts'
import { INPUT_SENTENCES } from '../../src/field-texts/input-sentences.ts'
import { SENTENCES, type Sentence } from '../../src/field-texts/sentences.ts'

const ARABIC = /\p{Script=Arabic}/u
const namesIn = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string).sort()

test('each sentence has the same values in both languages, and is in Arabic', () => {
  for (const [key, { en, one = en, ar }] of Object.entries<Sentence>(TEXTS)) {
    expect([key, namesIn(ar), namesIn(one)]).toEqual([key, namesIn(en), namesIn(en)])
    // JSON values are the same in both languages
    if (key !== 'null' && key !== 'constant') expect([key, ar]).toEqual([key, expect.stringMatching(ARABIC)])
  }
})

test('values stand in both languages, so that Arabic keeps the order of their characters', () => {
  expect(fieldText('between', { least: -180, most: 180 })).toEqual({
    en: 'must be from -180 to 180',
    ar: 'المطلوب عدد من \u200e-180 إلى 180.',
  })
  expect(fieldText('oneOf', { values: 'red, green' }).ar).toBe('المطلوب إحدى القيم: \u2068red, green\u2069.')
  expect(fieldText('charactersAtLeast', { least: 1 }).en).toBe('must have at least 1 character')
  expect(fieldText('charactersAtLeast', { least: 8 }).en).toBe('must have at least 8 characters')
  expect(mustBe(fieldText('numberBetween', { least: 1, most: 2 }))).toEqual({
    en: 'must be a number from 1 to 2',
    ar: 'المطلوب عدد من 1 إلى 2.',
  })
})

test('each key has one sentence', () => {
  expect(Object.keys(SENTENCES).filter((key) => key in INPUT_SENTENCES)).toEqual([])
})

test('a fault in a row or a feature names its place', () => {
  const text = inPlace({ row: 5 }, fieldText('csvCells', { count: 3 }))
  const { en, ar } = fieldText('csvCells', { count: 3 })
  expect(fieldError('file', 'cells', text)).toEqual({
    field: 'file',
    rule: 'cells',
    message: `row 5: ${en}`,
    messageAr: `الصف 5: ${ar}`,
    row: 5,
  })
})

test('a fault has its text in both languages: the compiler refuses an English text alone', () => {
  // @ts-expect-error
  expect(fieldError('file', 'csv', { en: 'is odd' }).messageAr).toBeUndefined()
  // @ts-expect-error
  expect(fieldError('file', 'csv', 'is odd').message).toBeUndefined()
})
