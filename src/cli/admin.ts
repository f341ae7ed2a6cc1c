/** `bun run admin`: a thin command-line client of /manage/v1. */
import { parseArgs } from 'node:util'
import { CliError, defaultConnection, firstOperatorUrl, operator } from './client.ts'

const HELP = `bun run admin <collection> <action> [id …] [field=value …] [options]

  enterprises   list · get ID · create name=… tier=… · update ID field=… · delete ID
  members       list ENT · get ID · create ENT email=… role=… · update ID field=… · delete ID
  applications  list ENT · get ID · create ENT name=… tools=all · update ID field=… · delete ID
                keys ID · add-key ID · revoke-key ID KEY
  sensors       list ENT · get ID · create ENT channels='[…]' assetName=… · update ID field=… · delete ID
                keys ID · add-key ID · revoke-key ID KEY
  assets        list ENT · get ID · create ENT name=… · update ID name=… · delete ID
  people        list · get ID · create email=… plan=… · update ID field=… · delete ID
  audit         list [subject=ID]
  tiers         list
  invitations   list ENT · create ENT email=… role=… · delete ID
  first-operator               print the link that makes the first operator's account

A value that is valid JSON is sent as JSON (held=true, readingsPerDay=5000, retentionDays=null), any other as text.

Options
  --json            print the result as JSON
  --limit N         maximum number of entries in a list, 1 to 1000 (default 100)
  --cursor C        next page of a list; the cursor is printed below the page before
  --url URL         address of the server (default http://HOST:PORT from the environment)
  --token-file F    file with the operator token (default DATA_DIR/operator.token)
  -h, --help        show this help

Examples
  bun run admin enterprises create name=Acme tier=starter
  bun run admin sensors create ent_… assetName=Pump 'channels=[{"name":"temperature","measurement":"number"}]'
  bun run admin sensors update sen_… enabled=false
`

type Row = Record<string, unknown>

const BELOW_ENTERPRISE = new Set(['members', 'applications', 'sensors', 'assets', 'invitations'])
const COLLECTIONS = new Set(['enterprises', 'people', 'audit', 'tiers', ...BELOW_ENTERPRISE])

/** Words of the form `field=value` become the body; all others are ids. */
function split(words: string[]): { ids: string[]; fields: Row } {
  const ids: string[] = []
  const fields: Row = {}
  for (const word of words) {
    const at = word.indexOf('=')
    if (at < 1) ids.push(word)
    else fields[word.slice(0, at)] = parsedValue(word.slice(at + 1))
  }
  return { ids, fields }
}

function parsedValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

type Request = { method: string; path: string; body?: Row }

function requestFor(collection: string, action: string, ids: string[], fields: Row, page: URLSearchParams): Request {
  const id = (position: number, what: string): string => {
    const value = ids[position]
    if (value === undefined) throw new CliError(`${collection} ${action} requires ${what}; see --help`)
    return encodeURIComponent(value)
  }
  const home = (): string =>
    BELOW_ENTERPRISE.has(collection) ? `/enterprises/${id(0, 'an enterprise id')}/${collection}` : `/${collection}`
  const own = (): string => `/${collection}/${id(0, 'an id')}`
  switch (action) {
    case 'list': {
      if (collection === 'tiers') return { method: 'GET', path: '/tiers' }
      for (const [name, value] of Object.entries(fields)) page.set(name, String(value))
      return { method: 'GET', path: `${home()}?${page}` }
    }
    case 'get':
      return { method: 'GET', path: own() }
    case 'create':
      return { method: 'POST', path: home(), body: fields }
    case 'update':
      return { method: 'PATCH', path: own(), body: fields }
    case 'delete':
      return { method: 'DELETE', path: own() }
    case 'keys':
      return { method: 'GET', path: `${own()}/keys` }
    case 'add-key':
      return { method: 'POST', path: `${own()}/keys` }
    case 'revoke-key':
      return { method: 'DELETE', path: `${own()}/keys/${id(1, 'a key id')}` }
    default:
      throw new CliError(
        `Unknown action "${action}"; it must be one of list, get, create, update, delete, keys, add-key, revoke-key`,
      )
  }
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '–'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function printTable(rows: Row[]): void {
  if (rows.length === 0) {
    console.log('(none)')
    return
  }
  const names = Object.keys(rows[0] as Row).filter((name) => rows.some((row) => typeof row[name] !== 'object'))
  const cells = [names, ...rows.map((row) => names.map((name) => cell(row[name])))]
  const widths = names.map((_, i) => Math.max(...cells.map((line) => (line[i] as string).length)))
  for (const line of cells)
    console.log(
      line
        .map((text, i) => text.padEnd(widths[i] as number))
        .join('  ')
        .trimEnd(),
    )
}

function printRecord(record: Row): void {
  const width = Math.max(...Object.keys(record).map((name) => name.length))
  for (const [name, value] of Object.entries(record)) console.log(`${name.padEnd(width)}  ${cell(value)}`)
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
      limit: { type: 'string' },
      cursor: { type: 'string' },
      url: { type: 'string' },
      'token-file': { type: 'string' },
    },
  })
  const [collection, action = 'list', ...words] = positionals
  if (values.help || collection === undefined) {
    console.log(HELP)
    return
  }
  if (collection === 'first-operator') {
    console.log(firstOperatorUrl())
    return
  }
  if (!COLLECTIONS.has(collection))
    throw new CliError(`Unknown collection "${collection}"; it must be one of ${[...COLLECTIONS].join(', ')}`)
  const page = new URLSearchParams()
  if (values.limit !== undefined) page.set('limit', values.limit)
  if (values.cursor !== undefined) page.set('cursor', values.cursor)
  const { ids, fields } = split(words)
  const { method, path, body } = requestFor(collection, action, ids, fields, page)
  const here = defaultConnection()
  const ask = operator({ url: values.url ?? here.url, tokenFile: values['token-file'] ?? here.tokenFile })
  const data = await ask<Row & { items?: Row[]; nextCursor?: string | null }>(method, path, body)
  if (values.json) console.log(JSON.stringify(data, null, 2))
  else if (data.items !== undefined) {
    printTable(data.items)
    if (data.nextCursor) console.log(`\nNext page: --cursor ${data.nextCursor}`)
  } else printRecord(data)
}

main().catch((error: unknown) => {
  const known = error instanceof CliError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS') === true
  process.stderr.write(`${known ? (error as Error).message : ((error as Error).stack ?? error)}\n`)
  process.exit(1)
})
