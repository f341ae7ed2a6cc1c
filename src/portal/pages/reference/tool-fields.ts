/** A tool describes its fields in Arabic itself: in the description of its process, from which its form is made too. */
import type { ProcessDescription } from '../../parts/process-form/process.ts'
import { bodyOf, fieldsOf, type Operation, resultOf, type Schema } from './document.ts'

/** @returns descriptions of fields in the language of the process, by the English ones */
export function toolFields(operation: Operation, { inputs, outputs }: ProcessDescription): Map<string, string> {
  const { document } = operation
  const body = Object.entries(inputs).map(([name, { schema, description }]) => [name, { ...schema, description }])
  const pairs = (english: Schema | undefined, translated: Schema): (readonly [string, string])[] => {
    const byPath = new Map(fieldsOf(translated, document).map(({ path, description }) => [path, description]))
    return fieldsOf(english, document).flatMap(({ path, description }) => {
      const own = byPath.get(path) ?? ''
      return description === '' || own === '' ? [] : [[description, own] as const]
    })
  }
  return new Map([
    ...pairs(bodyOf(operation)?.schema, { properties: Object.fromEntries(body) }),
    ...pairs(resultOf(operation), outputs.result.schema),
  ])
}
