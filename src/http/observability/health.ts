/** Liveness and readiness probes. */
import { Elysia } from 'elysia'
import { AppError } from '../../errors.ts'
import { failureResponse, succeed } from '../envelope.ts'
import { number, object, oneOf, operationsOf } from '../openapi/openapi-schemas.ts'

/** A check for each named part. It throws when the part does not work; its result is shown as detail. */
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

export async function checkParts(parts: Parts): Promise<Record<string, PartState>> {
  const states = await Promise.all(Object.values(parts).map(check))
  return Object.fromEntries(Object.keys(parts).map((name, i) => [name, states[i] as PartState]))
}

const partState = object({ status: oneOf('ok', 'failing'), durationMs: number, detail: {} }, ['status', 'durationMs'])

const operation = operationsOf('Health')

export function health(parts: Parts) {
  return new Elysia({ name: 'health' })
    .get(
      '/health/live',
      ({ request }) => succeed(request, { status: 'live' }),
      operation({
        summary: 'Check liveness',
        description: 'Returns 200 while the process runs. Stores are not checked.',
        result: object({ status: { const: 'live' } }),
      }),
    )
    .get(
      '/health/ready',
      async ({ request }) => {
        const states = await checkParts(parts)
        const data = { parts: states }
        if (Object.values(states).every(({ status }) => status === 'ok')) return succeed(request, data)
        return failureResponse(request, new AppError('NOT_READY'), data)
      },
      operation({
        summary: 'Check readiness',
        description:
          'Returns 200 when every part works: stores, worker processes and ingestion. Otherwise returns 503 with the code `NOT_READY`. `data.parts` lists each part with its status, `ok` or `failing`, and the duration of its check.',
        result: object({ parts: { type: 'object', additionalProperties: partState } }),
      }),
    )
}
