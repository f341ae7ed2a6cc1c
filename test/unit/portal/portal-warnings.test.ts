/** Warnings of tools and exports on Arabic pages: every sentence in the code has an Arabic text. */
import { beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { ARABIC_WARNINGS } from '../../../src/portal/text/arabic-warnings.ts'

const SRC = join(import.meta.dir, '../../../src')
const ARABIC = /\p{Script=Arabic}/u

/** Where the code writes sentences: pushed, or the last of a list. */
const IN_CODE = [
  /(?:(?:warnings|doubts)\.(?:push|unshift)|\bwarn)\(\s*(`[^`]*`|'[^']*')/g,
  /\bwarnings\b(?: =|:)[^;`']*\[[^;`'\]]*(`[^`]*`|'[^']*')\]/g,
  /Warning\b[^;]*?=>\s*(`[^`]+`)/g,
  /(?:return |\? |: )\[\s*(`[^`]{30,}`|'[A-Z][^'\n]{28,}\.')/gm,
  /^ *(?:\? |: |(?:export )?const [A-Z]+ =\s+|\w+: \(pages\) =>\s+)(`[^`]{30,}`|'[A-Z][^'\n]{25,}\.')/gm,
  /^ {2}\w+:\s+('[^'\n]+ not kept, [^'\n]+')/gm,
]
/** Parts of sentences. */
const PARTS = /^(7: 7|file: 7|7\.7: 7|files\.7: 7|7 and 7 more|7 → 7)$/
/** The field of an input, before the fault. */
const FIELD = /^7: /

/** The sentences that a template can produce: both of two words, and a number for everything else. */
function sentencesOf(literal: string): string[] {
  const [found, yes, no] = /\$\{[^{}?]*\? '([^']*)' : '([^']*)'\}/.exec(literal) ?? []
  if (found !== undefined) return [yes, no].flatMap((word = '') => sentencesOf(literal.replace(found, () => word)))
  return [literal.slice(1, -1).replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '7')]
}

async function sentencesInCode(): Promise<string[]> {
  const found = new Set<string>()
  for (const folder of ['lib', 'tools', 'intake'])
    for await (const file of new Bun.Glob('**/*.ts').scan(join(SRC, folder))) {
      const code = await Bun.file(join(SRC, folder, file)).text()
      if (!/warning|sentence|doubts/i.test(code)) continue
      for (const pattern of IN_CODE)
        for (const [, literal] of code.matchAll(pattern))
          for (const one of sentencesOf(literal as string)) found.add(one.replace(FIELD, 'file: '))
    }
  return [...found].filter((sentence) => !PARTS.test(sentence)).sort()
}

let inLanguage: (sentences: readonly string[]) => Promise<string[]>
beforeAll(async () => {
  // the page's globals that the portal reads when it starts
  const page = { document: { documentElement: { lang: 'ar', dataset: {} } }, navigator: { languages: ['ar'] } }
  for (const [name, value] of Object.entries(page))
    if (!(name in globalThis) || name === 'document') Object.assign(globalThis, { [name]: value })
  // by a path that the compiler does not follow: it checks the browser's code with other libraries
  const warnings = (await import(join(SRC, 'portal/text/warnings.ts'))) as { warningsInLanguage: typeof inLanguage }
  inLanguage = warnings.warningsInLanguage
})

test('every warning in the code has an Arabic text', async () => {
  const sentences = await sentencesInCode()
  expect(sentences.length).toBeGreaterThan(50)
  const texts = await inLanguage(sentences)
  expect(sentences.filter((_, i) => !ARABIC.test(texts[i] as string))).toEqual([])
})

test('every Arabic text is of a warning in the code', async () => {
  const sentences = await sentencesInCode()
  // the names of rules are put in front of the columns that they changed
  const formats = await Bun.file(join(SRC, 'lib/geo/formats/column-names.ts')).text()
  for (const [, rule] of formats.matchAll(/^ {2}\w+: (`[^`]*`|'[^']*'),$/gm))
    for (const one of sentencesOf(rule as string)) sentences.push(`${one}: a → b`)
  const unused = ARABIC_WARNINGS.filter(
    ([pattern]) => !sentences.some((sentence) => pattern.test(sentence.replace(/^file: /, ''))),
  )
  expect(unused.map(([pattern]) => pattern.source)).toEqual([])
})

test('names and numbers of a warning stay, and lists of pages are lists', async () => {
  const plain = async (sentence: string): Promise<string> =>
    ((await inLanguage([sentence]))[0] as string).replace(/[\u2066-\u2069]/g, '')
  const names = 'column names in a shapefile have at most ten characters: temperature → temperatur, درجة الحرارة → درجة'
  const said = await plain(names)
  expect(said).toContain('temperature → temperatur, درجة الحرارة → درجة')
  expect(said).not.toContain('column')
  const pages = await plain('Background images were left out on pages: 1, 2, 13 and 4 more.')
  expect(pages.match(/\d+/g)).toEqual(['1', '2', '13', '4'])
  expect(pages).not.toMatch(/[a-z]/i)
  // a name is not read as a placeholder
  expect(
    await plain('numbers in a shapefile have at most 15 decimals and 22 digits; some changed in {n}, b'),
  ).toContain('{n}')
  expect(await plain('something new')).toBe('something new')
})
