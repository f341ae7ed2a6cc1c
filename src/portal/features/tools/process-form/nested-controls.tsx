/** Objects and lists of objects, which can contain each other. */
import { useId } from 'preact/hooks'
import { formatWhole } from '../../../text/format.ts'
import { inDigits, t } from '../../../text/text.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Cell } from './cell.tsx'
import { blankRow, type Entered, MAX_ROWS, type Pair, shapeOf, startOf } from './entered.ts'
import { PairsControl } from './pairs-control.tsx'
import { columnsOf, RowsTable } from './rows-table.tsx'
import type { StructureProps } from './structure-props.ts'

export function RowsControl(props: StructureProps) {
  const { schema, path, label, faultAt, onChange } = props
  const items = schema.items ?? {}
  const columns = columnsOf(items)
  const id = useId()
  const entered = Array.isArray(props.entered) ? props.entered : []
  // the first row can be filled in at once
  const rows = entered.length === 0 ? [blankRow(items)] : entered
  const hidden = rows.length - MAX_ROWS

  function add(): void {
    onChange([...rows, blankRow(items)])
    const last = `${id}-${rows.length}-0`
    requestAnimationFrame(() => document.getElementById(last)?.focus())
  }

  return (
    <div class="rows">
      {columns !== undefined ? (
        <RowsTable
          items={items}
          columns={columns}
          path={path}
          id={id}
          rows={rows}
          faultAt={faultAt}
          onChange={onChange}
          mostShown={MAX_ROWS}
        />
      ) : (
        rows.slice(0, MAX_ROWS).map((row, at) => (
          // rows have no identity
          <fieldset key={at} class="row-group">
            <legend>{t('processForm.rowOf', { number: at + 1 })}</legend>
            <GroupControl
              schema={items}
              path={`${path}.${at}`}
              label={`${label} ${formatWhole(at + 1)}`}
              faultAt={faultAt}
              entered={row}
              onChange={(value) => onChange(rows.with(at, value))}
            />
            <IconButton
              icon="close"
              label={t('processForm.removeRow', { number: at + 1 })}
              onClick={() => onChange(rows.toSpliced(at, 1))}
            />
          </fieldset>
        ))
      )}
      {hidden > 0 && <p class="weak">{t('processForm.moreRows', { count: hidden })}</p>}
      <div class="row">
        <Button icon="add" onClick={add}>
          {t('processForm.addRow')}
        </Button>
        {columns !== undefined && <span class="weak">{t('processForm.pasteHint')}</span>}
      </div>
    </div>
  )
}

export function GroupControl({ schema, path, entered, faultAt, onChange }: StructureProps) {
  const id = useId()
  const group = typeof entered === 'object' && !Array.isArray(entered) ? entered : {}
  return (
    <div class="group">
      {Object.entries(schema.properties ?? {}).map(([name, own]) => {
        const place = `${path}.${name}`
        const label = own.description === undefined ? name : inDigits(own.description)
        const value = group[name] ?? startOf(own)
        const set = (next: Entered): void => onChange({ ...group, [name]: next })
        const shape = shapeOf(own)
        const fault = faultAt(place, shape === 'list')
        const error = fault !== undefined && (
          <div class="field-error" id={`${id}-${name}-error`} role="alert">
            {fault}
          </div>
        )
        if (shape === 'rows' || shape === 'pairs' || shape === 'group') {
          const part = { schema: own, path: place, label, entered: value, faultAt, onChange: set }
          return (
            <fieldset key={name} class="field field-group">
              <legend>{label}</legend>
              {shape === 'rows' && <RowsControl {...part} />}
              {shape === 'pairs' && <PairsControl {...part} pairs={Array.isArray(value) ? (value as Pair[]) : []} />}
              {shape === 'group' && <GroupControl {...part} />}
              {error}
            </fieldset>
          )
        }
        return (
          <div key={name} class={shape === 'flag' ? 'field field-flag' : 'field'}>
            <label for={`${id}-${name}`}>{label}</label>
            <Cell
              id={`${id}-${name}`}
              schema={own}
              label={label}
              value={value}
              isOptional={schema.required?.includes(name) !== true}
              fault={fault}
              onChange={set}
            />
            {error}
          </div>
        )
      })}
    </div>
  )
}
