/** The form of a panel: what it shows, of which sensors, and where it stands. */
import { useState } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import { enterpriseId } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { Field, SelectField, TextField } from '../../ui/field.tsx'
import { type PickedSensor, SensorPicker } from '../sensors/sensor-picker.tsx'
import { useTags } from '../sensors/tag-filter.tsx'
import { AGGREGATES, loadChannels, PANEL_TYPES, type Panel, SORTS } from './dashboard-data.ts'
import { inGrid, type Place } from './layout.ts'

type By = 'variables' | 'all' | 'tag' | 'sensors'
const BY = ['variables', 'all', 'tag', 'sensors'] as const
const MOST_SENSORS = 100
const PLACES = ['x', 'y', 'w', 'h'] as const

const byOf = ({ sensors = {} }: Panel): By =>
  sensors.sensorIds ? 'sensors' : sensors.tag ? 'tag' : sensors.variables ? 'variables' : 'all'

export function PanelForm(props: {
  panel: Panel
  isNew: boolean
  onSubmit: (panel: Panel) => void
  onClose: () => void
}) {
  const { panel } = props
  const [type, setType] = useState(panel.type)
  const [title, setTitle] = useState(panel.title ?? '')
  const [channels, setChannels] = useState<readonly string[]>(panel.channels ?? [])
  const [agg, setAgg] = useState(panel.agg ?? (panel.type === 'number' ? 'last' : 'avg'))
  const [isOverAll, setOverAll] = useState(panel.over === 'sensors')
  const [sort, setSort] = useState(panel.sort ?? 'worst')
  const [by, setBy] = useState<By>(byOf(panel))
  const [tag, setTag] = useState(panel.sensors?.tag ?? '')
  const [picked, setPicked] = useState<PickedSensor[]>((panel.sensors?.sensorIds ?? []).map((id) => ({ id, name: id })))
  const [place, setPlace] = useState<Place>({ x: panel.x, y: panel.y, w: panel.w, h: panel.h })
  const [error, setError] = useState<{ field: 'channels' | 'tag' | 'sensors'; text: string } | undefined>(undefined)
  const known = useResource(loadChannels, [enterpriseId.value])
  const tags = useTags('', 200)
  const hasChannels = type === 'chart' || type === 'number' || type === 'table'
  const names = [...new Set([...(known.data.value ?? []).map(({ name }) => name), ...channels])]

  /** @returns the first thing that is missing */
  function faultOf(): typeof error {
    if (hasChannels && type !== 'table' && channels.length === 0)
      return { field: 'channels', text: t('dashboards.form.channelNeeded') }
    if (by === 'tag' && tag.trim() === '') return { field: 'tag', text: t('dashboards.form.tagNeeded') }
    if (by === 'sensors' && (picked.length === 0 || picked.length > MOST_SENSORS))
      return { field: 'sensors', text: t('dashboards.form.sensorsNeeded', { count: MOST_SENSORS }) }
    return undefined
  }
  function submit(): void {
    const fault = faultOf()
    setError(fault)
    if (fault !== undefined) return
    props.onSubmit({
      id: panel.id,
      type,
      ...inGrid(place),
      ...(title.trim() !== '' && { title: title.trim() }),
      ...(hasChannels && channels.length > 0 && { channels: type === 'number' ? channels.slice(0, 1) : [...channels] }),
      ...((type === 'chart' || type === 'number') && { agg }),
      ...(type === 'chart' && isOverAll && { over: 'sensors' as const }),
      ...(type === 'table' && { sort }),
      sensors: {
        ...(by === 'variables' && { variables: true }),
        ...(by === 'tag' && { tag: tag.trim() }),
        ...(by === 'sensors' && { sensorIds: picked.map(({ id }) => id) }),
      },
    })
  }
  const toggle = (name: string): void =>
    setChannels(
      type === 'number'
        ? [name]
        : channels.includes(name)
          ? channels.filter((one) => one !== name)
          : [...channels, name].slice(0, 8),
    )

  return (
    <FormDialog
      title={t(props.isNew ? 'dashboards.addPanel' : 'dashboards.form.title')}
      action={t(props.isNew ? 'dashboards.addPanel' : 'dashboards.form.apply')}
      onSubmit={submit}
      onClose={props.onClose}
    >
      <SelectField
        label={t('dashboards.form.type')}
        value={type}
        options={PANEL_TYPES.map((value) => ({ value, label: t(`dashboards.types.${value}`) }))}
        onChange={setType}
      />
      <TextField
        label={t('dashboards.form.name')}
        help={t('dashboards.form.nameHelp')}
        value={title}
        onInput={setTitle}
        maxLength={200}
      />
      {hasChannels && (
        <fieldset
          class="dash-choice"
          aria-describedby={error?.field === 'channels' ? 'dash-channels-error' : undefined}
        >
          <legend>{t(type === 'number' ? 'dashboards.form.channel' : 'dashboards.form.channels')}</legend>
          {names.map((name) => (
            <label class="check" key={name}>
              <input
                type={type === 'number' ? 'radio' : 'checkbox'}
                name="channel"
                checked={channels.includes(name)}
                onChange={() => toggle(name)}
              />
              <bdi class="cut">{name}</bdi>
            </label>
          ))}
          {error?.field === 'channels' && (
            <p class="field-error" id="dash-channels-error" role="alert">
              {error.text}
            </p>
          )}
        </fieldset>
      )}
      {(type === 'chart' || type === 'number') && (
        <SelectField
          label={t('dashboards.form.agg')}
          value={agg}
          options={AGGREGATES.map((value) => ({ value, label: t(`dashboards.aggregates.${value}`) }))}
          onChange={setAgg}
        />
      )}
      {type === 'chart' && (
        <label class="check">
          <input type="checkbox" checked={isOverAll} onChange={(event) => setOverAll(event.currentTarget.checked)} />
          <span>{t('dashboards.form.overAll')}</span>
        </label>
      )}
      {type === 'table' && (
        <SelectField
          label={t('dashboards.form.sort')}
          value={sort}
          options={SORTS.map((value) => ({ value, label: t(`dashboards.sorts.${value}`) }))}
          onChange={setSort}
        />
      )}
      <SelectField
        label={t('dashboards.form.sensors')}
        value={by}
        options={BY.map((value) => ({ value, label: t(`dashboards.form.by.${value}`) }))}
        onChange={setBy}
      />
      {by === 'tag' && (
        <>
          <TextField
            label={t('dashboards.form.tag')}
            value={tag}
            onInput={setTag}
            list="dash-tags"
            error={error?.field === 'tag' ? error.text : undefined}
          />
          <datalist id="dash-tags">
            {tags.data.value?.items.map((one) => (
              <option key={one.tag} value={one.tag} />
            ))}
          </datalist>
        </>
      )}
      {by === 'sensors' && (
        <SensorPicker
          label={t('dashboards.form.pick')}
          picked={picked}
          onChange={setPicked}
          error={error?.field === 'sensors' ? error.text : undefined}
        />
      )}
      <fieldset class="dash-places">
        <legend>{t('dashboards.form.place')}</legend>
        {PLACES.map((side) => (
          <Field key={side} label={t(`dashboards.form.places.${side}`)}>
            {(attributes) => (
              <input
                {...attributes}
                type="number"
                dir="ltr"
                min={side === 'x' || side === 'y' ? 1 : 2}
                // people count from one
                value={place[side] + (side === 'x' || side === 'y' ? 1 : 0)}
                onInput={(event) => {
                  const value = event.currentTarget.valueAsNumber - (side === 'x' || side === 'y' ? 1 : 0)
                  if (Number.isInteger(value)) setPlace({ ...place, [side]: value })
                }}
              />
            )}
          </Field>
        ))}
      </fieldset>
    </FormDialog>
  )
}
