/** The portal's texts for failures: every code and every rule of a schema has one in both languages. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { ValueErrorType } from '@sinclair/typebox/errors'
import { READING_TEXTS } from '../../../src/analytics/fleet/refusals.ts'
import { AppError, CODES, fieldError } from '../../../src/errors.ts'
import { inPlace } from '../../../src/field-texts/bilingual.ts'
import { fieldText } from '../../../src/field-texts/field-text.ts'
import { ruleOf } from '../../../src/schema-rules.ts'

const SRC = join(import.meta.dir, '../../../src')
const ARABIC = /\p{Script=Arabic}/u

test('every rule of a schema has a text', () => {
  const types = Object.values(ValueErrorType).filter((type) => typeof type === 'number')
  const schemas = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'].map((type) => ({ type }))
  for (const type of types)
    for (const schema of [...schemas, {}])
      expect([type, ruleOf({ type, schema }).text.ar]).toEqual([type, expect.stringMatching(ARABIC)])
})

test('every code has a text in both languages, the Arabic one in Arabic', () => {
  for (const [code, texts] of Object.entries(CODES)) {
    expect([code, texts.en]).toEqual([code, expect.stringMatching(/[a-z]/)])
    expect([code, texts.ar]).toEqual([code, expect.stringMatching(ARABIC)])
  }
})

test('every reason to refuse a reading has a text in both languages', async () => {
  const judge = await Bun.file(join(SRC, 'ingest/validate.ts')).text()
  const reasons = [...new Set([...judge.matchAll(/reason: '(\w+)'/g)].map(([, reason]) => reason as string))]
  expect(reasons.length).toBeGreaterThan(5)
  const texts: Record<string, { en: string; ar: string }> = { ...CODES, ...READING_TEXTS }
  for (const reason of reasons) expect([reason, texts[reason]?.ar]).toEqual([reason, expect.stringMatching(ARABIC)])
})

describe('on an Arabic page', () => {
  type Fault = { field: string; rule: string; message: string }
  let words: {
    faultOf: (fault: ReturnType<typeof fieldError>) => Fault
    saidOf: (code: string, sent?: { message?: string; messageAr?: string }) => string | undefined
  }
  beforeAll(async () => {
    // the page's globals that the portal reads when it starts
    const page = { document: { documentElement: { lang: 'ar', dataset: {} } }, navigator: { languages: ['ar'] } }
    for (const [name, value] of Object.entries(page))
      if (!(name in globalThis) || name === 'document') Object.assign(globalThis, { [name]: value })
    // by a path that the compiler does not follow: it checks the browser's code with other libraries
    const texts = (await import(join(SRC, 'portal/text/text.ts'))) as { loadTexts: () => Promise<void> }
    words = (await import(join(SRC, 'portal/text/failures.ts'))) as typeof words
    await texts.loadTexts()
  })

  /** The text without isolates, and without the inserted values. */
  const without = (text: string, values: string[]): string =>
    values.reduce((left, value) => left.replaceAll(value, ''), text.replace(/[\u2066-\u2069]/g, ''))

  test('the limits of a schema are in Arabic with their values', () => {
    const cases: [ValueErrorType, Record<string, unknown>, string[]][] = [
      [ValueErrorType.NumberMinimum, { type: 'number', minimum: 7 }, ['7']],
      [ValueErrorType.IntegerMaximum, { type: 'integer', maximum: 12 }, ['12']],
      [ValueErrorType.NumberExclusiveMinimum, { type: 'number', exclusiveMinimum: 0 }, ['0']],
      [ValueErrorType.NumberMultipleOf, { type: 'number', multipleOf: 3 }, ['3']],
      [ValueErrorType.StringMinLength, { type: 'string', minLength: 1 }, ['1']],
      [ValueErrorType.StringMaxLength, { type: 'string', maxLength: 200, description: 'A name (short)' }, ['200']],
      [ValueErrorType.ArrayMaxItems, { type: 'array', maxItems: 5 }, ['5']],
      [ValueErrorType.ObjectMaxProperties, { type: 'object', maxProperties: 1 }, ['1']],
      [ValueErrorType.Array, { type: 'array', minItems: 2, maxItems: 9 }, ['2', '9']],
      [ValueErrorType.Integer, { type: 'integer', minimum: 1, maximum: 40 }, ['1', '40']],
      [ValueErrorType.Union, { enum: ['red', 'green'] }, ['red, green']],
    ]
    for (const [type, schema, values] of cases) {
      const { rule, text } = ruleOf({ type, schema })
      const { message } = words.faultOf(fieldError('body.x', rule, text))
      for (const value of values) expect(message).toContain(value)
      expect(without(message, values)).not.toMatch(/[a-z]/i)
    }
  })

  test('a failure is explained by the message in Arabic, or by the text of the code', () => {
    expect(words.saidOf('CONFLICT')).toBe(CODES.CONFLICT.ar)
    expect(words.saidOf('CONFLICT', { message: CODES.CONFLICT.en })).toBe(CODES.CONFLICT.ar)
    const { message, messageAr } = new AppError('CONFLICT', { message: fieldText('lastOwner') })
    expect(words.saidOf('CONFLICT', { message, messageAr })).toBe(fieldText('lastOwner').ar)
  })

  test('a feature or a row is named by its number', () => {
    const sent = fieldError('file', 'closed', inPlace({ feature: 12 }, fieldText('openRing', { ring: 0 })))
    expect(sent).toMatchObject({ message: expect.stringMatching(/^feature 12: ring 0 is not closed/), feature: 12 })
    const { message } = words.faultOf(sent)
    expect(message).toContain('12')
    expect(message).toContain('غير مغلقة')
  })
})
