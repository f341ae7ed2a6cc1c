/** Headers that are sent with each event. Stored values are never shown: a change replaces all of them. */
import { t } from '../../text/text.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { type Header, MAX_HEADERS } from './destination-values.ts'

const LONGEST_VALUE = 4_000

export function HeadersPart(props: {
  stored: readonly string[]
  /** Undefined while the stored ones stay. */
  headers: Header[] | undefined
  onChange: (headers: Header[] | undefined) => void
  errorAt: (field: string) => string | undefined
}) {
  const { stored, headers, onChange, errorAt } = props
  const error = errorAt('headers')
  return (
    <fieldset class="rule-group">
      <legend>{t('destinations.headers')}</legend>
      <p class="field-help">{t('destinations.headersText')}</p>
      {error !== undefined && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
      {headers === undefined ? (
        <>
          {stored.length > 0 && (
            <p>
              {t('destinations.headersKept')}{' '}
              {stored.map((name) => (
                <span key={name} class="sensor-tag">
                  <code dir="ltr">{name}</code>
                </span>
              ))}
            </p>
          )}
          <div class="row">
            <Button onClick={() => onChange(stored.map((name) => ({ name, value: '' })))} icon="edit">
              {t(stored.length > 0 ? 'destinations.headersReplace' : 'destinations.addHeader')}
            </Button>
          </div>
        </>
      ) : (
        <>
          {headers.map((header, i) => (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset in a fieldset would be announced twice
            <div key={i} class="header-row" role="group" aria-label={t('destinations.header', { number: i + 1 })}>
              <TextField
                label={t('destinations.headerName')}
                dir="ltr"
                autocomplete="off"
                maxLength={200}
                value={header.name}
                onInput={(name) => onChange(headers.with(i, { ...header, name }))}
                error={errorAt(`headers.${i}`)}
              />
              <TextField
                label={t('destinations.headerValue')}
                dir="ltr"
                autocomplete="off"
                maxLength={LONGEST_VALUE}
                value={header.value}
                onInput={(value) => onChange(headers.with(i, { ...header, value }))}
              />
              <IconButton
                icon="remove"
                label={t('destinations.removeHeader', { number: i + 1 })}
                onClick={() => onChange(headers.toSpliced(i, 1))}
              />
            </div>
          ))}
          <div class="row">
            {headers.length < MAX_HEADERS && (
              <Button icon="add" onClick={() => onChange([...headers, { name: '', value: '' }])}>
                {t('destinations.addHeader')}
              </Button>
            )}
            {stored.length > 0 && (
              <Button kind="quiet" onClick={() => onChange(undefined)}>
                {t('destinations.headersKeep')}
              </Button>
            )}
          </div>
        </>
      )}
    </fieldset>
  )
}
