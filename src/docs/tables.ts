/** Tables of the documentation that are generated from the code: variables, codes, and the fields of tools. */
import type { Variable } from '../config/variable.ts'
import { VARIABLE_GROUPS } from '../config/variables.ts'
import { CODES, type Code } from '../errors.ts'
import type { Tool } from '../tools/tool.ts'

const code = (text: string | number): string => `\`${text}\``

/** A Markdown table; a bar in a cell would end it. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function rangeOf(variable: Variable): string {
  switch (variable.kind) {
    case 'whole':
      return `${variable.min} to ${variable.max}`
    case 'choice':
      return variable.allowed.map(code).join(', ')
    case 'url':
      return variable.protocols.map((protocol) => code(`${protocol}//`)).join(', ')
    default:
      return 'text'
  }
}

function defaultOf(variable: Variable): string {
  if (variable.kind === 'url') return variable.unset
  if (variable.kind === 'whole') return variable.defaultText ?? String(variable.default)
  return code(variable.default)
}

export function configurationTables(): string {
  return Object.entries(VARIABLE_GROUPS)
    .map(([title, variables]) => {
      const rows = Object.entries<Variable>(variables).map(([name, variable]) => [
        code(name),
        defaultOf(variable),
        rangeOf(variable),
        variable.secret ? `${variable.meaning} Also as ${code(`${name}_FILE`)}.` : variable.meaning,
      ])
      return `## ${title}\n\n${table(['Variable', 'Default', 'Range', 'Meaning'], rows)}`
    })
    .join('\n\n')
}

/** @param names of codes; all of them when it is empty */
export function codeTable(names: readonly string[]): string {
  const codes = names.length === 0 ? (Object.keys(CODES) as Code[]) : (names as Code[])
  const rows = codes.map((name) => {
    const entry = CODES[name]
    if (entry === undefined) throw new Error(`${name} is not a code of src/errors.ts`)
    return [code(name), String(entry.status), entry.en]
  })
  return table(['Code', 'HTTP status', 'Message'], rows)
}

type Schema = Record<string, unknown>

/** Media types that add nothing to the kind of the file. */
const OF_KINDS = ['application/geo+json', 'image/tiff', 'image/*', 'application/pdf', 'application/octet-stream']

function mediaTypeOf(schema: Schema): string {
  const type = String((schema.items as Schema | undefined)?.contentMediaType ?? schema.contentMediaType)
  return OF_KINDS.includes(type) ? '' : code(type)
}

function typeOf(schema: Schema): string {
  const kind = schema['x-fileKind']
  if (kind !== undefined) {
    const noun = schema.type === 'array' ? 'files' : 'file'
    // a media type is more specific than the kind, which then only sets the size limit
    return mediaTypeOf(schema) === '' ? `${kind} ${noun}` : noun
  }
  const type = { array: 'list', string: 'text', integer: 'whole number' }[String(schema.type)] ?? String(schema.type)
  return schema['x-svc-encoding'] === 'json-text' ? `${type}, as JSON text` : type
}

/** `2 to 5`, `at least 2` or `at most 5`. */
function bounds(min: unknown, max: unknown): string {
  if (min === undefined) return max === undefined ? '' : `at most ${max}`
  return max === undefined ? `at least ${min}` : `${min} to ${max}`
}

function allowedIn(schema: Schema): string {
  const {
    enum: values = (schema.items as Schema | undefined)?.enum,
    minimum,
    maximum,
    minItems,
    maxItems,
    maxProperties,
    maxLength,
  } = schema
  if (schema['x-fileKind'] !== undefined)
    return [bounds(minItems, maxItems), mediaTypeOf(schema)].filter((part) => part !== '').join(', ')
  if (Array.isArray(values)) return values.map(code).join(', ')
  const metres = schema['x-svc-bounds'] as { minimum: number; maximum: number } | undefined
  if (metres !== undefined) return `${bounds(metres.minimum, metres.maximum)} metres`
  if (schema.type === 'array') return bounds(minItems, maxItems)
  if (schema.type === 'string') return maxLength === undefined ? '' : `at most ${maxLength} characters`
  if (maxProperties !== undefined) return `at most ${maxProperties} members`
  return bounds(minimum, maximum)
}

function noteOf(schema: Schema): string {
  const when = schema['x-svc-usedWhen'] as { field: string; equals: string } | undefined
  const column = schema['x-svc-columnOf']
  return [
    when === undefined ? '' : `used when \`${when.field}\` is \`${when.equals}\``,
    column === undefined ? '' : `a column of \`${column}\``,
  ]
    .filter((note) => note !== '')
    .join('; ')
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

function factsOf(tool: Tool): string {
  const second = tool.saved?.second
  return [
    `process \`${tool.id}\``,
    tool.credits === 0 ? 'no credits' : plural(tool.credits, 'credit'),
    ...(tool.countsAsFiles > 0 ? [`counts as ${plural(tool.countsAsFiles, 'file')}`] : []),
    ...(tool.tier === undefined ? [] : [`people need the plan \`${tool.tier}\``]),
    ...(tool.async ? ['also as a job'] : []),
    ...(tool.saved === undefined ? [] : [`Tool API${second === undefined ? '' : ` (binds \`${second.field}\`)`}`]),
    ...tool.aliases.map((alias) => `older route \`${alias}\``),
    `[source](../src/tools/${tool.id.replace('.', '/')}.ts)`,
  ].join(' · ')
}

/** The input and the output of a tool. */
export function toolTable(tool: Tool): string {
  const required = new Set(tool.input.required ?? [])
  const rows = Object.entries(tool.input.properties).map(([name, schema]) => {
    const isRequired = required.has(name) && schema.default === undefined
    const fallback = schema.default === undefined ? '' : code(String(schema.default))
    return [code(name), typeOf(schema), isRequired ? 'required' : fallback, allowedIn(schema), noteOf(schema)]
  })
  const result = Object.keys(tool.output.properties).map(code).join(', ')
  const fields = table(['Field', 'Type', 'Default', 'Allowed', 'Note'], rows)
  return `\`POST ${tool.route}\` · ${factsOf(tool)}\n\n${fields}\n\nResult: ${result}.`
}
