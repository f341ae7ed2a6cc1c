/** A value that is edited in place. It keeps its type; text that does not fit stays in the field, with a message. */
import { useRef, useState } from 'preact/hooks'
import { t } from '../../../text/text.ts'
import { IconButton } from '../../../ui/button.tsx'
import type { ColumnType } from '../layers/layer-store.ts'
import { typeOfValue } from '../layers/layer-store.ts'
import { textOf } from './value-text.tsx'

type Props = {
  label: string
  type: ColumnType
  value: unknown
  onChange: (value: unknown) => Promise<void>
}

/** @returns undefined for text that is not a value of the type */
export function parsed(text: string, type: ColumnType, before: unknown): { value: unknown } | undefined {
  if (type === 'text') return { value: text === '' && (before === null || before === undefined) ? before : text }
  if (text.trim() === '') return { value: null }
  if (type === 'number') {
    const value = Number(text.trim().replace(',', '.'))
    return Number.isFinite(value) ? { value } : undefined
  }
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

export function ValueCell({ label, type: columnType, value, onChange }: Props) {
  // a value of another type than its column keeps its own
  const type = typeOfValue(value) ?? columnType
  const [input, setInput] = useState<{ text: string; of: string } | undefined>(undefined)
  // the typed text belongs to the value that it would replace, and is dropped when that value changes
  const of = JSON.stringify(value) ?? ''
  const typed = input?.of === of ? input.text : undefined
  const last = useRef(of)
  if (last.current !== of) {
    last.current = of
    // otherwise it would appear again when the value returns, as after an undo
    setInput(undefined)
  }
  const setTyped = (text: string | undefined): void => setInput(text === undefined ? undefined : { text, of })
  if (type === 'boolean')
    return (
      <select
        class="value-input"
        aria-label={label}
        value={String(value ?? null)}
        onChange={(event) => {
          const chosen = event.currentTarget.value
          void onChange(chosen === 'null' ? null : chosen === 'true')
        }}
      >
        <option value="true">{t('layers.true')}</option>
        <option value="false">{t('layers.false')}</option>
        <option value="null">{t('layers.null')}</option>
      </select>
    )
  const shown = typed ?? textOf(value ?? '')
  const next = typed === undefined ? { value } : parsed(typed, type, value)
  function commit(): void {
    if (typed === undefined || next === undefined) return
    if (JSON.stringify(next.value) === JSON.stringify(value)) setTyped(undefined)
    else void onChange(next.value)
  }
  return (
    <>
      <input
        class="value-input"
        dir="auto"
        aria-label={label}
        aria-invalid={next === undefined}
        title={next === undefined ? t(`layers.wrongValue.${type}`) : undefined}
        inputMode={type === 'number' ? 'decimal' : 'text'}
        placeholder={value === null ? t('layers.null') : ''}
        value={shown}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          event.stopPropagation()
          if (event.key === 'Enter') commit()
          if (event.key === 'Escape') setTyped(undefined)
        }}
      />
      {value !== null && value !== undefined && (
        <IconButton icon="close" label={t('layers.setNull', { name: label })} onClick={() => void onChange(null)} />
      )}
      {next === undefined && (
        <span class="visually-hidden" role="alert">
          {t(`layers.wrongValue.${type}`)}
        </span>
      )}
    </>
  )
}
