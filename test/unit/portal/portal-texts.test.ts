/** The texts of the portal: both languages say the same things, and every text is used. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { CODES } from '../../../src/errors.ts'
import { ARABIC_WORDS } from '../../../src/portal/features/tools/data/arabic-words.ts'
import { labelOf } from '../../../src/portal/features/tools/result-view/label.ts'
import { ar } from '../../../src/portal/text/ar.ts'
import { en } from '../../../src/portal/text/en.ts'
import { sizeOf } from '../../../src/portal/text/sizes.ts'
import { loadRegistry } from '../../../src/tools/registry.ts'

const PORTAL = join(import.meta.dir, '../../../src/portal')

type Entry = { key: string; forms: Record<string, string> }

function isPlural(value: object): value is Record<string, string> {
  return typeof (value as { other?: unknown }).other === 'string'
}

function entriesOf(texts: object, before = ''): Entry[] {
  return Object.entries(texts).flatMap(([name, value]: [string, string | object]) => {
    const key = before + name
    if (typeof value === 'string') return [{ key, forms: { other: value } }]
    return isPlural(value) ? [{ key, forms: value }] : entriesOf(value, `${key}.`)
  })
}

const english = entriesOf(en)
const arabic = new Map(entriesOf(ar).map((entry) => [entry.key, entry]))
const placeholders = (text: string): string[] => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort()

test('both languages have the same texts, none is empty', () => {
  expect([...arabic.keys()].sort()).toEqual(english.map(({ key }) => key).sort())
  const all = [...english, ...arabic.values()]
  expect(all.filter(({ forms }) => Object.values(forms).some((text) => text.trim() === ''))).toEqual([])
})

test('a translation has the placeholders of the original', () => {
  const different = english.filter(({ key, forms }) => {
    const translated = arabic.get(key)?.forms.other ?? ''
    return placeholders(forms.other as string).join() !== placeholders(translated).join()
  })
  expect(different.map(({ key }) => key)).toEqual([])
})

test('a text with a plural has every form of its language', () => {
  const formsOf = (language: string): string[] =>
    new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted()
  const lacking = (entries: Iterable<Entry>, language: string): string[] =>
    [...entries]
      .filter(({ forms }) => Object.keys(forms).length > 1)
      .filter(({ forms }) => Object.keys(forms).toSorted().join() !== formsOf(language).join())
      .map(({ key }) => key)
  expect(lacking(english, 'en')).toEqual([])
  expect(lacking(arabic.values(), 'ar')).toEqual([])
})

test('a text with a plural in one language has one in the other', () => {
  const isCounted = (entry: Entry | undefined): boolean => Object.keys(entry?.forms ?? {}).length > 1
  expect(
    english.filter((entry) => isCounted(entry) !== isCounted(arabic.get(entry.key))).map(({ key }) => key),
  ).toEqual([])
})

test('Arabic texts are in Arabic', () => {
  const names = /^[\p{Script=Latin}\p{N}\p{P}\p{S}\s{}]*$/u
  const untranslated = english.filter(({ key, forms }) => {
    const text = arabic.get(key)?.forms.other ?? ''
    // words that are the same everywhere: names of formats, units and zones
    return names.test(text) && text === forms.other && /[a-z]{4}/.test(text) && !/^[A-Za-z]+$/.test(text)
  })
  expect(untranslated.map(({ key }) => key)).toEqual([])
})

test('each state, and each thing that is counted, has one Arabic word everywhere', async () => {
  const texts = [
    ...[...arabic.values()].map(({ key, forms }) => ({ key, text: Object.values(forms).join(' ') })),
    ...Object.entries(CODES).map(([key, { ar: text }]) => ({ key, text })),
  ]
  /** Keys of texts, and the words that belong to other things. */
  const rules: [keys: RegExp, others: RegExp][] = [
    [/held|_HELD$|\bhold/i, /علّق|تعليق/],
    [/suspend/i, /وقوف|إيقاف|أوقف/],
    [/\.pending$/, /معلّق/],
  ]
  expect(
    rules.flatMap(([keys, others]) => texts.filter(({ key, text }) => keys.test(key) && others.test(text))),
  ).toEqual([])
  expect([ar.frame.states.held, ar.operator.status.suspended]).toEqual(['موقوف', 'معلّق'])
  expect(ar.operator.operators.pending).toBe('دعوات بانتظار القبول')
  expect(texts.filter(({ text }) => /رصيد|أرصدة/.test(text))).toEqual([])
  expect([ar.chart.on, ar.chart.off]).toEqual(['نعم', 'لا'])
  const { tools } = await loadRegistry()
  const dissolve = tools.find(({ id }) => id === 'vector.dissolve')
  expect(dissolve?.title.ar).toBe('إذابة الحدود')
  // one form of percentages: the sign follows the number
  expect(texts.filter(({ text }) => /٪|\d %|%\d/.test(text))).toEqual([])
})

test('every text is used', async () => {
  let code = ''
  for await (const file of new Bun.Glob('**/*.{ts,tsx}').scan(PORTAL))
    if (!/^text\/(en|ar)\b/.test(file) && !file.endsWith('.d.ts')) code += await Bun.file(join(PORTAL, file)).text()
  // a key may end in a name that is known only at run time: t(`frame.states.${state}`)
  const prefixes = [...code.matchAll(/`([a-zA-Z]+(?:\.[a-zA-Z]+)*\.)\$\{/g)].map(([, prefix]) => prefix as string)
  const unused = english
    .map(({ key }) => key)
    .filter((key) => !code.includes(`'${key}'`) && !prefixes.some((prefix) => key.startsWith(prefix)))
  expect(unused).toEqual([])
})

test('every figure inside the result of a tool has a name', async () => {
  type Schema = { properties?: Record<string, Schema>; items?: Schema }
  const membersOf = ({ properties, items }: Schema): Record<string, Schema> => properties ?? items?.properties ?? {}
  const namesIn = (schema: Schema): string[] =>
    Object.entries(membersOf(schema)).flatMap(([name, member]) => [name, ...namesIn(member)])
  const { tools } = await loadRegistry()
  const nested = tools.flatMap(({ output }) => Object.values(membersOf(output as Schema)).flatMap(namesIn))
  expect(nested.length).toBeGreaterThan(50)
  expect(nested.filter((name) => !(name in en.figures))).toEqual([])
})

test('labels of results do not mention null, for which the page shows a dash', async () => {
  type Output = { properties?: Record<string, { description?: string | { en: string; ar: string } }> }
  const { tools } = await loadRegistry()
  const texts = tools.flatMap(({ output }) =>
    Object.values((output as Output).properties ?? {}).flatMap(({ description = '' }) =>
      typeof description === 'string' ? [description] : Object.values(description),
    ),
  )
  expect(texts.filter((text) => /\bnull\b/.test(text)).length).toBeGreaterThan(3)
  expect(texts.filter((text) => /\bnull\b/.test(labelOf(text)))).toEqual([])
  expect(texts.filter((text) => !/\bnull\b/.test(text) && labelOf(text) !== text)).toEqual([])
  expect(labelOf('The distance in metres; null if it comes from a column')).toBe('The distance in metres')
  expect(labelOf('المسافة بالأمتار؛ null إن حددها عمود')).toBe('المسافة بالأمتار')
})

test('no Arabic words belong to a tool that does not exist, and all can be typed', async () => {
  const { tools } = await loadRegistry()
  const ids = new Set(tools.map(({ id }) => id))
  expect(Object.keys(ARABIC_WORDS).filter((id) => !ids.has(id))).toEqual([])
  for (const [id, words] of Object.entries(ARABIC_WORDS))
    expect([id, words]).toEqual([id, expect.stringMatching(/^[\u0620-\u064a ]+$/)])
})

test('a size is in the largest unit of 1024 that it fills, with one decimal', () => {
  const shown = (bytes: number): [string, number] => {
    const { unit, count } = sizeOf(bytes)
    return [unit, count]
  }
  expect(shown(0)).toEqual(['bytes', 0])
  expect(shown(1023)).toEqual(['bytes', 1023])
  expect(shown(1024)).toEqual(['kibibytes', 1])
  // never "1,024 KiB"
  expect(shown(2 ** 20 - 1)).toEqual(['mebibytes', 1])
  expect(shown(1_000_000)).toEqual(['kibibytes', 976.6])
  // the limits of the server
  expect(shown(100 * 2 ** 20)).toEqual(['mebibytes', 100])
  expect(shown(512 * 2 ** 20)).toEqual(['mebibytes', 512])
  expect(shown(1.5 * 2 ** 30)).toEqual(['gibibytes', 1.5])
  expect(shown(5_000 * 2 ** 40)).toEqual(['tebibytes', 5_000])
})

test('every unit has a text in both languages', () => {
  for (const texts of [en, ar])
    for (const power of [0, 1, 2, 3, 4]) expect(texts.frame.sizes[sizeOf(1024 ** power).unit]).toBeTruthy()
})
