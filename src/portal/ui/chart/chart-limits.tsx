/** Thresholds that a person draws into a panel. They are in the address, so a link shows them to others. */
import { useMemo, useState } from 'preact/hooks'
import { queryValue, setQuery } from '../../shell/router.ts'
import { t } from '../../text/text.ts'
import { FormDialog } from '../dialog.tsx'
import { TextField } from '../field.tsx'

const NONE: readonly number[] = []

/** @returns the thresholds for a unit */
export function useLimits(): (unit: string | null) => readonly number[] {
  const text = queryValue('limits') ?? ''
  const byUnit = useMemo(() => limitsIn(text), [text])
  return (unit) => byUnit.get(unit ?? '') ?? NONE
}

/** A line for each unit, for example `°C=5 30`. */
function limitsIn(text: string): Map<string, number[]> {
  return new Map(
    text.split('\n').flatMap((line): [string, number[]][] => {
      const end = line.lastIndexOf('=')
      const limits = numbersIn(line.slice(end + 1))
      return end < 0 || limits === undefined ? [] : [[line.slice(0, end), limits]]
    }),
  )
}

/** @returns undefined for a text that has something else */
function numbersIn(text: string): number[] | undefined {
  const numbers = text
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => Number(word.replace(',', '.')))
  return numbers.every(Number.isFinite) ? numbers : undefined
}

export function LimitsDialog({ unit, onClose }: { unit: string | null; onClose: () => void }) {
  const all = limitsIn(queryValue('limits') ?? '')
  const [text, setText] = useState((all.get(unit ?? '') ?? []).join(' '))
  const [error, setError] = useState<string | undefined>(undefined)
  function submit(): void {
    const limits = numbersIn(text)
    if (limits === undefined) {
      setError(t('chart.limitsWrong'))
      return
    }
    all.set(unit ?? '', limits)
    const lines = [...all].flatMap(([of, values]) => (values.length === 0 ? [] : [`${of}=${values.join(' ')}`]))
    setQuery({ limits: lines.join('\n') || undefined })
    onClose()
  }
  return (
    <FormDialog title={t('chart.limits')} action={t('chart.show')} onSubmit={submit} onClose={onClose}>
      <TextField
        label={unit === null ? t('chart.limits') : t('chart.limitsIn', { unit })}
        help={t('chart.limitsHelp')}
        dir="ltr"
        inputMode="text"
        value={text}
        onInput={setText}
        error={error}
        autoFocus
      />
    </FormDialog>
  )
}
