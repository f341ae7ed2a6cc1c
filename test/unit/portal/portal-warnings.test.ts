/** Warnings of tools and exports on pages in Arabic. */
import { beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { inArabic, inEnglish, warning } from '../../../src/warnings/warning.ts'

const SRC = join(import.meta.dir, '../../../src')

let inLanguage: (english: unknown, arabic: unknown) => string[]
let digits: { value: string }
beforeAll(async () => {
  // the page's globals that the portal reads when it starts
  const page = { document: { documentElement: { lang: 'ar', dataset: {} } }, navigator: { languages: ['ar'] } }
  for (const [name, value] of Object.entries(page))
    if (!(name in globalThis) || name === 'document') Object.assign(globalThis, { [name]: value })
  // by a path that the compiler does not follow: it checks the browser's code with other libraries
  const warnings = (await import(join(SRC, 'portal/text/warnings.ts'))) as { warningsInLanguage: typeof inLanguage }
  const preferences = (await import(join(SRC, 'portal/shell/preferences.ts'))) as { digits: typeof digits }
  inLanguage = warnings.warningsInLanguage
  digits = preferences.digits
})

const found = [
  warning('shapefileColumnsRenamed', { names: ['temperature 10 → temperatur', 'درجة الحرارة → درجة'] }),
  warning('backgroundsLeftOut', { pages: [1, 2, 13] }),
]

test('a page in Arabic shows the Arabic texts', () => {
  expect(inLanguage(inEnglish(found), inArabic(found))).toEqual(inArabic(found))
})

test('a warning without an Arabic text, as in older results, is shown in English', () => {
  expect(inLanguage(inEnglish(found), undefined)).toEqual(inEnglish(found))
  expect(inLanguage(inEnglish(found), inArabic(found).slice(0, 1))).toEqual([
    inArabic(found)[0] as string,
    inEnglish(found)[1] as string,
  ])
  expect(inLanguage(undefined, undefined)).toEqual([])
})

test('numbers have the digits of the person, but not in names', () => {
  digits.value = 'arab'
  const [names, pages] = inLanguage(inEnglish(found), inArabic(found))
  digits.value = 'latn'
  expect(names).toContain('temperature 10 → temperatur')
  expect(pages?.match(/[\d٠-٩]+/g)).toEqual(['١', '٢', '١٣'])
})
