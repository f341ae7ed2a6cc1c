/** Texts of faults in fields: both languages say the same. */
import { expect, test } from 'bun:test'
import { fieldError } from '../../src/errors.ts'
import { arabicOf, englishOf, fieldText, inPlace, mustBe } from '../../src/field-texts/field-text.ts'
import { SENTENCES, type Sentence } from '../../src/field-texts/sentences.ts'

const ARABIC = /\p{Script=Arabic}/u
const namesIn = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string).sort()

test('each sentence has the same values in both languages, and is in Arabic', () => {
  for (const [key, { en, one = en, ar }] of Object.entries<Sentence>(SENTENCES)) {
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

test('a sentence without a key gets the general Arabic text of its rule, and the place of the fault', () => {
  const text = inPlace({ row: 5 }, 'is odd')
  expect([englishOf(text), arabicOf('csv', text)]).toEqual(['row 5: is odd', 'الصف 5: تعذّرت قراءة الملف بصيغة CSV.'])
  expect(fieldError('file', 'csv', text)).toEqual({
    field: 'file',
    rule: 'csv',
    message: 'row 5: is odd',
    messageAr: 'الصف 5: تعذّرت قراءة الملف بصيغة CSV.',
    isGeneralAr: true,
    row: 5,
  })
})
