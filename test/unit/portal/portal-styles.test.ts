/**
 * All style sheets of the portal are loaded together: for a class that two of them style, the later one would win
 * everywhere.
 */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'

const FOLDER = join(import.meta.dir, '../../../src/portal')
/** Rules for small screens and for reduced motion, which override other rules. */
const CONDITIONAL = /@(?:media|supports)[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}/g
const ONE_CLASS = /^\.[\w-]+$/

/** Classes that a style sheet styles by themselves. */
function ownClasses(file: string): string[] {
  const text = readFileSync(join(FOLDER, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '')
  const selectors = [...text.replaceAll(CONDITIONAL, '').matchAll(/([^{}]+)\{/g)].flatMap(([, list = '']) =>
    list.split(','),
  )
  return [...new Set(selectors.map((selector) => selector.trim()))].filter((selector) => ONE_CLASS.test(selector))
}

test('every class is styled in one style sheet', () => {
  const homes = new Map<string, string[]>()
  for (const file of new Glob('**/*.css').scanSync(FOLDER))
    for (const one of ownClasses(file)) homes.set(one, [...(homes.get(one) ?? []), file])
  expect(homes.size).toBeGreaterThan(300)
  expect([...homes].filter(([, files]) => files.length > 1)).toEqual([])
})
