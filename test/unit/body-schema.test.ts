/** Errors of a value that may be null: about the value's type, or the rule that the value breaks. */
import { expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { AppError } from '../../src/errors.ts'
import { bodySchema } from '../../src/http/body/body-schema.ts'

const orNull = Type.Union([Type.String({ maxLength: 3, pattern: '^a' }), Type.Null()])
const schema = bodySchema(Type.Object({ name: orNull }))

function faultOf(name: unknown): string | undefined {
  try {
    Value.Check(schema, { name })
    return undefined
  } catch (error) {
    const [first] = (error as AppError).errors ?? []
    return `${first?.field} ${first?.rule}`
  }
}

test('the error of a value names the broken rule, or the types if its type is not allowed', () => {
  expect([null, 'abc', 'abcd', 'b', 5, ['a']].map(faultOf)).toEqual([
    undefined,
    undefined,
    'body.name maxLength',
    'body.name pattern',
    'body.name anyOf',
    'body.name anyOf',
  ])
})

test('text that no store can keep is refused in every field that the schema describes', () => {
  const name = Type.String({ pattern: '\\S' })
  const strange = bodySchema(
    Type.Object({
      id: Type.Optional(Type.Union([name, Type.Null()])),
      list: Type.Optional(Type.Array(Type.Object({ name }))),
      any: Type.Optional(Type.Unknown()),
    }),
  )
  const faultIn = (body: object): unknown => {
    try {
      return Value.Check(strange, body)
    } catch (error) {
      return (error as AppError).errors?.map(({ field, rule }) => `${field} ${rule}`)
    }
  }
  expect(faultIn({ id: 'a\ud800' })).toEqual(['body.id text'])
  expect(faultIn({ id: '\udc00\ud800' })).toEqual(['body.id text'])
  expect(faultIn({ id: 'a\0' })).toEqual(['body.id text'])
  expect(faultIn({ list: [{ name: 'a' }, { name: '\ud83da' }] })).toEqual(['body.list.1.name text'])
  expect(faultIn({ id: '😀', list: [{ name: '\ufffd' }], any: '\ud800' })).toBe(true)
  expect(faultIn({ id: null })).toBe(true)
})
