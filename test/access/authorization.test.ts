/** The table of roles covers every route that a session can reach. */
import { expect, test } from 'bun:test'
import { ruleOf, TOOL_ROUTE } from '../../src/access/authorization.ts'
import { type AppDeps, createApp } from '../../src/app.ts'
import { loadRegistry } from '../../src/tools/registry.ts'

/** Anything: creating the application only passes its dependencies on. */
const anything: unknown = new Proxy(() => undefined, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => '' : name === Symbol.iterator ? undefined : anything),
  apply: () => anything,
})

async function routes(): Promise<{ method: string; path: string }[]> {
  const registry = await loadRegistry()
  const withTools = { registry, limits: {} }
  const toolApi = new Proxy(withTools, { get: (own, name) => (name === 'registry' ? own.registry : anything) })
  const known: Record<string, unknown> = {
    ...{ assets: { limits: {} }, enterprise: withTools, manage: withTools, toolApi },
    ...{ version: '1', portalDir: import.meta.dir, apiPageDir: import.meta.dir },
  }
  const deps = new Proxy({} as AppDeps, { get: (_, name) => known[String(name)] ?? anything })
  const tools = new Set(registry.tools.flatMap(({ route, aliases }) => [route, ...aliases]))
  return createApp(deps)
    .routes.filter(({ path }) => /^\/(manage\/v1|enterprise\/v1|auth)\//.test(path))
    .map(({ method, path }) =>
      method === 'POST' && tools.has(path.replace('/enterprise/v1/gis', ''))
        ? { method, path: TOOL_ROUTE.slice('POST '.length) }
        : { method, path },
    )
}

test('every route has a rule', async () => {
  const all = await routes()
  // the description of the tools is public
  const open = ['/enterprise/v1/gis/openapi.json']
  const missing = all.filter(({ method, path }) => !open.includes(path) && ruleOf(method, path) === undefined)
  expect(missing).toEqual([])
  expect(all.length).toBeGreaterThan(130)
})
