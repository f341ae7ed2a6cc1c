/** The meaning of each column of a CSV, beside its first rows, and the channels of rows without channels. */
import { useState } from 'preact/hooks'
import { enterpriseId } from '../../../shell/session.ts'
import { formatBytes } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { SelectField } from '../../../ui/field.tsx'
import type { CsvHead } from '../../../ui/table/csv-reader.ts'
import { type ChannelDraft, ChannelsEditor, emptyChannel } from '../channels-editor.tsx'
import { FIELDS, guessMapping, type Mapping, usableChannels } from './import-rows.ts'
import type { ImportSource } from './import-run.ts'

const PREVIEW_ROWS = 5

export function ImportMapping(props: {
  file: File
  head: CsvHead
  onCheck: (source: Omit<ImportSource, 'file' | 'head'>) => void
  onBack: () => void
}) {
  const { file, head } = props
  const guessed = guessMapping(head.rows[0] ?? [])
  const [hasTitles, setTitles] = useState(Object.keys(guessed).length > 0)
  const [mapping, setMapping] = useState<Mapping>(Object.keys(guessed).length > 0 ? guessed : { name: 0 })
  const [channels, setChannels] = useState<readonly ChannelDraft[]>([emptyChannel()])
  const [isTried, setTried] = useState(false)
  const width = head.rows.reduce((most, row) => Math.max(most, row.length), 0)
  const titleOf = (column: number): string =>
    (hasTitles ? head.rows[0]?.[column]?.trim() : '') || t('importSensors.column', { number: column + 1 })
  const columns = Array.from({ length: width }, (_, i) => ({ value: String(i), label: titleOf(i) }))
  const usual = usableChannels(channels)
  const needsChannels = mapping.channels === undefined && usual.length === 0
  const twice = usual.find(({ name }, i) => usual.findIndex((other) => other.name === name) !== i)

  function submit(event: Event): void {
    event.preventDefault()
    setTried(true)
    if (mapping.name === undefined || needsChannels || twice !== undefined) return
    props.onCheck({ hasTitles, mapping, channels: usual, enterprise: enterpriseId.peek() as string })
  }

  return (
    <form class="import" noValidate onSubmit={submit}>
      <p>
        <strong>
          <bdi>{file.name}</bdi>
        </strong>{' '}
        <span class="weak">{formatBytes(file.size)}</span>
      </p>
      <label class="check">
        <input type="checkbox" checked={hasTitles} onChange={(event) => setTitles(event.currentTarget.checked)} />
        <span>{t('importSensors.hasTitles')}</span>
      </label>
      <div class="import-fields">
        {FIELDS.map((field) => (
          <SelectField
            key={field}
            label={t(`importSensors.fields.${field}`)}
            value={mapping[field] === undefined ? '' : String(mapping[field])}
            options={[{ value: '', label: t('importSensors.noColumn') }, ...columns]}
            error={
              isTried && field === 'name' && mapping.name === undefined ? t('importSensors.nameColumn') : undefined
            }
            onChange={(value) => {
              const { [field]: _, ...rest } = mapping
              setMapping(value === '' ? rest : { ...rest, [field]: Number(value) })
            }}
          />
        ))}
      </div>
      <Preview rows={head.rows.slice(hasTitles ? 1 : 0, PREVIEW_ROWS + 1)} titles={columns.map(({ label }) => label)} />
      <section class="import-channels">
        <p class="weak">
          {mapping.channels === undefined ? t('importSensors.usualChannels') : t('importSensors.ownChannels')}
        </p>
        <ChannelsEditor
          channels={channels}
          onChange={(change) => setChannels((before) => change(before))}
          errorAt={(field) =>
            isTried && field === 'channels.0.name' && needsChannels ? t('importSensors.channelsMissing') : undefined
          }
        />
        {isTried && twice !== undefined && (
          <p class="field-error" role="alert">
            {t('sensorForm.channelTwice', { name: twice.name })}
          </p>
        )}
      </section>
      <div class="row">
        <Button kind="main" type="submit">
          {t('importSensors.check')}
        </Button>
        <Button onClick={props.onBack}>{t('importSensors.otherFile')}</Button>
      </div>
    </form>
  )
}

function Preview({ rows, titles }: { rows: string[][]; titles: string[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: wide rows scroll, and the keyboard must reach them
    <section class="import-preview" aria-label={t('importSensors.preview')} tabIndex={0}>
      <table>
        <caption class="visually-hidden">{t('importSensors.preview')}</caption>
        <thead>
          <tr>
            {titles.map((title, i) => (
              <th key={i} scope="col">
                <bdi>{title}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>
              {titles.map((_, column) => (
                <td key={column}>
                  <bdi>{row[column]}</bdi>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
