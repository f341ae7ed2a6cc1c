/** The values of a tool's form: initial values, relevant fields, broken rules, and the parts to send. */
import { t } from '../../../text/text.ts'
import { type Entered, enteredOf, startOf, typedValue } from './entered.ts'
import { isFile, type ProcessDescription, type ProcessInput, type Schema } from './process.ts'
import { checkValue, type Faults, sizeFault } from './rules.ts'

/** Input by field; files are separate, because they cannot be stored as text. */
export type FormValues = Record<string, Entered>

/** A file of the person, or one that the service has stored already. */
export type ChosenFile =
  | { kind: 'local'; id: string; name: string; file: File }
  | { kind: 'stored'; id: string; name: string; key: string }
export type FormFiles = Record<string, ChosenFile[]>

/** The fields that a form has, without those that its page asks for elsewhere. */
export function fieldsOf({ inputs }: Pick<ProcessDescription, 'inputs'>, omit: readonly string[] = []) {
  return Object.entries(inputs).filter(([name]) => !omit.includes(name))
}

/** Required choices start with their first value, which is the most common one. */
const startOfInput = ({ schema, minOccurs }: ProcessInput): Entered =>
  schema.enum !== undefined && schema.default === undefined && minOccurs > 0 ? (schema.enum[0] ?? '') : startOf(schema)

/** @param settings values of the API to start with, for example of a saved tool */
export function initialValues(
  process: Pick<ProcessDescription, 'inputs'>,
  settings: Record<string, unknown> = {},
): FormValues {
  return Object.fromEntries(
    Object.entries(process.inputs)
      .filter(([, input]) => !isFile(input))
      .map(([name, input]) => [
        name,
        settings[name] === undefined ? startOfInput(input) : enteredOf(input.schema, settings[name]),
      ]),
  )
}

/** Whether a field applies given the other values; other fields are neither shown nor sent. */
export function isUsed(process: Pick<ProcessDescription, 'inputs'>, name: string, values: FormValues): boolean {
  const rule = process.inputs[name]?.['x-svc-usedWhen']
  return rule === undefined || (values[rule.field] === rule.equals && isUsed(process, rule.field, values))
}

/** A field that applies only sometimes, and has no default, is required when it applies. */
export const isRequired = ({ minOccurs, schema, 'x-svc-usedWhen': usedWhen }: ProcessInput): boolean =>
  minOccurs > 0 || (usedWhen !== undefined && schema.default === undefined)

const IN_METRES: Record<string, number> = { m: 1, km: 1_000, ft: 0.3048, mi: 1_609.344 }

/** The schema with its bounds in the unit that was chosen. */
export function schemaInUnit(input: ProcessInput, values: FormValues): { schema: Schema; unit: string } {
  const { schema, 'x-svc-unitInput': unitInput, 'x-svc-boundsUnit': boundsUnit } = input
  const unit = unitInput === undefined ? '' : String(values[unitInput] ?? '')
  const factor = (IN_METRES[unit] ?? 1) / (IN_METRES[boundsUnit ?? unit] ?? 1)
  if (boundsUnit === undefined || factor === 1) return { schema, unit }
  const { minimum, maximum, ...rest } = schema
  return {
    unit,
    schema: {
      ...rest,
      ...(minimum !== undefined && { minimum: minimum / factor }),
      ...(maximum !== undefined && { maximum: maximum / factor }),
    },
  }
}

export type FormContent = {
  process: Pick<ProcessDescription, 'inputs'>
  values: FormValues
  /** Undefined for a form without files. */
  files?: FormFiles
  omit?: readonly string[]
  /** A field for one file that takes several here, each for a separate run. */
  batchField?: string | undefined
}

/** Every broken rule, by the path of the value. */
export function faultsIn({ process, values, files, omit, batchField }: FormContent): Faults {
  const faults: Faults = new Map()
  for (const [name, input] of fieldsOf(process, omit)) {
    if (!isUsed(process, name, values)) continue
    if (isFile(input)) {
      if (files !== undefined) checkFiles(name, filesTaken(name, input, batchField), files[name] ?? [], faults)
      continue
    }
    const value = typedValue(input.schema, values[name])
    if (value !== undefined) checkValue(schemaInUnit(input, values).schema, value, name, faults)
    else if (isRequired(input)) faults.set(name, t('processForm.required'))
  }
  return faults
}

/** Maximum number of files in a batch. */
const MAX_BATCH = 100

/** The first field for a single file, which the other fields belong to. */
export const batchFieldOf = ({ inputs }: Pick<ProcessDescription, 'inputs'>): string | undefined =>
  Object.entries(inputs).find(([, input]) => isFile(input) && input.maxOccurs === 1)?.[0]

export const filesTaken = (name: string, input: ProcessInput, batchField: string | undefined): ProcessInput =>
  name === batchField ? { ...input, maxOccurs: MAX_BATCH } : input

/** One call for each file of the batch field. */
export function callsOf(content: FormContent): { file: ChosenFile; content: FormContent }[] {
  const { batchField, files = {} } = content
  if (batchField === undefined) return []
  return (files[batchField] ?? []).map((file) => ({
    file,
    content: { ...content, files: { ...files, [batchField]: [file] } },
  }))
}

function checkFiles(name: string, input: ProcessInput, files: readonly ChosenFile[], faults: Faults): void {
  const least = isRequired(input) ? Math.max(1, input.minOccurs) : 0
  if (files.length < least)
    faults.set(name, least === 1 ? t('processForm.noFile') : t('processForm.fewFiles', { count: least }))
  else if (files.length > input.maxOccurs) faults.set(name, t('processForm.manyFiles', { count: input.maxOccurs }))
  const most = input['x-svc-maxBytes']
  for (const one of files)
    if (most !== undefined && one.kind === 'local' && one.file.size > most)
      faults.set(name, `${one.name}: ${sizeFault(one.file.size, most)}`)
}

/** The values to send, converted to their types. Fields without a value, and fields that do not apply, are omitted. */
export function inputOf({ process, values, omit }: FormContent): Record<string, unknown> {
  return Object.fromEntries(
    fieldsOf(process, omit).flatMap(([name, input]): [string, unknown][] => {
      if (isFile(input) || !isUsed(process, name, values)) return []
      const value = typedValue(input.schema, values[name])
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** One part of a multipart form. */
export type Part = { field: string; value: string | ChosenFile }

/** The parts of a form in the order of the tool's description. */
export function partsOf(content: FormContent): Part[] {
  const input = inputOf(content)
  return fieldsOf(content.process, content.omit).flatMap(([field, description]): Part[] => {
    if (isFile(description))
      return isUsed(content.process, field, content.values)
        ? (content.files?.[field] ?? []).map((value) => ({ field, value }))
        : []
    const value = input[field]
    if (value === undefined) return []
    return [{ field, value: typeof value === 'string' ? value : JSON.stringify(value) }]
  })
}
