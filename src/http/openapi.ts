/** /openapi.json from the routes themselves, and /docs to read it in; the page comes from this server alone. */
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

const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null, defaultModelsExpandDepth: 0 })\n`

const TYPES = { html: 'text/html; charset=utf-8', css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' }

/**
 * @param assetsDir where swagger-ui-dist's files lie
 * @param schemas components that descriptions of routes refer to
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
            description: 'Sensor readings, analytics over them, geoprocessing tools, and the operator’s surface.',
          },
          tags: [
            { name: 'Sensors', description: 'Where fleets of sensors send readings' },
            { name: 'Assets', description: 'Analytics over the readings, with an organization key pair' },
            {
              name: 'GIS',
              description: 'Geoprocessing tools with an organization key pair, their runs, jobs and files',
            },
            { name: 'Tool API', description: 'One saved tool with a key of its own (beta)' },
            { name: 'Manage', description: 'The operator’s surface' },
            { name: 'Health', description: 'For those who run the server' },
          ],
          components: {
            schemas: schemas as never,
            securitySchemes: {
              sensorKey: { type: 'http', scheme: 'bearer', description: 'A sensor key, svcsn_…' },
              keyPair: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'Public key, svc_pk_…' },
              keySecret: { type: 'apiKey', in: 'header', name: 'X-Api-Secret', description: 'Secret key, svc_sk_…' },
              keyBearer: { type: 'http', scheme: 'bearer', description: '<public key>:<secret key>' },
              toolApiKey: { type: 'http', scheme: 'bearer', description: 'The key of a Tool API, svcapi_…' },
              operatorToken: { type: 'http', scheme: 'bearer', description: 'The token in DATA_DIR/operator.token' },
            },
          },
        },
      }),
    )
    .get('/docs', ({ request }) => respond(request, PAGE, TYPES.html), hidden)
    .get('/docs/assets/swagger-ui.css', ({ request }) => respond(request, asset('swagger-ui.css'), TYPES.css), hidden)
    .get(
      '/docs/assets/swagger-ui-bundle.js',
      ({ request }) => respond(request, asset('swagger-ui-bundle.js'), TYPES.js),
      hidden,
    )
    .get('/docs/assets/start.js', ({ request }) => respond(request, START, TYPES.js), hidden)
}
