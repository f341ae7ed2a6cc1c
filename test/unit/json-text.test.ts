import { expect, test } from 'bun:test'
import { JsonTextError, jsonString, parseJson } from '../../src/json-text.ts'
import { outputOf } from '../support/program.ts'
import { seeded, whole } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'

test('a string is written as JSON.stringify writes it, with each character of UTF-16 alone and between others', () => {
  for (let unit = 0; unit <= 0xffff; unit++)
    for (const text of [String.fromCharCode(unit), `a${String.fromCharCode(unit)}z`])
      if (jsonString(text) !== JSON.stringify(text))
        throw new Error(`code unit ${unit} is written as ${jsonString(text)}`)
  expect(jsonString('')).toBe('""')
})

/** Python finds repeated members while it parses. */
const PYTHON = `
import json, sys
def once(pairs):
    if len({name for name, _ in pairs}) < len(pairs): raise ValueError
    return dict(pairs)
def has_repeats(text):
    try: json.loads(text, object_pairs_hook=once)
    except ValueError: return True
    return False
print(json.dumps([has_repeats(text) for text in json.load(sys.stdin)]))`

test('texts whose objects have a member twice are refused, as Python reports them', () => {
  const names = ['"a"', '"b"', '"\\u0061"', '":"', '"{"', '"\\""', '"__proto__"', '"1"', '""', '"\\\\"']
  const random = seeded(Number(process.env.TEST_SEED || 7))
  const any = <T>(list: readonly T[]): T => list[whole(random, list.length)] as T
  const list = (item: () => string): string => Array.from({ length: whole(random, 4) }, item).join()
  const value = (depth: number): string => {
    const kind = depth === 0 ? 2 : whole(random, 4)
    if (kind === 0) return `[${list(() => value(depth - 1))}]`
    return kind === 1 ? `{${list(() => `${any(names)} :${value(depth - 1)}`)}}` : any(['1', 'null', ...names])
  }
  const texts = Array.from({ length: rounds(2_000, 40_000) }, () => `{"a":${value(4)},"b":${value(3)}}`)
  const expected = JSON.parse(
    outputOf('python3', ['-c', PYTHON], { input: JSON.stringify(texts) }).toString(),
  ) as boolean[]
  const refused = texts.map((text) => {
    try {
      parseJson(Buffer.from(text))
      return false
    } catch (error) {
      return error instanceof JsonTextError && error.rule === 'once' && / one object: "/.test(error.message)
    }
  })
  expect(texts.filter((_, i) => refused[i] !== expected[i])).toEqual([])
  expect(refused).toContain(true)
})
