/** Maps errors of tools to the codes of the Tool API: for the input, the result or the bound item. */
import { AppError, type Code, fieldFailure, fieldsFailure } from '../../errors.ts'
import type { Tool } from '../../tools/tool.ts'

/** Rules about the result, not about the input. */
const RESULT_RULES = new Set(['outputBytes', 'maxCells'])
/** Codes that are passed through unchanged. */
const OWN = new Set<Code>([
  'MEDIA_TYPE_UNSUPPORTED',
  'REQUEST_TIMEOUT',
  'API_KEY_QUOTA',
  'ENTERPRISE_API_DAILY_LIMIT',
  'IDEMPOTENCY_KEY_IN_USE' as const,
  'IDEMPOTENCY_KEY_REUSED' as const,
])

export function asToolApiError(error: unknown, tool: Tool): unknown {
  if (!(error instanceof AppError)) return error
  const { code, errors = [], status } = error
  if (code.startsWith('TOOL_API_') || status >= 500 || OWN.has(code)) return error
  const [first] = errors
  if (code === 'BODY_TOO_LARGE') return new AppError('TOOL_API_INPUT_TOO_LARGE', { errors, cause: error })
  // callers must not learn details about the bound item
  if (first !== undefined && first.field === tool.saved?.second?.field)
    return new AppError('TOOL_API_BINDING_MISSING', { cause: error })
  if (code === 'FILE_TOO_LARGE' || RESULT_RULES.has(first?.rule ?? '')) {
    const isResult = first === undefined || RESULT_RULES.has(first.rule)
    return new AppError(isResult ? 'TOOL_API_RESULT_TOO_LARGE' : 'TOOL_API_INPUT_TOO_LARGE', { cause: error })
  }
  const isSetting = first !== undefined && first.field !== 'file' && first.field in tool.input.properties
  if (first === undefined)
    return fieldFailure(
      'TOOL_API_INPUT_INVALID',
      'body.input',
      'input',
      { en: error.message, ar: error.messageAr },
      error,
    )
  const { field, message, messageAr } = first
  const named = isSetting && { message: `${field} ${message}`, messageAr: `${field}: ${messageAr}` }
  return fieldsFailure('TOOL_API_INPUT_INVALID', [{ ...first, field: 'body.input', ...named }], error)
}
