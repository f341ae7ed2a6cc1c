/**
 * Implements the part of ClickHouse's HTTP interface that Groundwave uses, on top of chDB. Tests use it in place of a
 * ClickHouse server, which cannot be installed everywhere: the engine is ClickHouse, the HTTP server is not.
 *
 * Arguments: data folder, port (0 for any free port), `user:password`, and `two-shards` for a cluster (two-shards.ts).
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Session } from 'chdb'
import { clusterArguments, createCluster, onCluster } from './two-shards.ts'

const [dir, port, credentials, topology] = process.argv.slice(2) as [string, string, string, string | undefined]
const isCluster = topology === 'two-shards'
const incoming = join(dir, 'incoming')
mkdirSync(incoming, { recursive: true })
const connectionArgs = isCluster ? clusterArguments(dir) : []
const open = (): Session => new Session(join(dir, 'clickhouse'), { connectionArgs })
// kept open, because the engine ends with its last session
const keeper = open()
keeper.query('SELECT 1')
if (isCluster) createCluster(keeper)

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
const NOT_SETTINGS = new Set([
  'query',
  'query_id',
  'database',
  'session_id',
  'default_format',
  'wait_end_of_query',
  'enable_http_compression',
])
let files = 0

async function run(parameters: URLSearchParams, body: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const assignments: string[] = []
  for (const [name, value] of parameters) if (!NOT_SETTINGS.has(name)) assignments.push(`${name} = ${quoted(value)}`)
  let sql = parameters.get('query') ?? new TextDecoder().decode(body)
  let file: string | undefined
  const input = /FROM input\('((?:[^'\\]|\\.)*)'\)([\s\S]*?)FORMAT (RowBinary|JSONEachRow)/.exec(sql)
  if (input !== null && parameters.has('query')) {
    file = join(incoming, `${files++}.rows`)
    await Bun.write(file, body)
    sql = sql.replace(input[0], `FROM file(${quoted(file)}, '${input[3]}', '${input[1]}')${input[2]}`)
  }
  if (isCluster) sql = onCluster(sql)
  const session = open()
  try {
    const result = await session.queryAsync(assignments.length > 0 ? `SET ${assignments.join(', ')}; ${sql}` : sql)
    return new Uint8Array(result.bytes())
  } finally {
    session.close()
    if (file !== undefined) rmSync(file, { force: true })
  }
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(port),
  maxRequestBodySize: 1e10,
  idleTimeout: 120,
  async fetch(request) {
    const url = new URL(request.url)
    if (url.pathname === '/ping') return new Response('Ok.\n')
    if (request.headers.get('authorization') !== `Basic ${Buffer.from(credentials).toString('base64')}`)
      return new Response('Code: 516. DB::Exception: Authentication failed. (AUTHENTICATION_FAILED)', {
        status: 403,
        headers: { 'x-clickhouse-exception-code': '516' },
      })
    const raw = new Uint8Array(await request.arrayBuffer())
    const body = request.headers.get('content-encoding') === 'gzip' ? gunzipSync(raw) : raw
    try {
      return new Response(await run(url.searchParams, body))
    } catch (error) {
      const message = (error as Error).message.replace(/^Query failed: /, '')
      const code = /Code: (\d+)/.exec(message)?.[1] ?? '1'
      return new Response(message, { status: 500, headers: { 'x-clickhouse-exception-code': code } })
    }
  },
})
process.stdout.write(`listening on http://127.0.0.1:${server.port}\n`)
