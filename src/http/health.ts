/** Whether the process lives, and whether it can do its work. */
import { Elysia } from 'elysia'
import { succeed } from './envelope.ts'
import { exchangeOf } from './exchange.ts'

/** Named parts, each with a check that throws, or says what is wrong, when the part cannot do its work. */
export type Parts = Record<string, () => Promise<unknown>>

const CHECK_TIMEOUT_MS = 3_000

type PartState = { status: 'ok' | 'failing'; durationMs: number; detail?: unknown }

async function check(part: () => Promise<unknown>): Promise<PartState> {
  const startedMs = performance.now()
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('no answer')), CHECK_TIMEOUT_MS)
  const since = (): number => Math.round((performance.now() - startedMs) * 10) / 10
  try {
    const detail = await Promise.race([part(), late.promise])
    return { status: 'ok', durationMs: since(), ...(detail === undefined ? {} : { detail }) }
  } catch {
    return { status: 'failing', durationMs: since() }
  } finally {
    clearTimeout(timer)
  }
}

export function health(parts: Parts) {
  return new Elysia({ name: 'health' })
    .get('/health/live', ({ request }) => succeed(request, { status: 'live' }), {
      detail: { tags: ['Health'], summary: 'The process lives' },
    })
    .get(
      '/health/ready',
      async ({ request }) => {
        const names = Object.keys(parts)
        const states = await Promise.all(Object.values(parts).map(check))
        const data = { parts: Object.fromEntries(names.map((name, i) => [name, states[i]])) }
        if (states.every(({ status }) => status === 'ok')) return succeed(request, data)
        exchangeOf(request).code = 'NOT_READY'
        return Response.json(
          { ...succeed(request, data), ok: false, statusCode: 503, code: 'NOT_READY', message: 'A part is failing.' },
          { status: 503, headers: { 'retry-after': '5', 'x-request-id': exchangeOf(request).requestId } },
        )
      },
      { detail: { tags: ['Health'], summary: 'Every part can do its work' } },
    )
}
