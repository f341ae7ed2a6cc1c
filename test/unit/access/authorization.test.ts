/** The table of roles covers every route that a session can reach. */
import { expect, test } from 'bun:test'
import { ruleOf, TOOL_ROUTE } from '../../../src/access/authorization.ts'
import { type AppDeps, createApp } from '../../../src/app.ts'
import { loadRegistry } from '../../../src/tools/registry.ts'

/** Anything: creating the application only passes its dependencies on. */
const anything: unknown = new Proxy(() => undefined, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => '' : name === Symbol.iterator ? undefined : anything),
  apply: () => anything,
})

async function routes(): Promise<{ method: string; path: string }[]> {
  const registry = await loadRegistry()
  /** An object with these members, and anything else that is read from it. */
  const having = (known: Record<string, unknown>) =>
    new Proxy(known, { get: (_, name) => known[String(name)] ?? anything })
  // Elysia reads the code of hooks
  const idempotency = { requireKept: () => undefined }
  const withTools = having({ registry, idempotency, limits: {} })
  const deps = having({
    assets: having({ idempotency, limits: {} }),
    enterprise: withTools,
    manage: withTools,
    toolApi: withTools,
    version: '1',
    portal: { dir: import.meta.dir, mapTiles: undefined },
    apiPageDir: import.meta.dir,
  }) as AppDeps
  const tools = new Set(registry.tools.flatMap(({ route, aliases }) => [route, ...aliases]))
  return createApp(deps).routes.map(({ method, path }) =>
    method === 'POST' && tools.has(path.replace('/enterprise/v1/gis', ''))
      ? { method, path: TOOL_ROUTE.slice('POST '.length) }
      : { method, path },
  )
}

/**
 * Open to everybody, or to holders of a key of the sensor or the Tool API (test/server/accounts/authorization.test.ts).
 */
const WITHOUT_RULE = [
  'ALL /sensors/*',
  'GET /',
  'GET /docs',
  'GET /docs/assets/start.js',
  'GET /docs/assets/swagger-ui-bundle.js',
  'GET /docs/assets/swagger-ui.css',
  'GET /enterprise/v1/gis/openapi.json',
  'GET /health/live',
  'GET /health/ready',
  'GET /metrics',
  'GET /openapi.json',
  'GET /portal',
  'GET /portal/*',
  'GET /portal/assets/:name',
  'GET /portal/map.pmtiles',
  'GET /tool-apis/:id',
  'POST /sensors/:id/readings',
  'POST /tool-apis/:id/run',
]

test('every route has a rule, or is listed as needing none', async () => {
  const all = await routes()
  const missing = all.filter(({ method, path }) => ruleOf(method, path) === undefined)
  expect([...new Set(missing.map(({ method, path }) => `${method} ${path}`))].toSorted()).toEqual(WITHOUT_RULE)
  expect(all.length).toBeGreaterThan(130)
})
