/** Short forms for changes of all selected sensors. */
import { useState } from 'preact/hooks'
import { useResource } from '../../../api/resource.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog, FormDialog } from '../../../ui/dialog.tsx'
import { SelectField, TextField } from '../../../ui/field.tsx'
import { PlainTable } from '../../../ui/plain-table.tsx'
import { MEASUREMENTS, type Measurement } from '../channels-editor.tsx'
import type { ChannelEdit } from './bulk-channels.ts'
import { useChannels } from './channels.tsx'
import { nameBy, PLACEHOLDERS, readSensor } from './sensor-edits.ts'

const MAX_TAG = 50
const MAX_NAME = 200
const PREVIEWED = 6

type FormProps = { ids: readonly string[]; onClose: () => void }

export function TagDialog(props: { onTag: (tag: string, isAdded: boolean) => void; onClose: () => void }) {
  const [tag, setTag] = useState('')
  const [error, setError] = useState<string | undefined>(undefined)
  function submit(isAdded: boolean): void {
    const text = tag.trim()
    if (text === '' || [...text].length > MAX_TAG) setError(t('sensors.tagRule'))
    else props.onTag(text, isAdded)
  }
  return (
    <Dialog title={t('sensors.bulk.tagTitle')} onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          submit(true)
        }}
      >
        <TextField label={t('sensors.tag')} value={tag} onInput={setTag} error={error} autoFocus />
        <div class="dialog-actions">
          <Button onClick={() => submit(false)}>{t('sensors.bulk.removeTag')}</Button>
          <Button kind="main" type="submit">
            {t('sensors.bulk.addTag')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** The first sensors with their old and new names are shown before anything changes. */
export function RenameDialog({ ids, onClose, onRename }: FormProps & { onRename: (pattern: string) => void }) {
  const [pattern, setPattern] = useState('{name}')
  const [error, setError] = useState<string | undefined>(undefined)
  const first = useResource(
    (signal) => Promise.all(ids.slice(0, PREVIEWED).map((id) => readSensor(id, signal))),
    [ids.slice(0, PREVIEWED).join()],
  )
  const names = (first.data.value ?? []).map(
    (sensor, i) => [sensor.name, nameBy(pattern, sensor, i, ids.length)] as const,
  )
  function submit(): void {
    if (names.some(([, name]) => name === '' || [...name].length > MAX_NAME)) setError(t('bulk.nameRule'))
    else onRename(pattern)
  }
  return (
    <FormDialog
      title={t('bulk.renameTitle', { count: ids.length })}
      action={t('bulk.rename')}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={t('bulk.pattern')}
        help={t('bulk.patternHelp')}
        value={pattern}
        onInput={setPattern}
        error={error}
        autoFocus
      />
      <div class="row">
        {PLACEHOLDERS.map((placeholder) => (
          <Button key={placeholder} onClick={() => setPattern(`${pattern}${placeholder}`)}>
            <bdi dir="ltr">{placeholder}</bdi>
          </Button>
        ))}
      </div>
      <PlainTable
        label={t('bulk.preview')}
        rows={names}
        keyOf={(_, i) => i}
        columns={[
          [t('bulk.oldName'), ([old]) => <bdi>{old}</bdi>],
          [t('bulk.newName'), ([, name]) => <bdi>{name}</bdi>],
        ]}
      />
      {ids.length > PREVIEWED && <p class="weak">{t('bulk.more', { count: ids.length - PREVIEWED })}</p>}
    </FormDialog>
  )
}

export function AssetDialog({ ids, onClose, onAsset }: FormProps & { onAsset: (name: string) => void }) {
  const [name, setName] = useState('')
  const [error, setError] = useState<string | undefined>(undefined)
  function submit(): void {
    const text = name.trim()
    if (text === '' || [...text].length > MAX_NAME) setError(t('bulk.nameRule'))
    else onAsset(text)
  }
  return (
    <FormDialog
      title={t('bulk.assetTitle', { count: ids.length })}
      action={t('bulk.setAsset')}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={t('sensors.columns.asset')}
        help={t('bulk.assetHelp')}
        value={name}
        onInput={setName}
        error={error}
        autoFocus
      />
    </FormDialog>
  )
}

const EDITS = ['add', 'remove', 'rename'] as const

export function ChannelDialog({ ids, onClose, onEdit }: FormProps & { onEdit: (edit: ChannelEdit) => void }) {
  const [kind, setKind] = useState<(typeof EDITS)[number]>('add')
  const [name, setName] = useState('')
  const [to, setTo] = useState('')
  const [measurement, setMeasurement] = useState<Measurement>('number')
  const [unit, setUnit] = useState('')
  const [error, setError] = useState<string | undefined>(undefined)
  const known = useChannels().data.value?.items ?? []
  function submit(): void {
    const channel = { name: name.trim(), measurement, ...(unit.trim() !== '' && { unit: unit.trim() }) }
    if (channel.name === '' || (kind === 'rename' && to.trim() === '')) setError(t('sensorForm.channelRule'))
    else if (kind === 'add') onEdit({ kind, channel })
    else if (kind === 'remove') onEdit({ kind, name: channel.name })
    else onEdit({ kind, name: channel.name, to: to.trim() })
  }
  return (
    <FormDialog
      title={t('bulk.channelsTitle', { count: ids.length })}
      action={t(`bulk.channelEdits.${kind}`)}
      onSubmit={submit}
      onClose={onClose}
    >
      <SelectField
        label={t('bulk.channelEdit')}
        value={kind}
        options={EDITS.map((value) => ({ value, label: t(`bulk.channelEdits.${value}`) }))}
        onChange={setKind}
      />
      <TextField
        label={t('sensorForm.channelName')}
        value={name}
        onInput={setName}
        error={error}
        list="bulk-channels"
        {...(kind !== 'add' && { help: t('bulk.channelKeeps') })}
      />
      <datalist id="bulk-channels">
        {known.map(({ channel }) => (
          <option key={channel} value={channel} />
        ))}
      </datalist>
      {kind === 'rename' && <TextField label={t('bulk.newName')} value={to} onInput={setTo} />}
      {kind === 'add' && (
        <>
          <SelectField
            label={t('sensorForm.kind')}
            value={measurement}
            options={MEASUREMENTS.map((value) => ({ value, label: t(`sensorForm.kinds.${value}`) }))}
            onChange={setMeasurement}
          />
          {measurement !== 'boolean' && <TextField label={t('sensorForm.unit')} value={unit} onInput={setUnit} />}
        </>
      )}
    </FormDialog>
  )
}
