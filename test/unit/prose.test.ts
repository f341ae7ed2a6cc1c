/** Comments, texts of the product, titles of tests and documents use nouns: some pronouns and idioms in their place made sentences hard to read. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { ROOT } from '../support/processes.ts'

/** Each with what to write instead. */
const WORDS: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bwhoever\b/i, 'name the person or program'],
  [/\bgo(es)? on\b/i, 'continue, happen'],
  [/\bof late(?=[.,;:)]|$)/i, 'recent'],
  [/\b(is|are) told\b/i, 'is reported, gets'],
  [/\b(is|are) so\b(?! \w)/i, 'say what'],
  [/\bthose of\b/i, 'repeat the noun'],
  [/\bthe most that\b/i, 'maximum'],
]

const COMMENT = /^\s*(?:\/\*\*?|\*|\/\/)(.*)$|\s\/\/ (.*)$/
/** A text for callers or people has several words. */
const TEXT = /(['"`])(?:(?!\1).)* (?:(?!\1).)* (?:(?!\1).)*\1/g
const TITLE = /\b(?:test|describe|it)(?:\.each\(.*\))?\(\s*(['"`])(.*?)\1/

function* sentencesOf(file: string): Generator<[line: number, text: string]> {
  const isDocument = file.endsWith('.md')
  const isProduct = file.startsWith('src/')
  let isCode = false
  for (const [i, line] of readFileSync(join(ROOT, file), 'utf8').split('\n').entries()) {
    if (isDocument && line.startsWith('```')) isCode = !isCode
    else if (isDocument && !isCode) yield [i + 1, line.replace(/`[^`]*`/g, '')]
    else if (!isDocument)
      for (const text of [
        COMMENT.exec(line)?.slice(1).join(''),
        TITLE.exec(line)?.[2],
        ...(isProduct ? (line.match(TEXT) ?? []) : []),
      ])
        if (text !== undefined) yield [i + 1, text]
  }
}

test('no comment, text of the product, test title or document uses a word of the list', () => {
  const found: string[] = []
  const files = [
    'README.md',
    'docs/*.md',
    'src/**/README.md',
    'src/**/*.{ts,tsx,mjs}',
    'test/**/*.ts',
    'bench/**/*.ts',
  ].flatMap((glob) => [...new Glob(glob).scanSync(ROOT)])
  expect(files.length).toBeGreaterThan(1_500)
  for (const file of files) {
    if (file.endsWith('schema.d.ts') || file.endsWith('prose.test.ts')) continue
    for (const [line, text] of sentencesOf(file))
      for (const [pattern, instead] of WORDS)
        if (pattern.test(text)) found.push(`${file}:${line}: ${text.trim().slice(0, 100)} (${instead})`)
  }
  expect(found).toEqual([])
})
