/** /openapi.json, generated from the routes, and /docs to browse it. The page loads nothing from other hosts. */
import { openapi } from '@elysiajs/openapi'
import { Elysia } from 'elysia'
import { respond } from './envelope.ts'

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

/**
 * @param assetsDir folder of swagger-ui-dist
 * @param schemas components that the operations refer to
 */
export function apiDescription(assetsDir: string, version: string, schemas: object) {
  const asset = (name: string) => Bun.file(`${assetsDir}/${name}`)
  const hidden = { detail: { hide: true } }
  return new Elysia({ name: 'api-description' })
    .use(
      openapi({
        provider: null,
        path: '/docs',
        specPath: '/openapi.json',
        documentation: {
          info: {
            title: 'Groundwave',
            version,
            description:
              'Ingest sensor readings, query them, and run geoprocessing tools.\n\nEvery JSON response is an envelope with `ok`, `statusCode`, `code`, `message`, `path`, `method`, `timestamp` and `requestId`. A successful response adds `data`. A failed response adds `errors`, a list of `{field, rule, message}`, when fields are at fault. Rely on `code`, not on `message`: codes are stable. Responses with status 429 or 503 carry `Retry-After` in seconds.',
          },
          tags: [
            { name: 'Sensors', description: 'Upload readings with the key of a sensor.' },
            {
              name: 'Assets',
              description: 'Query readings, series, positions and zone events with an organization key pair.',
            },
            {
              name: 'GIS',
              description: 'Run geoprocessing tools with an organization key pair; read runs, jobs and files.',
            },
            { name: 'Tool API', description: 'Run one saved tool with its own key (beta).' },
            { name: 'Manage', description: 'Manage enterprises, people and what they own, with the operator token.' },
            { name: 'Health', description: 'Check the state of the server.' },
          ],
          components: {
            schemas: schemas as never,
            securitySchemes: {
              sensorKey: { type: 'http', scheme: 'bearer', description: 'Sensor key (`svcsn_…`).' },
              keyPair: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'Public key (`svc_pk_…`).' },
              keySecret: {
                type: 'apiKey',
                in: 'header',
                name: 'X-Api-Secret',
                description: 'Secret key (`svc_sk_…`). Keep it on the server side.',
              },
              keyBearer: {
                type: 'http',
                scheme: 'bearer',
                description: 'Public and secret key in one header: `<public key>:<secret key>`.',
              },
              toolApiKey: { type: 'http', scheme: 'bearer', description: 'Key of the Tool API (`svcapi_…`).' },
              operatorToken: {
                type: 'http',
                scheme: 'bearer',
                description: 'Operator token, found in the file `operator.token` in `DATA_DIR`.',
              },
            },
          },
        },
      }),
    )
    .get(
      '/docs',
      ({ request }) => {
        const page = respond(request, PAGE, TYPES.html)
        page.headers.set('content-security-policy', PAGE_POLICY)
        return page
      },
      hidden,
    )
    .get('/docs/assets/swagger-ui.css', ({ request }) => respond(request, asset('swagger-ui.css'), TYPES.css), hidden)
    .get(
      '/docs/assets/swagger-ui-bundle.js',
      ({ request }) => respond(request, asset('swagger-ui-bundle.js'), TYPES.js),
      hidden,
    )
    .get('/docs/assets/start.js', ({ request }) => respond(request, START, TYPES.js), hidden)
}
