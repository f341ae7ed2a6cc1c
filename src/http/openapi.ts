/** /openapi.json from the routes themselves, and /docs to read it in; the page comes from this server alone. */
import { openapi } from '@elysiajs/openapi'
import { Elysia } from 'elysia'

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

const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' }

/** @param assetsDir where swagger-ui-dist's files lie */
export function apiDescription(assetsDir: string, version: string) {
  const file = (name: 'swagger-ui.css' | 'swagger-ui-bundle.js') =>
    new Response(Bun.file(`${assetsDir}/${name}`), {
      headers: {
        'content-type': name.endsWith('.css') ? TYPES.css : TYPES.js,
        'cache-control': 'public, max-age=86400',
      },
    })
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
            description: 'Sensor readings, analytics over them, and the operator’s surface.',
          },
          tags: [
            { name: 'Sensors', description: 'Where fleets of sensors send readings' },
            { name: 'Assets', description: 'Analytics over the readings, with an organization key pair' },
            { name: 'Manage', description: 'The operator’s surface' },
            { name: 'Health', description: 'For those who run the server' },
          ],
          components: {
            securitySchemes: {
              sensorKey: { type: 'http', scheme: 'bearer', description: 'A sensor key, svcsn_…' },
              keyPair: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'Public key, svc_pk_…' },
              keySecret: { type: 'apiKey', in: 'header', name: 'X-Api-Secret', description: 'Secret key, svc_sk_…' },
              keyBearer: { type: 'http', scheme: 'bearer', description: '<public key>:<secret key>' },
              operatorToken: { type: 'http', scheme: 'bearer', description: 'The token in DATA_DIR/operator.token' },
            },
          },
        },
      }),
    )
    .get('/docs', () => new Response(PAGE, { headers: { 'content-type': 'text/html; charset=utf-8' } }), hidden)
    .get('/docs/assets/swagger-ui.css', () => file('swagger-ui.css'), hidden)
    .get('/docs/assets/swagger-ui-bundle.js', () => file('swagger-ui-bundle.js'), hidden)
    .get('/docs/assets/start.js', () => new Response(START, { headers: { 'content-type': TYPES.js } }), hidden)
}
