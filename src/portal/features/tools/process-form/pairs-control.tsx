/** Values by names that the person chooses, such as the fields of a PDF form. */
import { useId } from 'preact/hooks'
import { t } from '../../../text/text.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Cell } from './cell.tsx'
import { type Entered, type Pair, startOf } from './entered.ts'
import type { StructureProps } from './structure-props.ts'

export function PairsControl(props: StructureProps & { pairs: readonly Pair[] }) {
  const { schema, path, label, faultAt, onChange } = props
  const [valueSchema = {}] = Object.values(schema.patternProperties ?? {})
  const id = useId()
  const blank = (): Pair => ({ key: '', value: startOf(valueSchema) })
  const pairs = props.pairs.length === 0 ? [blank()] : props.pairs
  const set = (at: number, change: { key?: Entered; value?: Entered }): void =>
    onChange(pairs.map((pair, i) => (i === at ? { ...pair, ...change } : pair)))

  function add(): void {
    onChange([...pairs, blank()])
    const last = `${id}-${pairs.length}-key`
    requestAnimationFrame(() => document.getElementById(last)?.focus())
  }

  return (
    <div class="rows">
      {pairs.map(({ key, value }, at) => {
        const fault = key === '' ? undefined : faultAt(`${path}.${String(key)}`)
        const field = `${id}-${at}`
        return (
          // pairs have no identity before they have a name
          <div key={at} class="pair">
            <Cell
              id={`${field}-key`}
              schema={{ type: 'string' }}
              label={t('processForm.pairName', { label, number: at + 1 })}
              value={key}
              fault={undefined}
              onChange={(changed) => set(at, { key: changed })}
            />
            <Cell
              id={`${field}-value`}
              schema={valueSchema}
              label={t('processForm.pairValue', { label, number: at + 1 })}
              value={value}
              fault={fault}
              onChange={(changed) => set(at, { value: changed })}
            />
            <IconButton
              icon="close"
              label={t('processForm.removeRow', { number: at + 1 })}
              onClick={() => onChange(pairs.filter((_, i) => i !== at))}
            />
            {fault !== undefined && (
              <div class="field-error" id={`${field}-value-error`} role="alert">
                {fault}
              </div>
            )}
          </div>
        )
      })}
      <div>
        <Button icon="add" onClick={add}>
          {t('processForm.addRow')}
        </Button>
      </div>
    </div>
  )
}
