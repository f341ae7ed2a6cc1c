/**
 * The form of a tool, made from its process description. It neither runs nor saves anything: its parent owns the
 * values, and uses `faultsIn` and `inputOf` of values.ts to check and send them.
 */
import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { FieldFault } from '../../../text/failures.ts'
import { t } from '../../../text/text.ts'
import type { Entered } from './entered.ts'
import { FileField } from './file-field.tsx'
import { InputField } from './input-field.tsx'
import { isFile, type ProcessDescription, type ProcessInput } from './process.ts'
import type { FaultAt } from './structure-props.ts'
import { useColumns } from './use-columns.ts'
import { type ChosenFile, type FormFiles, type FormValues, faultsIn, fieldsOf, filesTaken, isUsed } from './values.ts'

export type ProcessFormProps = {
  process: Pick<ProcessDescription, 'inputs'>
  /** As returned by `initialValues`. */
  values: Signal<FormValues>
  /** How a value is changed, for a form whose values are stored; by default in `values`. */
  onChange?: (field: string, value: Entered) => void
  /** Without it, the form has no file fields. */
  files?: Signal<FormFiles>
  /** A field for one file that takes several, each for a separate run. */
  batchField?: string | undefined
  /** Fields that the page shows elsewhere, or not at all. */
  omit?: readonly string[]
  /** Checks every rule, not only the rules of fields that lost the focus. Set after an attempt to submit. */
  isChecked?: boolean
  /** Faults that the server found, with the names of the fields. Each is shown until its field is changed. */
  serverFaults?: readonly FieldFault[]
  /** Columns of a file or layer that is chosen elsewhere, by field. */
  columns?: Readonly<Record<string, readonly string[]>>
}

const CONTROLS = 'input:not([hidden]), select, textarea, button'

/** Moves the focus to the first field with a fault. */
export function focusFirstFault(): void {
  requestAnimationFrame(() => {
    const wrong = document.querySelector<HTMLElement>('.process-form .field-wrong, .process-form [aria-invalid="true"]')
    const control = wrong?.matches(CONTROLS) === true ? wrong : wrong?.querySelector<HTMLElement>(CONTROLS)
    // not behind the bar at the lower edge
    const message = wrong?.querySelector('.field-error') ?? wrong
    message?.scrollIntoView({ block: 'center' })
    control?.focus({ preventScroll: true })
  })
}

export function ProcessForm(props: ProcessFormProps) {
  const { process, files, omit, batchField, isChecked = false, serverFaults = [] } = props
  const values = props.values.value
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  // which fields were changed since the server's answer
  const changed = useMemo(() => new Set<string>(), [serverFaults])
  const columnsOfFiles = useColumns(process, files)
  const faults = faultsIn({
    process,
    values,
    batchField,
    ...(files && { files: files.value }),
    ...(omit && { omit }),
  })

  function change(field: string, value: Entered): void {
    changed.add(field)
    if (props.onChange) props.onChange(field, value)
    else props.values.value = { ...props.values.peek(), [field]: value }
  }
  function changeFiles(field: string, chosen: ChosenFile[]): void {
    if (files === undefined) return
    changed.add(field)
    files.value = { ...files.peek(), [field]: chosen }
  }
  const isBelow = (path: string, field: string): boolean => path === field || path.startsWith(`${field}.`)
  function faultAt(field: string): FaultAt {
    const isShown = isChecked || left.has(field)
    const ofServer = changed.has(field) ? [] : serverFaults.filter((fault) => isBelow(fault.field, field))
    const found = [...ofServer.map(({ field: path, message }) => [path, message] as const), ...(isShown ? faults : [])]
    return (path, isWhole = false) => {
      const own = found.find(([place]) => place === path)
      if (own !== undefined || !isWhole) return own?.[1]
      const inner = found.find(([place]) => place.startsWith(`${path}.`))
      return inner && t('processForm.faultInside', { place: inner[0].slice(path.length + 1), message: inner[1] })
    }
  }
  const unitInputs = new Set(Object.values(process.inputs).map((input) => input['x-svc-unitInput']))

  /** A unit is shown beside its value; without a visible value, it is a separate field. */
  function isBesideValue(name: string): boolean {
    return (
      unitInputs.has(name) &&
      fieldsOf(process, omit).some(
        ([other, input]) => input['x-svc-unitInput'] === name && isUsed(process, other, values),
      )
    )
  }

  const shown = fieldsOf(process, omit).filter(([name]) => isUsed(process, name, values) && !isBesideValue(name))
  // where the output is all that the tool asks about, it is not folded
  const isFolding = shown.some(([name, input]) => !isFile(input) && !OUTPUT.has(name))
  const isFolded = (name: string): boolean => isFolding && OUTPUT.has(name)
  const folded = shown.filter(([name]) => isFolded(name))
  const hasFault = folded.some(([name]) => faultAt(name)(name, true) !== undefined)

  return (
    <div class="process-form">
      {shown.filter(([name]) => !isFolded(name)).map(fieldOf)}
      {folded.length > 0 && (
        <Folded summary={t('processForm.output', { choice: outputText(folded, values) })} isForcedOpen={hasFault}>
          {folded.map(fieldOf)}
        </Folded>
      )}
    </div>
  )

  function fieldOf([name, input]: readonly [string, ProcessInput]) {
    if (isFile(input))
      return (
        files && (
          <FileField
            key={name}
            name={name}
            input={filesTaken(name, input, batchField)}
            isBatch={name === batchField}
            files={files.value[name] ?? []}
            fault={faultAt(name)(name, true)}
            onChange={(chosen) => changeFiles(name, chosen)}
          />
        )
      )
    const unitName = input['x-svc-unitInput']
    return (
      <InputField
        key={name}
        name={name}
        input={input}
        values={values}
        unit={unitOf(process.inputs, unitName)}
        columns={columnsFor(input)}
        faultAt={faultAt(name)}
        onChange={change}
        onLeave={() => setLeft((before) => (before.has(name) ? before : new Set([...before, name])))}
      />
    )
  }

  function columnsFor(input: ProcessInput): readonly string[] | undefined {
    const field = input['x-svc-columnOf']
    return field === undefined ? undefined : (props.columns?.[field] ?? columnsOfFiles[field])
  }
}

/** Fields about the form of the result, not about the work. */
const OUTPUT = new Set(['target_format', 'coordinate_precision', 'escape_formulas'])

/** The chosen format, which stands in the summary of the folded fields. */
function outputText(folded: readonly (readonly [string, ProcessInput])[], values: FormValues): string {
  const format = folded.find(([name]) => name === 'target_format')
  const value = format === undefined ? '' : String(values[format[0]] ?? '')
  return format?.[1]['x-svc-enumTitles']?.[value] ?? value
}

function Folded(props: { summary: string; isForcedOpen: boolean; children: ComponentChildren }) {
  const details = useRef<HTMLDetailsElement>(null)
  useLayoutEffect(() => {
    if (props.isForcedOpen && details.current !== null) details.current.open = true
  }, [props.isForcedOpen])
  return (
    <details ref={details} class="process-output">
      <summary>{props.summary}</summary>
      <div class="process-form">{props.children}</div>
    </details>
  )
}

const unitOf = (inputs: Record<string, ProcessInput>, name: string | undefined) => {
  const input = name === undefined ? undefined : inputs[name]
  return name === undefined || input === undefined ? undefined : { name, input }
}
