/** Warnings: each code has its text in both languages, and values are written in the language of the text. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { readMessage } from '../../src/engine/worker-messages.ts'
import { DOCUMENT } from '../../src/warnings/document.ts'
import { IMAGE } from '../../src/warnings/image.ts'
import { RASTER } from '../../src/warnings/raster.ts'
import { VECTOR } from '../../src/warnings/vector.ts'
import {
  distinctWarnings,
  firstOf,
  inArabic,
  inEnglish,
  inField,
  TEXTS,
  type Warning,
  warning,
} from '../../src/warnings/warning.ts'

const SRC = join(import.meta.dir, '../../src')
const texts = Object.entries<{ en: string; ar: string }>(TEXTS)
const placeholders = (text: string): string[] => [...new Set(text.match(/\{\w+\}/g))].sort()
/** The words of a text, without placeholders. */
const words = (text: string): string => text.replace(/\{\w+\}/g, '')

test('both texts of a code have the same placeholders', () => {
  expect(texts.length).toBeGreaterThan(100)
  for (const [code, { en, ar }] of texts) expect([code, placeholders(ar)]).toEqual([code, placeholders(en)])
})

test('the English text is in English and the Arabic one in Arabic', () => {
  for (const [code, { en, ar }] of texts) {
    expect([code, words(en)]).toEqual([code, expect.not.stringMatching(/\p{Script=Arabic}/u)])
    if (/[a-z]/i.test(words(en))) expect([code, words(ar)]).toEqual([code, expect.stringMatching(/\p{Script=Arabic}/u)])
  }
})

test('no code and no text stands in the tables twice', () => {
  const ofSubjects = [VECTOR, RASTER, IMAGE, DOCUMENT].flatMap((table) => Object.keys(table))
  expect(new Set(ofSubjects).size).toBe(ofSubjects.length)
  const sentences = texts.map(([, { en }]) => en)
  expect(new Set(sentences).size).toBe(sentences.length)
})

test('every code is given somewhere', async () => {
  let code = ''
  for await (const file of new Bun.Glob('{lib,tools,intake,alerts,warnings}/**/*.ts').scan(SRC))
    code += await Bun.file(join(SRC, file)).text()
  expect(texts.filter(([one]) => !code.includes(`'${one}'`)).map(([one]) => one)).toEqual([])
})

test('the compiler checks codes and the names of values', () => {
  // @ts-expect-error: no such code
  const unknown = (): Warning => warning('nothingOfThis')
  // @ts-expect-error: the row is missing
  const missing = (): Warning => warning('rowsWithFewerCells', { n: 1 })
  // @ts-expect-error: no such value
  const more = (): Warning => warning('ringsClosed', { n: 1, row: 2 })
  // @ts-expect-error: values are missing
  const none = (): Warning => warning('ringsClosed')
  // @ts-expect-error: the text has no values
  const superfluous = (): Warning => warning('repaired', { n: 1 })
  expect([unknown, missing, more, none, superfluous]).toHaveLength(5)
})

test('values are filled in, also when they look like placeholders', () => {
  const found = warning('numbersRounded', { decimals: 15, columns: ['{decimals}', '$&', 'b'] })
  expect(inEnglish([found])).toEqual([
    'numbers in a shapefile have at most 15 decimals and 22 digits; some changed in {decimals}, $&, b',
  ])
  const [arabic = ''] = inArabic([found])
  for (const part of ['15', '\u2068{decimals}\u2069', '\u2068$&\u2069', '\u2068b\u2069']) expect(arabic).toContain(part)
})

test('the rest of a long list is a number in the language of the text', () => {
  const pages = [1, 2, 13, 20, 21]
  const cut = warning('backgroundsLeftOut', { pages: firstOf(pages, 3) })
  const whole = warning('backgroundsLeftOut', { pages: firstOf(pages, 5) })
  expect(inEnglish([cut, whole])).toEqual([
    'Background images were left out on pages: 1, 2, 13 and 2 more.',
    'Background images were left out on pages: 1, 2, 13, 20, 21.',
  ])
  for (const text of inArabic([cut, whole])) expect(text).not.toMatch(/[a-z]/i)
  expect(inArabic([cut])[0]?.match(/\d+/g)).toEqual(['1', '2', '13', '2'])
})

test('a warning in a field, or of the file as a whole, is written in the same language', () => {
  const found = warning('gammaNotApplied', { gamma: 0.5 })
  const both = [inField('files.1', found), warning('ofTheFile', { warning: found })]
  expect(inEnglish(both)).toEqual([
    'files.1: its gamma of 0.5 was not applied: the picture may be lighter or darker.',
    'Its gamma of 0.5 was not applied: the picture may be lighter or darker.',
  ])
  const [plain] = inArabic([found])
  expect(inArabic(both)).toEqual([`\u2068files.1\u2069: ${plain}`, plain as string])
})

test('equal warnings are one', () => {
  const [a, b] = [warning('ringsClosed', { n: 1 }), warning('ringsClosed', { n: 2 })]
  expect(distinctWarnings([a, warning('repaired'), b, warning('ringsClosed', { n: 1 })])).toEqual([
    a,
    warning('repaired'),
    b,
  ])
})

test('a worker process may report warnings of the tables only', () => {
  const read = (warnings: unknown) =>
    readMessage(Buffer.from(JSON.stringify({ run: 1, result: { data: {}, warnings }, cachedBytes: 0 })), (text) => text)
  const found = [
    warning('scaleNotApplied', { scale: Number.NaN, offset: Number.POSITIVE_INFINITY }),
    inField('files.0', warning('onlyFirstPartUsed', { n: 2, parts: warning('pages') })),
    warning('valuesClipped', { fields: firstOf(['a', 'b', 'c'], 2) }),
  ]
  const received = read(found) as { result: { warnings: Warning[] } }
  expect(inEnglish(received.result.warnings)).toEqual([
    "Values are as stored: the raster's scale of NaN and offset of Infinity were not applied.",
    'files.0: only the first of 2 pages was used.',
    'Values longer than the visible part of their fields: a, b and 1 more.',
  ])
  for (const wrong of ['a sentence', { code: 'toString' }, { code: 'ringsClosed', values: { n: null } }])
    expect(read([wrong])).toBeUndefined()
  expect(read([{ code: 'inField', values: { field: 'a', warning: { code: 'unknown' } } }])).toBeUndefined()
})
