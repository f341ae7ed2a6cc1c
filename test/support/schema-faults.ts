export type Schema = Record<string, unknown>

/** Violations of a schema; supports the part of JSON Schema that the documents use. */
export function schemaFaults(components: Record<string, Schema>, value: unknown, schema: Schema, at: string): string[] {
  const faults = (inner: unknown, its: Schema, where: string): string[] => schemaFaults(components, inner, its, where)
  if (typeof schema.$ref === 'string')
    return faults(value, components[schema.$ref.split('/').at(-1) as string] as Schema, at)
  if (Array.isArray(schema.allOf)) return schema.allOf.flatMap((part: Schema) => faults(value, part, at))
  if (Array.isArray(schema.anyOf)) {
    const all = schema.anyOf.map((part: Schema) => faults(value, part, at))
    return all.some((found) => found.length === 0) ? [] : (all[0] ?? [])
  }
  if ('const' in schema && value !== schema.const) return [`${at}: is not ${schema.const}`]
  const type =
    value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value
  const types = [schema.type].flat().filter((name) => name !== undefined)
  const fits = types.length === 0 || types.includes(type) || (type === 'integer' && types.includes('number'))
  if (!fits) return [`${at}: ${type} where ${types} should be`]
  if (type === 'array')
    return (value as unknown[]).flatMap((item, i) => faults(item, (schema.items ?? {}) as Schema, `${at}.${i}`))
  if (type !== 'object') return []
  const record = value as Record<string, unknown>
  const missing = ((schema.required ?? []) as string[])
    .filter((name) => !(name in record))
    .map((name) => `${at}.${name}: is missing`)
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
  return [
    ...missing,
    ...properties.flatMap(([name, inner]) => (name in record ? faults(record[name], inner, `${at}.${name}`) : [])),
  ]
}
