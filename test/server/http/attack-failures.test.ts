/** Log lines that `bench attack` accepts as a failure with a cause, written by the server's own logger. */
import { expect, test } from 'bun:test'
import pino from 'pino'
import { failuresIn } from '../../../bench/attack/failures.ts'
import { AppError } from '../../../src/errors.ts'
import { fieldText } from '../../../src/field-texts/field-text.ts'
import { errorForLog } from '../../../src/store-errors.ts'

function logged(status: number, code: string | undefined, err: unknown): string {
  const lines: string[] = []
  const logger = pino(
    { base: null, serializers: { err: errorForLog } },
    { write: (line: string) => void lines.push(line) },
  )
  logger.error({ status, code, err })
  return lines.join('')
}
const cause = new Error('the worker process ended: SIGSEGV')

test.each([
  ['a code with its cause', logged(500, 'TOOL_FAILED', cause)],
  ['a code that says why', logged(503, 'SERVICE_BUSY', new AppError('SERVICE_BUSY'))],
  [
    'a text that says why',
    logged(500, 'TOOL_FAILED', new AppError('TOOL_FAILED', { message: fieldText('callCancelled') })),
  ],
])('%s is explained', (_, line) => {
  expect(failuresIn(`Groundwave is listening\n${line}`)).toEqual({ count: 1, unexplained: [] })
})

test.each([
  ['no error', logged(503, 'SERVICE_BUSY', undefined)],
  ['no code', logged(500, undefined, cause)],
  ['a code that is not in the table', logged(500, 'NO_SUCH_CODE', cause)],
  ['an unexpected error', logged(500, 'INTERNAL_ERROR', cause)],
  ['a code that does not say why', logged(503, 'STORE_UNAVAILABLE', new AppError('STORE_UNAVAILABLE'))],
])('%s is not explained', (_, line) => {
  expect(failuresIn(line)).toEqual({ count: 1, unexplained: [line.trim()] })
})

test('other answers count as no failure', () => {
  expect(failuresIn(logged(422, 'VALIDATION_FAILED', undefined))).toEqual({ count: 0, unexplained: [] })
})
