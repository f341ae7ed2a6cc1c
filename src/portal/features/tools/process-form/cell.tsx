/** A control without a visible label, in a table or a row of named values. */
import { ListControl, SelectControl, TextControl } from './controls.tsx'
import { type Entered, shapeOf } from './entered.ts'
import type { Schema } from './process.ts'

export type CellProps = {
  id: string
  schema: Schema
  label: string
  value: Entered | undefined
  isOptional?: boolean
  fault: string | undefined
  onChange: (value: Entered) => void
  /** Handles a paste of several lines from a spreadsheet. @returns whether they were used */
  onPaste?: (text: string) => boolean
}

export function Cell(props: CellProps) {
  const { id, schema, value, fault, onChange } = props
  const shape = shapeOf(schema)
  const attributes = {
    id,
    'aria-label': props.label,
    ...(fault !== undefined && { 'aria-invalid': true, 'aria-describedby': `${id}-error` }),
  }
  if (shape === 'flag')
    return (
      <input
        {...attributes}
        type="checkbox"
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    )
  const control = { attributes, onInput: onChange, onLeave: () => undefined }
  if (shape === 'choice')
    return (
      <SelectControl
        {...control}
        schema={schema}
        value={String(value ?? '')}
        isOptional={props.isOptional === true && schema.default === undefined}
      />
    )
  if (shape === 'list') return <ListControl {...control} schema={schema} lines={Array.isArray(value) ? value : []} />
  return (
    // the table handles the paste of several cells before the control does
    <div
      class="cell"
      onPasteCapture={(event) => {
        if (props.onPaste?.(event.clipboardData?.getData('text/plain') ?? '') === true) event.preventDefault()
      }}
    >
      <TextControl {...control} schema={schema} value={String(value ?? '')} />
    </div>
  )
}
