/** Which kinds of events a destination gets, in groups. */
import { useId } from 'preact/hooks'
import { t } from '../../text/text.ts'
import { EVENT_GROUPS, type EventType } from './destination-data.ts'

export function EventsPart(props: {
  chosen: readonly EventType[]
  onChange: (chosen: EventType[]) => void
  error: string | undefined
}) {
  const { chosen, error } = props
  const id = useId()
  const set = (types: readonly EventType[], isOn: boolean): void =>
    // in the order of the form, so that the same choice is the same record
    props.onChange(
      EVENT_GROUPS.flatMap((group) => group.types).filter((type) =>
        types.includes(type) ? isOn : chosen.includes(type),
      ),
    )
  return (
    <fieldset class="rule-group" aria-describedby={error === undefined ? undefined : id}>
      <legend>{t('destinations.eventsTitle')}</legend>
      {error !== undefined && (
        <p class="field-error" id={id} role="alert">
          {error}
        </p>
      )}
      <div class="event-groups">
        {EVENT_GROUPS.map((group) => {
          const on = group.types.filter((type) => chosen.includes(type)).length
          return (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset in a fieldset would be announced twice
            <div key={group.id} role="group" aria-label={t(`destinations.groups.${group.id}`)}>
              <label class="check event-group">
                <input
                  type="checkbox"
                  checked={on === group.types.length}
                  aria-invalid={error !== undefined || undefined}
                  ref={(element) => {
                    if (element) element.indeterminate = on > 0 && on < group.types.length
                  }}
                  onChange={() => set(group.types, on < group.types.length)}
                />
                <span>{t(`destinations.groups.${group.id}`)}</span>
              </label>
              {group.types.map((type) => (
                <label key={type} class="check" title={type}>
                  <input
                    type="checkbox"
                    checked={chosen.includes(type)}
                    onChange={(event) => set([type], event.currentTarget.checked)}
                  />
                  <span>{t(`destinations.events.${type}`)}</span>
                </label>
              ))}
            </div>
          )
        })}
      </div>
    </fieldset>
  )
}
