/** One field of a form: label, input, help, and the message when its value breaks a rule. */
import type { ComponentChildren, JSX } from 'preact'
import { useId, useState } from 'preact/hooks'
import { t } from '../text/text.ts'

export type FieldProps = {
  label: string
  help?: ComponentChildren
  error?: string | undefined
}

type Described = { id: string; 'aria-describedby'?: string; 'aria-invalid'?: boolean }

/** @param children gets the attributes that tie the input to its label, help and message */
export function Field(props: FieldProps & { children: (attributes: Described) => ComponentChildren }) {
  const id = useId()
  const { label, help, error } = props
  const described = [help !== undefined && `${id}-help`, error !== undefined && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div class={error === undefined ? 'field' : 'field field-wrong'}>
      <label for={id}>{label}</label>
      {props.children({
        id,
        ...(described !== '' && { 'aria-describedby': described }),
        ...(error !== undefined && { 'aria-invalid': true }),
      })}
      {help !== undefined && (
        <div class="field-help" id={`${id}-help`}>
          {help}
        </div>
      )}
      {error !== undefined && (
        <div class="field-error" id={`${id}-error`} role="alert">
          {error}
        </div>
      )}
    </div>
  )
}

type InputProps = Pick<
  JSX.IntrinsicElements['input'],
  | 'type'
  | 'autocomplete'
  | 'placeholder'
  | 'required'
  | 'maxLength'
  | 'minLength'
  | 'min'
  | 'max'
  | 'step'
  | 'inputMode'
  | 'list'
> & { autoFocus?: boolean; dir?: 'ltr' | 'auto' }

/** The message of a broken rule in the person's language, in place of the browser's bubble. */
function ownMessage(event: JSX.TargetedEvent<HTMLInputElement>): string {
  event.preventDefault()
  const input = event.currentTarget
  const { validity, type, minLength, min, max } = input
  // without its bubble, the browser does not go to the first field at fault
  if (input.form?.querySelector(':invalid:not(fieldset)') === input) input.focus()
  if (validity.valueMissing) return t('frame.invalid.missing')
  if (validity.tooShort) return t('frame.invalid.short', { count: minLength })
  if (validity.rangeUnderflow) return t('frame.invalid.least', { least: min })
  if (validity.rangeOverflow) return t('frame.invalid.most', { most: max })
  return t(type === 'email' ? 'frame.invalid.email' : 'frame.invalid.unfit')
}

export function TextField(
  props: FieldProps & InputProps & { value: string; onInput: (value: string) => void; onLeave?: () => void },
) {
  const { label, help, error, value, onInput, onLeave, dir = 'auto', autoFocus, ...input } = props
  const [ruleBroken, setRuleBroken] = useState<string | undefined>(undefined)
  return (
    <Field label={label} help={help} error={ruleBroken ?? error}>
      {(attributes) => (
        <input
          {...attributes}
          {...input}
          autofocus={autoFocus === true}
          dir={dir}
          value={value}
          onInput={(event) => {
            setRuleBroken(undefined)
            onInput(event.currentTarget.value)
          }}
          onInvalid={(event) => setRuleBroken(ownMessage(event))}
          onBlur={onLeave}
        />
      )}
    </Field>
  )
}

export function SelectField<V extends string>(
  props: FieldProps & { value: V; options: { value: V; label: string }[]; onChange: (value: V) => void },
) {
  return (
    <Field label={props.label} help={props.help} error={props.error}>
      {(attributes) => (
        <select
          {...attributes}
          value={props.value}
          onChange={(event) => props.onChange(event.currentTarget.value as V)}
        >
          {props.options.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** On or off, at once: for settings. Check boxes of forms take effect on submit. */
export function Switch(props: { label: string; isOn: boolean; onChange: (isOn: boolean) => void; disabled?: boolean }) {
  return (
    <label class="switch">
      <input
        type="checkbox"
        role="switch"
        aria-checked={props.isOn}
        checked={props.isOn}
        disabled={props.disabled}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      <span>{props.label}</span>
    </label>
  )
}
