/** /openapi.json, generated from the routes, and /docs to browse it. The page loads nothing from other hosts. */
import { toOpenAPISchema } from '@elysiajs/openapi'
import { OptionalKind, type TSchema } from '@sinclair/typebox'
import { type AnyElysia, Elysia } from 'elysia'
import { IDEMPOTENCY_HOURS } from '../../errors.ts'
import { turnOfDocument } from '../../event-loop-yield.ts'
import { respond } from '../envelope.ts'
import { fixedJson } from '../fixed-document.ts'
import { answer, type Contract, failure, type Json, SECURITY_SCHEMES } from './openapi-schemas.ts'

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Groundwave API</title>
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/assets/start.js"></script>
</body>
</html>
`

/** The page loads its own files only; Swagger UI sets styles and draws icons from data URLs. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'"

const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null, defaultModelsExpandDepth: 0 })\n`

const TYPES = { html: 'text/html; charset=utf-8', css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' }

const OPENAPI_VERSION = '3.1.0'
const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH']

const INFO = {
  title: 'Groundwave',
  description:
    'Ingest sensor readings, query them, and run geoprocessing tools.\n\nEvery JSON response is an envelope with `ok`, `statusCode`, `code`, `message`, `path`, `method`, `timestamp` and `requestId`. A successful response adds `data`. A failed response adds `errors`, a list of `{field, rule, message, messageAr}`, when fields are at fault. `messageAr` is the text in Arabic. A fault in one of many features or rows adds its index, `feature` (from 0) or `row` (from 1). Rely on `code`, not on `message`: codes are stable. Responses with status 429 or 503 carry `Retry-After` in seconds.',
}

const TAGS = [
  { name: 'Sensors', description: 'Upload readings with the key of a sensor.' },
  {
    name: 'Assets',
    description: 'Query readings, series, positions and zone events with an organization key pair or a session.',
  },
  {
    name: 'GIS',
    description: 'Run geoprocessing tools with an organization key pair or a session; read runs, jobs and files.',
  },
  { name: 'Tool API', description: 'Run one saved tool with its own key (beta).' },
  { name: 'Shared dashboards', description: 'Read the panels of one dashboard with a link.' },
  {
    name: 'Manage',
    description: `Manage enterprises, people and their records. The operator token allows everything; a session allows the calls that the role of the account with the owner includes (otherwise \`FORBIDDEN\`, with \`data\`: \`cause\` is \`role\`, \`operator\` or \`suspended\`, with \`role\` and \`roles\`, or the \`reason\` of the suspension). Records of other owners are \`NOT_FOUND\`. Single records have an \`ETag\`; a change with \`If-Match\` is made only if the record is still the same, and otherwise fails with \`PRECONDITION_FAILED\` and the current record in \`data\`. A POST with an \`Idempotency-Key\` of up to 255 characters can be sent again for ${IDEMPOTENCY_HOURS} hours: it gets the first answer, with \`Idempotency-Replayed: true\`, and creates nothing more. While the first request is at work, it gets \`IDEMPOTENCY_KEY_IN_USE\` with \`Retry-After\`.`,
  },
  { name: 'Accounts', description: 'Sign in to the portal; accounts, their sessions and one-time links.' },
  { name: 'Health', description: 'Check the state of the server.' },
]

type Parameter = Json & { name?: unknown; in?: unknown }
type Operation = Json & Pick<Contract, 'result' | 'requestBody' | 'responses'> & { parameters?: Parameter[] }

const anyFile = { description: 'The content', content: { 'application/octet-stream': {} } }

/**
 * The document of all routes. Elysia's plugin knows parameters; bodies and responses are added here, because it leaves
 * out bodies that the server parses itself, and responses that it does not validate.
 */
function documentOf(app: AnyElysia, version: string, schemas: Json, webhooks: Json): Json {
  const { paths } = toOpenAPISchema(app, { paths: [/^\/docs/, '/openapi.json'] }, undefined, undefined, OPENAPI_VERSION)
  const operations = paths as unknown as Record<string, Record<string, Operation>>
  for (const { method, path, hooks } of app.routes) {
    const openPath = path.replace(/:([^/]+)/g, '{$1}')
    const operation = operations[openPath]?.[method.toLowerCase()]
    if (operation === undefined) continue
    // the plugin drops the headers of routes with parameters in the path
    const { parameters = [] } = operation
    const declared = (hooks.detail as { parameters?: Parameter[] } | undefined)?.parameters ?? []
    const dropped = declared.filter(
      ({ name, in: at }) => at === 'header' && !parameters.some((known) => known.name === name),
    )
    if (dropped.length > 0) operation.parameters = [...parameters, ...dropped]
    if (hooks.body !== undefined && METHODS_WITH_BODY.includes(method)) {
      const required = !(OptionalKind in (hooks.body as TSchema))
      operation.requestBody = { required, content: { 'application/json': { schema: hooks.body } } }
    }
    const { result } = operation
    delete operation.result
    delete operation.rights
    if (result === undefined) continue
    operation.responses ??= {
      200: result === 'file' ? anyFile : answer('The result', result),
      default: failure('A failure, identified by `code`'),
    }
  }
  const info = { ...INFO, version }
  return {
    openapi: OPENAPI_VERSION,
    info,
    tags: TAGS,
    paths,
    webhooks,
    components: { schemas, securitySchemes: SECURITY_SCHEMES },
  }
}

/**
 * @param app the application with all routes that the document describes
 * @param assetsDir folder of swagger-ui-dist
 * @param parts components that operations and webhooks refer to, and the webhooks
 */
export function apiDescription(
  app: AnyElysia,
  assetsDir: string,
  version: string,
  { schemas, webhooks }: { schemas: Json; webhooks: Json },
) {
  async function answerAsset(request: Request, name: string, type: string): Promise<Response> {
    await turnOfDocument()
    return respond(request, Bun.file(`${assetsDir}/${name}`), type)
  }
  const hidden = { detail: { hide: true } }
  const document = fixedJson(() => documentOf(app, version, schemas, webhooks))
  return new Elysia({ name: 'api-description' })
    .get('/openapi.json', ({ request }) => document(request), hidden)
    .get(
      '/docs',
      ({ request }) => {
        const page = respond(request, PAGE, TYPES.html)
        page.headers.set('content-security-policy', PAGE_POLICY)
        return page
      },
      hidden,
    )
    .get('/docs/assets/swagger-ui.css', ({ request }) => answerAsset(request, 'swagger-ui.css', TYPES.css), hidden)
    .get(
      '/docs/assets/swagger-ui-bundle.js',
      ({ request }) => answerAsset(request, 'swagger-ui-bundle.js', TYPES.js),
      hidden,
    )
    .get('/docs/assets/start.js', ({ request }) => respond(request, START, TYPES.js), hidden)
}
