/** Whether whole readings are deleted, or the values of some channels only. */
import { useId } from 'preact/hooks'
import { t } from '../../../text/text.ts'

export function ChannelChoice(props: {
  /** All channels that the sensor ever had. */
  names: readonly string[]
  /** Null for whole readings. */
  chosen: readonly string[] | null
  onChange: (next: string[] | null) => void
  error?: string | undefined
}) {
  const { names, chosen, onChange, error } = props
  const id = useId()
  return (
    <>
      <fieldset class="option-set">
        <legend>{t('deletions.what')}</legend>
        {[true, false].map((isAll) => (
          <label key={String(isAll)} class="check">
            <input
              type="radio"
              name={id}
              checked={(chosen === null) === isAll}
              onChange={() => onChange(isAll ? null : [])}
            />
            <span>{t(isAll ? 'deletions.everything' : 'deletions.chosen')}</span>
          </label>
        ))}
      </fieldset>
      {chosen !== null && (
        <fieldset class="option-set" aria-describedby={error === undefined ? undefined : `${id}-error`}>
          <legend>{t('deletions.channels')}</legend>
          {names.map((name) => (
            <label key={name} class="check">
              <input
                type="checkbox"
                checked={chosen.includes(name)}
                onChange={(event) =>
                  onChange(event.currentTarget.checked ? [...chosen, name] : chosen.filter((one) => one !== name))
                }
              />
              <bdi>{name}</bdi>
            </label>
          ))}
          {error !== undefined && (
            <div class="field-error" id={`${id}-error`} role="alert">
              {error}
            </div>
          )}
        </fieldset>
      )}
    </>
  )
}
