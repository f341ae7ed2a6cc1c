/** The lower bound for JSON tools: a route of Elysia that parses the same body and answers with it. */
import { Elysia } from 'elysia'

const app = new Elysia()
  .post('/', async ({ request }) => Response.json(await request.json()), { parse: 'none' })
  .listen({ port: 0, hostname: '127.0.0.1' })
process.stdout.write(`listening on http://127.0.0.1:${app.server?.port}\n`)
