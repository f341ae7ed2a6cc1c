/** Chooses rules or tags by name. */
import { useMemo, useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { t } from '../../text/text.ts'
import { Field } from '../../ui/field.tsx'
import { rulesById } from './rule-data.ts'

const MAX_TAGS = 1_000

type PickerProps = {
  picked: readonly string[]
  onChange: (picked: readonly string[]) => void
  error: string | undefined
  help?: string
}

export function RulePicker(props: PickerProps) {
  const rules = useResource(rulesById, []).data.value
  const items = useMemo(() => [...(rules?.values() ?? [])].map(({ id, name }) => ({ id, name })), [rules])
  return <NamePicker {...props} label={t('alerts.silences.rules')} none={t('alerts.silences.noRules')} items={items} />
}

export function TagPicker(props: PickerProps) {
  const tags = useResource(
    (signal) => dataOf(api.GET('/enterprise/v1/assets/tags', { params: { query: { limit: MAX_TAGS } }, signal })),
    [],
  ).data.value
  const items = useMemo(() => (tags?.items ?? []).map(({ tag }) => ({ id: tag, name: tag })), [tags])
  return <NamePicker {...props} label={t('alerts.silences.tags')} none={t('alerts.silences.noTags')} items={items} />
}

function NamePicker(props: PickerProps & { label: string; none: string; items: { id: string; name: string }[] }) {
  const { label, items, picked, onChange } = props
  const count = t('zones.pickedCount', { count: picked.length })
  const [typed, setTyped] = useState('')
  const wanted = typed.trim().toLowerCase()
  const found = items.filter(({ name }) => name.toLowerCase().includes(wanted))
  return (
    <div class="picker">
      <Field label={label} error={props.error} help={[props.help, count].filter(Boolean).join(' ')}>
        {(attributes) => (
          <input
            {...attributes}
            type="search"
            dir="auto"
            placeholder={t('frame.search')}
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') event.preventDefault()
            }}
          />
        )}
      </Field>
      {items.length === 0 ? (
        <p class="weak">{props.none}</p>
      ) : (
        <ul class="picker-found" aria-label={label}>
          {found.map(({ id, name }) => (
            <li key={id}>
              <label class="check">
                <input
                  type="checkbox"
                  checked={picked.includes(id)}
                  onChange={() => onChange(picked.includes(id) ? picked.filter((one) => one !== id) : [...picked, id])}
                />
                <bdi class="cut">{name}</bdi>
              </label>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
