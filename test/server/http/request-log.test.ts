/** Lines of requests equal pino's output for the same object, also for unusual paths. */
import { expect, setSystemTime, test } from 'bun:test'
import pino from 'pino'
import { createRequestLog } from '../../../src/http/observability/log.ts'
import type { RequestContext } from '../../../src/http/request-context.ts'

const contextOf = (method: string, path: string, requestId: string = Bun.randomUUIDv7()): RequestContext => ({
  requestId,
  method,
  path,
  startedMs: performance.now(),
})
const NOW = new Date('2026-01-02T03:04:05.678Z')

function linesOf(level: string, contexts: RequestContext[]): { ours: string[]; pinos: string[] } {
  const [ours, pinos]: [string[], string[]] = [[], []]
  const into = (lines: string[]) =>
    pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write: (line) => void lines.push(line) })
  const [logger, reference] = [into(ours), into(pinos)]
  const log = createRequestLog(logger, { request: () => undefined })
  for (const requestContext of contexts) {
    log(requestContext, '/route')
    const { requestId, method, path, caller, status, code, error } = requestContext
    const { durationMs } = JSON.parse(ours.at(-1) ?? '{}') as { durationMs?: number }
    const line = { requestId, method, path, caller, status, durationMs, code, err: error }
    if ((status ?? 0) >= 500) reference.error(line)
    else reference.info(line)
  }
  return { ours, pinos }
}

const PATHS = ['/health/live', '/a"b\\c', '/tab\t\u0000\u001f', '/مسار/😀', '/\ud800alone', '/é\u2028\u007f']

test('the text of each line equals pino’s', () => {
  setSystemTime(NOW)
  const contexts = PATHS.flatMap((path): RequestContext[] => [
    { ...contextOf('GET', path), status: 200 },
    { ...contextOf('POST', path, 'own-id'), status: 401, code: 'SENSOR_KEY_INVALID' },
    { ...contextOf('M-SEARCH', path), status: 404, caller: 'sen_1', code: 'NOT_FOUND' },
    { ...contextOf('GET', path), status: 400, error: new Error('why') },
    { ...contextOf('GET', path), status: 500, error: new Error('why'), code: 'INTERNAL_ERROR' },
  ])
  try {
    const { ours, pinos } = linesOf('info', contexts)
    expect(ours).toHaveLength(contexts.length)
    expect(ours).toEqual(pinos)
    expect(JSON.parse(ours[0] as string)).toMatchObject({ time: NOW.toISOString(), path: PATHS[0], status: 200 })
  } finally {
    setSystemTime()
  }
})

test('nothing is written below the log level, and cheap refusals only at debug', () => {
  const contexts: RequestContext[] = [
    { ...contextOf('GET', '/'), status: 200 },
    { ...contextOf('GET', '/'), status: 429, code: 'KEY_FAILURES_LIMITED' },
  ]
  expect(linesOf('warn', contexts).ours).toEqual([])
  expect(linesOf('info', contexts).ours).toHaveLength(1)
  expect(linesOf('debug', contexts).ours).toHaveLength(2)
})
