import { expect, test } from 'bun:test'
import { jsonString } from '../src/json-text.ts'

test('a string is written as JSON.stringify writes it, with each character of UTF-16 alone and between others', () => {
  for (let unit = 0; unit <= 0xffff; unit++)
    for (const text of [String.fromCharCode(unit), `a${String.fromCharCode(unit)}z`])
      if (jsonString(text) !== JSON.stringify(text))
        throw new Error(`code unit ${unit} is written as ${jsonString(text)}`)
  expect(jsonString('')).toBe('""')
})
