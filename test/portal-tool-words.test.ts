/** The Arabic words by which tools are found besides their titles. */
import { expect, test } from 'bun:test'
import { ARABIC_WORDS } from '../src/portal/tools/arabic-words.ts'
import { loadRegistry } from '../src/tools/registry.ts'

test('no Arabic words belong to a tool that does not exist, and all can be typed', async () => {
  const { tools } = await loadRegistry()
  const ids = new Set(tools.map(({ id }) => id))
  expect(Object.keys(ARABIC_WORDS).filter((id) => !ids.has(id))).toEqual([])
  for (const [id, words] of Object.entries(ARABIC_WORDS))
    expect([id, words]).toEqual([id, expect.stringMatching(/^[\u0620-\u064a ]+$/)])
})
