/**
 * `bun run portal:api`: writes src/portal/api/schema.d.ts, the types of our API for the portal's client. `bun run types`
 * does it first. It starts a server on an empty folder to read its /openapi.json.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './build-portal.ts'

/** openapi-typescript; it needs an older TypeScript than Groundwave. */
const GENERATOR = join(ROOT, 'packages/openapi-client/node_modules/openapi-typescript/bin/cli.js')
const HEAD = '// Generated from /openapi.json by `bun run portal:api`; not edited by hand.\n'

/** @param document JSON text */
async function apiTypes(document: string): Promise<string> {
  const child = Bun.spawn([process.execPath, GENERATOR], {
    stdin: new Blob([document]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [types, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`The types of the API could not be made:\n${errors}`)
  return HEAD + types.replace(/^\/\*\*[\s\S]*?\*\/\n+/, '')
}

const dir = await mkdtemp(join(tmpdir(), 'groundwave-api-'))
const server = Bun.spawn([process.execPath, 'src/main.ts'], {
  cwd: ROOT,
  env: { ...process.env, DATA_DIR: join(dir, 'data'), PORT: '0', LOG_LEVEL: 'silent' },
  stdout: 'pipe',
  stderr: 'inherit',
})

async function addressOf(output: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of output) {
    text += new TextDecoder().decode(chunk)
    const address = text.match(/listening on (\S+)/)?.[1]
    if (address !== undefined) return address
  }
  throw new Error(`The server did not start:\n${text}`)
}

try {
  const document = await (await fetch(`${await addressOf(server.stdout)}/openapi.json`)).text()
  await Bun.write(join(ROOT, 'src/portal/api/schema.d.ts'), await apiTypes(document))
} finally {
  server.kill('SIGTERM')
  await server.exited
  await rm(dir, { recursive: true, force: true })
}
