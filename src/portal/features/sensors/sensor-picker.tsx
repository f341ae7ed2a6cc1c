/** Chooses sensors by search: one at a time, or all matches. */
import { useEffect, useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { t } from '../../text/text.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'

export type PickedSensor = { id: string; name: string }

const SHOWN = 20
const MAX_SENSORS = 1_000
const TYPING_MS = 200

async function search(q: string, limit: number, signal?: AbortSignal) {
  const page = await dataOf(
    api.GET('/enterprise/v1/assets/sensors', {
      params: { query: { q, limit, sort: 'name', include: 'state' } },
      ...(signal && { signal }),
    }),
  )
  return { total: page.total ?? page.items.length, items: page.items.map(({ id, name }) => ({ id, name })) }
}

export function SensorPicker(props: {
  label: string
  picked: PickedSensor[]
  onChange: (picked: PickedSensor[]) => void
  error?: string | undefined
}) {
  const { picked, onChange } = props
  const [typed, setTyped] = useState('')
  const [asked, setAsked] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setAsked(typed.trim()), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  const found = useResource((signal) => search(asked, SHOWN, signal), [asked])
  const isPicked = (id: string): boolean => picked.some((sensor) => sensor.id === id)
  const result = found.data.value

  async function pickAll(): Promise<void> {
    const all = await search(asked, MAX_SENSORS)
    onChange([...picked, ...all.items.filter(({ id }) => !isPicked(id))].slice(0, MAX_SENSORS))
  }

  return (
    <div class="picker">
      <Field label={props.label} error={props.error} help={t('zones.pickedCount', { count: picked.length })}>
        {(attributes) => (
          <input
            {...attributes}
            type="search"
            dir="auto"
            placeholder={t('zones.pickSearch')}
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') event.preventDefault()
            }}
          />
        )}
      </Field>
      <ul class="picker-found" aria-label={t('zones.found')}>
        {result?.items.map((sensor) => (
          <li key={sensor.id}>
            <label class="check">
              <input
                type="checkbox"
                checked={isPicked(sensor.id)}
                onChange={() =>
                  onChange(isPicked(sensor.id) ? picked.filter(({ id }) => id !== sensor.id) : [...picked, sensor])
                }
              />
              <bdi class="cut">{sensor.name}</bdi>
            </label>
          </li>
        ))}
      </ul>
      {result !== undefined && result.total > 1 && (
        <Button kind="quiet" icon="add" onClick={pickAll}>
          {t('zones.pickAll', { count: Math.min(MAX_SENSORS, result.total) })}
        </Button>
      )}
      {picked.length > 0 && (
        <ul class="picker-picked" aria-label={t('zones.chosenSensors')}>
          {picked.slice(0, SHOWN).map((sensor) => (
            <li key={sensor.id} class="tag">
              <bdi class="cut">{sensor.name}</bdi>
              <IconButton
                icon="close"
                label={t('zones.unpick', { name: sensor.name })}
                onClick={() => onChange(picked.filter(({ id }) => id !== sensor.id))}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
