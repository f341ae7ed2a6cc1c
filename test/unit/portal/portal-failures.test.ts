/** The portal's texts for failures: every code and every rule of the server has one in both languages. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { ValueErrorType } from '@sinclair/typebox/errors'
import { READING_TEXTS } from '../../../src/analytics/fleet/refusals.ts'
import { CODES, fieldError } from '../../../src/errors.ts'
import { ARABIC_BY_RULE } from '../../../src/field-texts/arabic-by-rule.ts'
import { inPlace } from '../../../src/field-texts/field-text.ts'
import { ruleOf } from '../../../src/schema-rules.ts'

const SRC = join(import.meta.dir, '../../../src')
const ARABIC = /\p{Script=Arabic}/u

/** Names of rules in the code of the server: rules of fields, and rules that libraries give to inputs. */
const IN_CODE = [
  /\b(?:invalidField|unreadable|batchInvalid|malformed|forbiddenField|invalid|fieldError)\(\s*(?:'[^']*'|`[^`]*`|[\w.]+),\s*'([\w-]+)'/g,
  /\b(?:new (?:InputError|JsonTextError)|failed)\(\s*'([a-z][\w-]*)',/g,
  /\bfieldFailure\(\s*(?:'\w+'|code),\s*(?:'[^']*'|`[^`]*`|[\w.]+),\s*'([\w-]+)'/g,
  /\brule: '([\w-]+)'/g,
  /\.\.\.\(\['[\w.]+', '([\w-]+)'\] as const\)/g,
]
/** Values of `rule` that are no rules: a setting of one tool. */
const NO_RULES = new Set(['kind', 'inside'])

async function rulesInCode(): Promise<string[]> {
  const found = new Set<string>()
  for await (const file of new Bun.Glob('**/*.ts').scan(SRC)) {
    if (file.startsWith('portal/')) continue
    const code = await Bun.file(join(SRC, file)).text()
    for (const pattern of IN_CODE) for (const [, rule] of code.matchAll(pattern)) found.add(rule as string)
  }
  return [...found].filter((rule) => !NO_RULES.has(rule)).sort()
}

test('every rule in the code of the server has a general text in Arabic', async () => {
  const rules = await rulesInCode()
  expect(rules.length).toBeGreaterThan(100)
  expect(rules.filter((rule) => !ARABIC.test(ARABIC_BY_RULE[rule] ?? ''))).toEqual([])
})

test('every rule of a schema has a text', () => {
  const types = Object.values(ValueErrorType).filter((type) => typeof type === 'number')
  const schemas = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'].map((type) => ({ type }))
  const rules = new Set(types.flatMap((type) => [...schemas, {}].map((schema) => ruleOf({ type, schema }).rule)))
  expect([...rules].filter((rule) => !(rule in ARABIC_BY_RULE))).toEqual([])
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
  type Fault = { field: string; rule: string; message: string; original?: string }
  let words: {
    faultOf: (fault: ReturnType<typeof fieldError>) => Fault
    saidOf: (code: string, message: string | undefined) => { message: string; original?: string } | undefined
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

  test('the limits of a schema are in Arabic with their values, and need no original', () => {
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
      const { message, original } = words.faultOf(fieldError('body.x', rule, text))
      for (const value of values) expect(message).toContain(value)
      expect(without(message, values)).not.toMatch(/[a-z]/i)
      expect(original).toBeUndefined()
    }
  })

  test('a rule without a text shows the text of the server', () => {
    const fault = { field: 'file', rule: 'csv', message: 'line 3: Too few fields' }
    const sent = fieldError(fault.field, fault.rule, fault.message)
    expect(words.faultOf(sent)).toEqual({ ...fault, message: ARABIC_BY_RULE.csv as string, original: fault.message })
    const unlisted = words.faultOf(fieldError(fault.field, 'new', fault.message))
    expect(unlisted.message).toBe('القيمة غير صالحة.')
    expect(words.saidOf('CONFLICT', 'The layer is used by "Yard".')).toEqual({
      message: CODES.CONFLICT.ar,
      original: 'The layer is used by "Yard".',
    })
    expect(words.saidOf('CONFLICT', CODES.CONFLICT.en)).toEqual({ message: CODES.CONFLICT.ar })
  })

  test('a feature or a row is named by its number', () => {
    const sent = fieldError('file', 'closed', inPlace({ feature: 12 }, 'ring 0 is not closed'))
    expect(sent).toMatchObject({ message: 'feature 12: ring 0 is not closed', feature: 12 })
    const { message } = words.faultOf(sent)
    expect(message).toContain('12')
    expect(message).toContain(ARABIC_BY_RULE.closed as string)
  })
})
