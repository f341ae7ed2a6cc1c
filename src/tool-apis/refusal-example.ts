/** The part of a refused call that the owner of a Tool API sees: its message, without any of the input. */
import { type AppError, CODES } from '../errors.ts'

/** Ends of messages that repeat a part of the input, by the rule that was broken. */
const INPUT_PARTS: Record<string, RegExp> = { range: /, not \[.*$/s, column: /; its columns are .*$/s }
/** Rules whose messages name a feature by its index and nothing else of the input. */
const PLAIN_RULES = new Set([
  'geojson',
  'features',
  'maxFeatures',
  'crs',
  'feature',
  'properties',
  'geometry',
  'type',
  'coordinates',
  'closed',
  'position',
  'object',
  'required',
  'json',
  'items',
  'names',
  'nesting',
  'outputBytes',
  'maxCells',
])

/** Messages of other rules may contain names and values of the input, so the code's general text stands for them. */
export function messageWithoutInput({ code, message, errors = [] }: AppError): string {
  const [first] = errors
  if (first === undefined) return CODES[code].en
  const inputPart = INPUT_PARTS[first.rule]
  if (inputPart !== undefined) return message.replace(inputPart, '')
  return PLAIN_RULES.has(first.rule) ? message : CODES[code].en
}
