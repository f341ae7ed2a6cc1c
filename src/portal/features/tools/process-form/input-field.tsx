/** One field of a tool: label, help and fault around the control that fits its schema. */
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { lengthUnit } from '../../../text/measures.ts'
import { inDigits, t } from '../../../text/text.ts'
import { Field } from '../../../ui/field.tsx'
import {
  type Attributes,
  ChoicesControl,
  ColumnsControl,
  ListControl,
  SelectControl,
  TextControl,
} from './controls.tsx'
import { type Entered, hasHiddenRows, jsonTextOf, shapeOf } from './entered.ts'
import type { ProcessInput } from './process.ts'
import { boundsText } from './rules.ts'
import { StructureField } from './structure-field.tsx'
import type { FaultAt } from './structure-props.ts'
import { type FormValues, isRequired, schemaInUnit } from './values.ts'

export type InputFieldProps = {
  name: string
  input: ProcessInput
  values: FormValues
  /** The field that holds the unit of this one. */
  unit: { name: string; input: ProcessInput } | undefined
  /** Columns of the file that the field names one of. */
  columns: readonly string[] | undefined
  faultAt: FaultAt
  onChange: (field: string, value: Entered) => void
  onLeave: () => void
}

export function InputField(props: InputFieldProps) {
  const { name, input, values, faultAt, columns } = props
  const entered = values[name] ?? ''
  const onInput = (value: Entered): void => props.onChange(name, value)
  const shape = jsonTextOf(entered) === undefined ? shapeOf(input.schema) : 'json'
  const isColumn = input['x-svc-columnOf'] !== undefined
  // the other shapes have controls for their parts
  const isWhole = shape === 'json' || shape === 'list' || shape === 'choices' || hasHiddenRows(entered)
  const fault = faultAt(name, isWhole)

  if (shape === 'flag')
    return (
      <FlagField
        name={name}
        input={input}
        isOn={entered === true}
        fault={fault}
        onChange={(isOn) => props.onChange(name, isOn)}
      />
    )
  if (shape === 'choices' || (isColumn && shape === 'list' && columns !== undefined)) {
    const chosen = Array.isArray(entered) ? entered.map(String) : []
    return (
      <Group name={name} input={input} fault={fault} onLeave={props.onLeave}>
        {shape === 'choices' ? (
          <ChoicesControl schema={input.schema} chosen={chosen} isWrong={fault !== undefined} onChange={onInput} />
        ) : (
          <ColumnsControl columns={columns ?? []} chosen={chosen} onChange={onInput} />
        )}
      </Group>
    )
  }
  if (shape === 'rows' || shape === 'pairs' || shape === 'group' || shape === 'json')
    return (
      <Group name={name} input={input} fault={fault} onLeave={props.onLeave}>
        <StructureField
          schema={input.schema}
          path={name}
          label={input.title}
          entered={entered}
          faultAt={faultAt}
          onChange={onInput}
        />
      </Group>
    )
  return (
    <div data-field={name}>
      <Field label={labelOf(input)} help={helpOf(props)} error={fault}>
        {(attributes) => <WithUnit {...props}>{control(attributes)}</WithUnit>}
      </Field>
    </div>
  )

  function control(attributes: Attributes) {
    const common = { attributes, onInput, onLeave: props.onLeave }
    const value = String(entered)
    const { schema } = input
    if (shape === 'choice')
      return (
        <SelectControl
          {...common}
          value={value}
          schema={{ ...schema, 'x-svc-enumTitles': input['x-svc-enumTitles'] ?? {} }}
          isOptional={!isRequired(input) && schema.default === undefined}
        />
      )
    if (shape === 'list')
      return <ListControl {...common} schema={schema} lines={Array.isArray(entered) ? entered : []} />
    if (isColumn && columns !== undefined)
      return <SelectControl {...common} value={value} schema={{ enum: withValue(columns, value) }} isOptional />
    return <TextControl {...common} value={value} schema={schema} />
  }
}

/** A column that the file does not have stays visible, so that it can be changed. */
const withValue = (columns: readonly string[], value: string): string[] =>
  value === '' || columns.includes(value) ? [...columns] : [value, ...columns]

const labelOf = (input: ProcessInput): string =>
  isRequired(input) || input.schema.default !== undefined
    ? input.title
    : t('processForm.optional', { title: input.title })

/** The description, the bounds that it does not mention, and where the names of columns come from. */
function helpOf({ input, values, columns }: InputFieldProps): string {
  const { schema, unit } = schemaInUnit(input, values)
  const { minimum, maximum, exclusiveMinimum } = schema
  const isShape = shapeOf(schema) === 'number'
  const bounds = isShape ? boundsText({ minimum, maximum, exclusiveMinimum }, 'hints', lengthUnit(unit)) : ''
  const hint = input['x-svc-columnOf'] !== undefined && columns === undefined ? t('processForm.columnHint') : ''
  return [inDigits(input.description), bounds, hint].filter((text) => text !== '').join(' · ')
}

/** The unit is shown after the number, as it is written. */
function WithUnit({ unit, values, onChange, children }: InputFieldProps & { children: ComponentChildren }) {
  if (unit === undefined) return <>{children}</>
  const { name, input } = unit
  return (
    <div class="with-unit">
      {children}
      <select
        aria-label={input.title}
        data-unit={name}
        value={String(values[name] ?? '')}
        onChange={(event) => onChange(name, event.currentTarget.value)}
      >
        {(input.schema.enum ?? []).map((value) => (
          <option key={value} value={value}>
            {input['x-svc-enumTitles']?.[value] ?? value}
          </option>
        ))}
      </select>
    </div>
  )
}

function FlagField(props: {
  name: string
  input: ProcessInput
  isOn: boolean
  fault: string | undefined
  onChange: (isOn: boolean) => void
}) {
  const id = useId()
  const { input, fault } = props
  return (
    <div class={fault === undefined ? 'field' : 'field field-wrong'} data-field={props.name}>
      <label class="check">
        <input
          type="checkbox"
          checked={props.isOn}
          aria-describedby={`${id}-help`}
          {...(fault !== undefined && { 'aria-invalid': true })}
          onChange={(event) => props.onChange(event.currentTarget.checked)}
        />
        <span>{input.title}</span>
      </label>
      <div class="field-help" id={`${id}-help`}>
        {inDigits(input.description)}
      </div>
      {fault !== undefined && (
        <div class="field-error" role="alert">
          {fault}
        </div>
      )}
    </div>
  )
}

/** Several controls under one label. */
function Group(props: {
  name: string
  input: ProcessInput
  fault: string | undefined
  onLeave: () => void
  children: ComponentChildren
}) {
  const id = useId()
  return (
    <fieldset
      class={props.fault === undefined ? 'field field-group' : 'field field-group field-wrong'}
      data-field={props.name}
      aria-describedby={props.fault === undefined ? `${id}-help` : `${id}-help ${id}-error`}
      onFocusOut={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) props.onLeave()
      }}
    >
      <legend>{labelOf(props.input)}</legend>
      <div class="field-help" id={`${id}-help`}>
        {inDigits(props.input.description)}
      </div>
      {props.children}
      {props.fault !== undefined && (
        <div class="field-error" id={`${id}-error`} role="alert">
          {props.fault}
        </div>
      )}
    </fieldset>
  )
}
