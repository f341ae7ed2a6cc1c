/** Reads the messages of worker processes. A process may run foreign code, so every message is validated. */
import { type Static, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { checkStructure, MAX_NESTING } from '../json-text.ts'
import { WARNING_CODES } from '../warnings/warning.ts'
import type { FromWorker } from './protocol.ts'

const closed = { additionalProperties: false }
const run = Type.Integer({ minimum: 0 })
const name = Type.String({ maxLength: 1_000 })
const number = Type.Number({ minimum: 0 })

const outputFile = Type.Object(
  {
    role: Type.Union([Type.Literal('output'), Type.Literal('preview')]),
    path: Type.String(),
    filename: name,
    mediaType: name,
    crs: Type.Optional(Type.Union([name, Type.Null()])),
  },
  closed,
)
const warningCode = Type.Union(WARNING_CODES.map((code) => Type.Literal(code)))
const text = Type.Union([Type.String(), Type.Number()])
const warning = Type.Recursive((one) => {
  const value = Type.Union([text, Type.Array(text), one])
  return Type.Object({ code: warningCode, values: Type.Optional(Type.Record(Type.String(), value)) }, closed)
})
const result = Type.Object(
  {
    data: Type.Record(Type.String(), Type.Unknown()),
    files: Type.Optional(Type.Array(outputFile)),
    text: Type.Optional(Type.String()),
    features: Type.Optional(number),
    warnings: Type.Optional(Type.Array(warning)),
    dataPath: Type.Optional(Type.String()),
  },
  closed,
)
const fieldError = Type.Object({
  field: Type.String(),
  rule: Type.String(),
  message: Type.String(),
  messageAr: Type.String(),
  feature: Type.Optional(number),
  row: Type.Optional(number),
})
const failure = Type.Union([
  Type.Object(
    {
      kind: Type.Literal('expected'),
      code: name,
      message: Type.String(),
      messageAr: Type.String(),
      errors: Type.Optional(Type.Array(fieldError)),
      cause: Type.Optional(Type.String()),
    },
    closed,
  ),
  Type.Object({ kind: Type.Literal('unexpected'), message: Type.String(), stack: Type.String() }, closed),
])
const finished = {
  run,
  worked: Type.Optional(Type.Object({ fromMs: number, toMs: number }, closed)),
  hasFolder: Type.Optional(Type.Boolean()),
}
const message = Type.Union([
  Type.Object({ ready: Type.Literal(true), missing: Type.Optional(Type.String()) }, closed),
  Type.Object({ run, progress: Type.Number({ minimum: 0, maximum: 1 }) }, closed),
  Type.Object({ run, share: Type.Array(Type.Unknown()) }, closed),
  Type.Object({ run, requestPart: Type.Literal(true) }, closed),
  Type.Object({ ...finished, result, cachedBytes: number }, closed),
  Type.Object({ ...finished, value: Type.Optional(Type.Unknown()) }, closed),
  Type.Object({ ...finished, failure }, closed),
])
const check = TypeCompiler.Compile(message)

/** Shorter messages are parsed without a check. */
const SHORT_BYTES = 4_096
/** Limit for a result's data, which may repeat the input. */
const MAX_LEVELS = 2 * MAX_NESTING

/** @param translate changes the paths in it @returns undefined for anything else */
export function readMessage(bytes: Buffer, translate: (text: string) => string): FromWorker | undefined {
  let value: unknown
  try {
    // parsing a megabyte of brackets would hold the server's thread for seconds
    if (bytes.length > SHORT_BYTES) checkStructure(bytes, { maxNesting: MAX_LEVELS })
    value = JSON.parse(translate(bytes.toString()))
  } catch {
    return undefined
  }
  return check.Check(value) ? (value as Static<typeof message> as FromWorker) : undefined
}
