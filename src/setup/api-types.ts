/** TypeScript types of an OpenAPI document, by openapi-typescript, which needs an older TypeScript than Groundwave. */
import { join } from 'node:path'

const GENERATOR = join(import.meta.dir, '../../packages/openapi-client/node_modules/openapi-typescript/bin/cli.js')
const HEAD = '// Generated from /openapi.json by `bun run portal:api`; not edited by hand.\n'

/** @param document JSON text */
export async function apiTypes(document: string): Promise<string> {
  const child = Bun.spawn([process.execPath, GENERATOR], {
    stdin: new Blob([document]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [types, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`The types of the API could not be made:\n${errors}`)
  return HEAD + types.replace(/^\/\*\*[\s\S]*?\*\/\n+/, '')
}
