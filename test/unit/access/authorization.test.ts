/** Every route that a session can reach declares its rights. */
import { expect, test } from 'bun:test'
import { READERS, rulesOf } from '../../../src/access/authorization.ts'
import { type AppDeps, createApp } from '../../../src/app.ts'
import { loadRegistry } from '../../../src/tools/registry.ts'

/** Anything: creating the application only passes its dependencies on. */
const anything: unknown = new Proxy(() => undefined, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => '' : name === Symbol.iterator ? undefined : anything),
  apply: () => anything,
})

async function routes() {
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
  return createApp(deps).routes
}

/**
 * Open to everybody, or to holders of a link, or of a key of the sensor or the Tool API (test/server/accounts/authorization.test.ts).
 */
const WITHOUT_RULE = [
  'ALL /ingest/*',
  'ALL /sensors/*',
  'GET /',
  'GET /docs',
  'GET /docs/assets/start.js',
  'GET /docs/assets/swagger-ui-bundle.js',
  'GET /docs/assets/swagger-ui.css',
  'GET /enterprise/v1/gis/openapi.json',
  'GET /health',
  'GET /health/live',
  'GET /health/ready',
  'GET /mail/confirm/:token',
  'GET /mail/unsubscribe/:token',
  'GET /metrics',
  'GET /openapi.json',
  'GET /ping',
  'GET /portal',
  'GET /portal/*',
  'GET /portal/assets/:name',
  'GET /portal/map.pmtiles',
  'GET /shared-dashboard',
  'GET /tool-apis/:id',
  'HEAD /ping',
  'POST /api/v2/write',
  'POST /ingest/chirpstack',
  'POST /ingest/readings',
  'POST /ingest/ttn',
  'POST /mail/confirm/:token',
  'POST /mail/unsubscribe/:token',
  'POST /query',
  'POST /sensors/:id/readings',
  'POST /shared-dashboard/panels',
  'POST /tool-apis/:id/run',
  'POST /write',
]

test('every route declares its rights, or is listed as needing none', async () => {
  const all = await routes()
  const ruleOf = rulesOf(all)
  const missing = all.filter(({ method, path }) => ruleOf(method, path) === undefined)
  expect([...new Set(missing.map(({ method, path }) => `${method} ${path}`))].toSorted()).toEqual(WITHOUT_RULE)
  expect(all.length).toBeGreaterThan(130)
})

test('a route has the rule that it declares, and none if it declares none', () => {
  const rights = { of: 'server', for: READERS } as const
  const ruleOf = rulesOf([
    { method: 'GET', path: '/a/:id', hooks: { detail: { rights } } },
    { method: 'POST', path: '/a/:id', hooks: { detail: {} } },
    { method: 'PATCH', path: '/a/:id', hooks: {} },
  ])
  expect(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'].map((method) => ruleOf(method, '/a/:id'))).toEqual([
    rights,
    // answered by the route for GET
    rights,
    undefined,
    undefined,
    undefined,
  ])
})
