/** Every tool is found by Arabic words that its title does not have. */
import { expect, test } from 'bun:test'
import { ARABIC_WORDS } from '../src/portal/tools/arabic-words.ts'
import { loadRegistry } from '../src/tools/registry.ts'

test('every tool has Arabic words, and no words belong to a tool that does not exist', async () => {
  const { tools } = await loadRegistry()
  expect(Object.keys(ARABIC_WORDS).toSorted()).toEqual(tools.map(({ id }) => id).toSorted())
  for (const [id, words] of Object.entries(ARABIC_WORDS))
    expect([id, words]).toEqual([id, expect.stringMatching(/^[\u0620-\u064a ]+$/)])
})
