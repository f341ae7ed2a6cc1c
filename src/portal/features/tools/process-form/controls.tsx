/** Controls for single values and lists of them. */
import { inDigits, t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import type { Entered } from './entered.ts'
import type { Schema } from './process.ts'

export type Attributes = { id: string; 'aria-describedby'?: string; 'aria-invalid'?: boolean }
type ControlProps = { attributes: Attributes; onInput: (value: Entered) => void; onLeave: () => void }

const titleOf = (schema: Schema, value: string): string => inDigits(schema['x-svc-enumTitles']?.[value] ?? value)

export function SelectControl(props: ControlProps & { schema: Schema; value: string; isOptional: boolean }) {
  return (
    <select
      {...props.attributes}
      value={props.value}
      onChange={(event) => props.onInput(event.currentTarget.value)}
      onBlur={props.onLeave}
    >
      {props.isOptional && <option value="">{t('processForm.none')}</option>}
      {(props.schema.enum ?? []).map((value) => (
        <option key={value} value={value}>
          {titleOf(props.schema, value)}
        </option>
      ))}
    </select>
  )
}

export function TextControl(props: ControlProps & { schema: Schema; value: string }) {
  const { type, pattern } = props.schema
  const isNumber = type === 'number' || type === 'integer'
  return (
    <input
      {...props.attributes}
      type="text"
      // numbers and codes are not mirrored
      dir={isNumber || pattern !== undefined ? 'ltr' : 'auto'}
      inputMode={isNumber ? 'decimal' : 'text'}
      autocomplete="off"
      spellcheck={false}
      value={props.value}
      onInput={(event) => props.onInput(event.currentTarget.value)}
      onBlur={props.onLeave}
    />
  )
}

/** Names one below the other, numbers in one line. */
export function ListControl(props: ControlProps & { schema: Schema; lines: readonly Entered[] }) {
  const { type } = props.schema.items ?? {}
  if (type === 'number' || type === 'integer')
    return (
      <input
        {...props.attributes}
        type="text"
        dir="ltr"
        autocomplete="off"
        value={props.lines.join(',')}
        onInput={(event) => props.onInput(event.currentTarget.value.split(/[,،]/))}
        onBlur={props.onLeave}
      />
    )
  return (
    <textarea
      {...props.attributes}
      rows={3}
      dir="auto"
      spellcheck={false}
      value={props.lines.join('\n')}
      onInput={(event) => props.onInput(event.currentTarget.value.split('\n'))}
      onBlur={props.onLeave}
    />
  )
}

/** The chosen values keep the order of the list, for any order of clicks. */
function toggled(all: readonly string[], chosen: readonly string[], value: string): string[] {
  const next = new Set(chosen)
  if (!next.delete(value)) next.add(value)
  return all.filter((one) => next.has(one))
}

/** Fewer are ticked one by one. */
const FEW_CHOICES = 5
/** What most people ask about the values in a zone. */
const USUAL_STATISTICS = new Set(['count', 'mean', 'min', 'max'])

export function ChoicesControl(props: {
  schema: Schema
  chosen: readonly string[]
  isWrong: boolean
  onChange: (chosen: string[]) => void
}) {
  const items = props.schema.items ?? {}
  const all = items.enum ?? []
  const usual = all.filter((value) => USUAL_STATISTICS.has(value))
  return (
    <>
      {all.length > FEW_CHOICES && (
        <div class="row">
          {usual.length > 0 && (
            <Button kind="quiet" onClick={() => props.onChange(usual)}>
              {t('processForm.presets.usual')}
            </Button>
          )}
          <Button kind="quiet" onClick={() => props.onChange(all)}>
            {t('processForm.presets.all')}
          </Button>
          <Button kind="quiet" onClick={() => props.onChange([])}>
            {t('processForm.presets.none')}
          </Button>
        </div>
      )}
      <div class="choices">
        {all.map((value, i) => (
          <label key={value} class="check">
            <input
              type="checkbox"
              {...(props.isWrong && i === 0 && { 'aria-invalid': true })}
              checked={props.chosen.includes(value)}
              onChange={() => props.onChange(toggled(all, props.chosen, value))}
            />
            <span>{titleOf(items, value)}</span>
          </label>
        ))}
      </div>
    </>
  )
}

/** A longer list scrolls by itself. */
const MANY = 20

export function ColumnsControl(props: {
  columns: readonly string[]
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
}) {
  // columns that the file lacks stay visible, so that they can be removed
  const all = [...new Set([...props.columns, ...props.chosen.filter((name) => name !== '')])]
  return (
    <div class={all.length > MANY ? 'choices choices-long' : 'choices'}>
      {all.map((name) => (
        <label key={name} class="check">
          <input
            type="checkbox"
            checked={props.chosen.includes(name)}
            onChange={() => props.onChange(toggled(all, props.chosen, name))}
          />
          <bdi>{name}</bdi>
        </label>
      ))}
    </div>
  )
}
