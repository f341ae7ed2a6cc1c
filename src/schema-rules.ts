/** Which rule of a JSON schema a value breaks, in words for the caller. */

const count = (amount: unknown, noun: string): string => `${amount} ${noun}${amount === 1 ? '' : 's'}`

const RULE_TEXTS: Record<string, (limit: unknown) => string> = {
  minimum: (limit) => `must be at least ${limit}`,
  maximum: (limit) => `must be at most ${limit}`,
  minLength: (limit) => `must have at least ${count(limit, 'character')}`,
  maxLength: (limit) => `must have at most ${count(limit, 'character')}`,
  minItems: (limit) => `must have at least ${count(limit, 'item')}`,
  maxItems: (limit) => `must have at most ${count(limit, 'item')}`,
  maxProperties: (limit) => (limit === 1 ? 'must have at most 1 property' : `must have at most ${limit} properties`),
  multipleOf: (limit) => (limit === 1 ? 'must be a whole number' : `must be a multiple of ${limit}`),
  uniqueItems: () => 'must not contain an item twice',
  pattern: (pattern) => `must match the pattern ${pattern}`,
}

/** A broken schema rule: its name, and a text with the allowed values in place of TypeBox's message. */
export function ruleOf(
  schema: Record<string, unknown> | undefined,
  message: string,
): { rule: string; message: string } {
  if (message === 'Expected required property') return { rule: 'required', message: 'is required' }
  if (message === 'Unexpected property') return { rule: 'additionalProperties', message: 'is not a known field' }
  const listed = schema?.enum as unknown[] | undefined
  const allowed = listed ?? (schema?.anyOf as { const?: unknown }[] | undefined)?.map((option) => option.const)
  if (allowed?.every((value) => value !== undefined) === true)
    return { rule: 'enum', message: `must be one of ${allowed.join(', ')}` }
  const description = schema?.description
  if (message === 'Expected union value') {
    // a number read from a query string is a union of text and number, and declares itself a number
    const all = (schema?.anyOf as Record<string, unknown>[] | undefined) ?? []
    const options = all.filter(({ type }) => schema?.type === undefined || type === schema.type).map(describeSchema)
    const text = `must be ${[...options.slice(0, -2), options.slice(-2).join(' or ')].join(', ')}`
    return { rule: String(schema?.type ?? 'anyOf'), message: description ? `${text} (${description})` : text }
  }
  const text = message.charAt(0).toLowerCase() + message.slice(1)
  const bounds = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'maxProperties']
  const bound = text.includes('multiple of')
    ? 'multipleOf'
    : text.includes('unique')
      ? 'uniqueItems'
      : bounds.find((name) => schema?.[name] !== undefined && new RegExp(` ${schema[name]}( properties)?$`).test(text))
  const rule = bound ?? (schema?.pattern !== undefined && text.includes('match') ? 'pattern' : undefined)
  const plain = rule === undefined ? typeText(schema ?? {}, text) : RULE_TEXTS[rule]?.(schema?.[rule])
  return {
    rule: rule ?? String(schema?.type ?? 'schema'),
    message: description ? `${plain} (${description})` : `${plain}`,
  }
}

/** Text for a value of another type or constant, and for rules that are not in the table. */
function typeText(schema: Record<string, unknown>, text: string): string {
  const isOtherType = schema.const !== undefined || text === `expected ${schema.type}`
  return isOtherType ? `must be ${describeSchema(schema)}` : text.replace(/^expected \w+ to be /, 'must be ')
}

/** The values that a schema accepts, in words. */
function describeSchema(schema: Record<string, unknown>): string {
  const { type, minimum, maximum, minItems, maxItems } = schema
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const range = minimum === undefined || maximum === undefined ? '' : ` from ${minimum} to ${maximum}`
  switch (type) {
    case 'integer':
      return `a whole number${range}`
    case 'number':
      return `a number${range}`
    case 'string':
      return 'a string'
    case 'boolean':
      return 'true or false'
    case 'array':
      return maxItems === undefined ? 'a list' : `a list of ${minItems ?? 0} to ${maxItems}`
    case 'null':
      return 'null'
    default:
      return 'an object'
  }
}
