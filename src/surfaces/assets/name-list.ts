/** Lists of names in a query, separated by commas. */
import { Type } from '@sinclair/typebox'
import { invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'

export const nameList = (names: readonly string[], text: string) =>
  Type.Optional(Type.String({ description: `${text}, separated by commas: ${names.join(', ')}`, maxLength: 200 }))

/** @throws AppError VALIDATION_FAILED */
export function namesIn<T extends string>(field: string, text: string | undefined, allowed: readonly T[]): Set<T> {
  const names = (text ?? '').split(',').map((name) => name.trim()) as T[]
  if (text !== undefined && names.some((name) => !allowed.includes(name)))
    throw invalidField(`query.${field}`, 'enum', fieldText('listOf', { values: allowed.join(', ') }))
  return new Set(text === undefined ? [] : names)
}
