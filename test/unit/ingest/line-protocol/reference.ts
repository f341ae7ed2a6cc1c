/**
 * A second reader of line protocol, written from the published grammar with texts and regular expressions. Slow, and one
 * line at a time.
 */

export type Reference = {
  line: number
  measurement: string
  tags: [name: string, value: string][]
  fields: [name: string, value: number | boolean | { text: string }][]
  /** Nanoseconds. */
  time: bigint | undefined
}

/** Cuts a text at its unescaped characters of a set; a backslash escapes only `escapable`. */
function pieces(text: string, cut: string, escapable: string): string[] {
  const found = ['']
  for (let i = 0; i < text.length; i++) {
    const c = text[i] as string
    if (c === '\\' && i + 1 < text.length && escapable.includes(text[i + 1] as string)) {
      found[found.length - 1] += c + text[++i]
    } else if (cut.includes(c)) found.push('')
    else found[found.length - 1] += c
  }
  return found
}

const plain = (text: string, escapable: string): string => text.replace(new RegExp(`\\\\([${escapable}])`, 'g'), '$1')

/** Series, fields and time of a body's lines; a newline in a quoted value belongs to its line. */
function linesOf(body: string): { line: number; text: string }[] {
  const found: { line: number; text: string }[] = []
  let rest = body
  let line = 1
  while (rest !== '') {
    // measurement and tags have no quotes; a quote that follows an equals sign opens a text
    const comment = /^[ \t]*#[^\n]*\n?/.exec(rest)?.[0]
    const series = /^[ \t]*(?:\\ |[^ \n])*/.exec(rest)?.[0] ?? ''
    const fields = /^(?:\\[ ,=]|="(?:[^"\\]|\\[\s\S])*"|="(?:[^"\\]|\\[\s\S])*\\?$|[^\n])*/.exec(
      rest.slice(series.length),
    )?.[0]
    const text = comment ?? `${series}${fields}`
    const taken = comment === undefined && rest[text.length] === '\n' ? text.length + 1 : text.length
    if (comment === undefined && text.replace(/\r$/, '').trim() !== '')
      found.push({ line, text: text.replace(/\r$/, '') })
    line += rest.slice(0, taken).split('\n').length - 1
    rest = rest.slice(taken)
  }
  return found
}

function readValue(text: string): number | boolean | undefined {
  if (['t', 'T', 'true', 'True', 'TRUE'].includes(text)) return true
  if (['f', 'F', 'false', 'False', 'FALSE'].includes(text)) return false
  const [, integer, suffix] = /^([+-]?[0-9]+)([iu])$/.exec(text) ?? []
  if (integer !== undefined) {
    if (suffix === 'u' && !/^[0-9]/.test(integer)) return undefined
    const exact = BigInt(integer.replace(/^\+/, ''))
    const fits = suffix === 'u' ? BigInt.asUintN(64, exact) === exact : BigInt.asIntN(64, exact) === exact
    return fits ? Number(exact) : Number.POSITIVE_INFINITY
  }
  return /^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(text) ? Number(text) : undefined
}

/** @returns undefined for a line that breaks the grammar */
function pointOf({ line, text }: { line: number; text: string }): Reference | undefined {
  const body = text.replace(/^[ \t]+/, '')
  const [series = ''] = pieces(body, ' ', ' ')
  const rest = body.slice(series.length).replace(/^[ \t]+/, '')
  const [measurement = '', ...tagTexts] = pieces(series, ',', ', ')
  if (measurement === '') return undefined
  const tags: Reference['tags'] = []
  // a comma in a tag may be escaped, and so may an equals sign
  for (const tag of tagTexts) {
    const parts = pieces(tag, '=', ' ,=')
    if (parts.length !== 2 || parts.includes('')) return undefined
    tags.push([plain(parts[0] as string, ' ,='), plain(parts[1] as string, ' ,=')])
  }
  const fields: Reference['fields'] = []
  let left = rest
  for (;;) {
    const found = /^((?:\\[ ,=]|[^ ,=\\]|\\(?![ ,=]))+)=("(?:[^"\\]|\\[\s\S])*"|[^" ,\t\n][^ ,\t\n]*)/.exec(left)
    if (found === null) return undefined
    const [whole, name = '', value = ''] = found
    left = left.slice(whole.length)
    const read = value.startsWith('"') ? { text: value.slice(1, -1).replace(/\\(["\\])/g, '$1') } : readValue(value)
    if (read === undefined || (value.startsWith('"') && !value.endsWith('"'))) return undefined
    fields.push([plain(name, ' ,='), read])
    if (!left.startsWith(',')) break
    left = left.slice(1)
  }
  if (left !== '' && !/^[ \t]/.test(left)) return undefined
  const time = left.trim()
  if (!/^([+-]?[0-9]{1,19})?$/.test(time)) return undefined
  return {
    line,
    measurement: plain(measurement, ', '),
    tags,
    fields,
    time: time === '' ? undefined : BigInt(time.replace('+', '')),
  }
}

/** The points of a body by line; undefined for a line that breaks the grammar. */
export const reference = (body: string): { line: number; point: Reference | undefined }[] =>
  linesOf(body).map((line) => ({ line: line.line, point: pointOf(line) }))
