/** Warnings while a store is away. */
import { expect, test } from 'bun:test'
import { createWarn } from '../../../src/http/observability/warnings.ts'

const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' })

test('a store that is away is reported once a minute with a count, and other errors at once', () => {
  let nowMs = 0
  const logged: unknown[] = []
  const logger = { warn: (...line: unknown[]) => void logged.push(line) }
  const warn = createWarn(logger as never, 'it failed', () => nowMs)
  const other = createWarn(logger as never, 'another one failed', () => nowMs)
  const bug = new Error('a bug')
  for (nowMs = 0; nowMs < 60_000; nowMs += 500) warn(away, { attempt: 1 + nowMs / 500 })
  other(away)
  warn(away)
  warn(away)
  warn(bug)
  expect(logged).toEqual([
    [{ err: away, attempt: 1 }, 'it failed'],
    [{ err: away }, 'another one failed'],
    [{ err: away, repeats: 119 }, 'it failed'],
    [{ err: bug, repeats: 1 }, 'it failed'],
  ])
})
