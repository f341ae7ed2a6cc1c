/** Adds, renames and removes columns of a layer. Each step can be undone like any change. */
import { useState } from 'preact/hooks'
import { t } from '../../../text/text.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { SelectField, TextField } from '../../../ui/field.tsx'
import type { LayerData } from '../layers/layer-data.ts'
import type { ColumnType, LayerColumn } from '../layers/layer-store.ts'

const TYPES = ['text', 'number', 'boolean'] as const
const MAX_CHARACTERS = 200

export function ColumnsDialog({ data, onClose }: { data: LayerData; onClose: () => void }) {
  const columns = data.summary.value?.columns ?? []
  const [name, setName] = useState('')
  const [type, setType] = useState<(typeof TYPES)[number]>('text')
  const [error, setError] = useState<string | undefined>(undefined)
  const isTaken = (wanted: string): boolean => columns.some((column) => column.name === wanted)

  async function add(): Promise<void> {
    const wanted = name.trim()
    if (wanted === '') return setError(t('layers.columnNameNeeded'))
    if (isTaken(wanted)) return setError(t('layers.columnTaken'))
    setError(undefined)
    await data.apply({ kind: 'add-column', name: wanted, type })
    setName('')
  }
  return (
    <Dialog title={t('layers.editColumns')} isWide onClose={onClose}>
      <div class="stack">
        {columns.length === 0 ? (
          <p class="weak">{t('layers.noColumns')}</p>
        ) : (
          <ul class="column-list">
            {columns.map((column) => (
              <ColumnRow
                key={column.name}
                column={column}
                isTaken={isTaken}
                onRename={(to) => data.apply({ kind: 'rename-column', name: column.name, to })}
                onRemove={() => void data.apply({ kind: 'remove-column', name: column.name })}
              />
            ))}
          </ul>
        )}
        <form
          class="column-form"
          onSubmit={(event) => {
            event.preventDefault()
            void add()
          }}
        >
          <TextField
            label={t('layers.newColumn')}
            value={name}
            maxLength={MAX_CHARACTERS}
            error={error}
            onInput={setName}
          />
          <SelectField
            label={t('layers.columnType')}
            value={type}
            options={TYPES.map((value) => ({ value, label: t(`layers.types.${value}`) }))}
            onChange={setType}
          />
          <Button type="submit" icon="add">
            {t('layers.addColumn')}
          </Button>
        </form>
        <p class="weak">{t('layers.columnsHelp')}</p>
        <div class="dialog-actions">
          <Button kind="main" onClick={onClose}>
            {t('layers.done')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

function ColumnRow(props: {
  column: LayerColumn
  isTaken: (name: string) => boolean
  onRename: (to: string) => Promise<void>
  onRemove: () => void
}) {
  const { name, type } = props.column
  const [typed, setTyped] = useState(name)
  const to = typed.trim()
  const isWrong = to !== name && (to === '' || props.isTaken(to))
  const rename = (): void => {
    if (to !== name && !isWrong) void props.onRename(to)
  }
  return (
    <li>
      <input
        dir="auto"
        aria-label={t('layers.renameColumn', { name })}
        aria-invalid={isWrong}
        title={isWrong ? t('layers.columnTaken') : undefined}
        maxLength={MAX_CHARACTERS}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onBlur={rename}
        onKeyDown={(event) => event.key === 'Enter' && rename()}
      />
      <span class="weak">{t(`layers.types.${type satisfies ColumnType}`)}</span>
      <IconButton icon="remove" label={t('layers.removeColumn', { name })} onClick={props.onRemove} />
    </li>
  )
}
