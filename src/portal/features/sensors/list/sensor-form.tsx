/** The form of one new sensor. */
import { useId, useState } from 'preact/hooks'
import { api, dataOf } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { enterpriseId } from '../../../shell/session.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import type { ChartChannel } from '../../../ui/chart/chart-data.ts'
import { FormFailure } from '../../../ui/failure-text.tsx'
import { Field, TextField } from '../../../ui/field.tsx'
import { useDraft } from '../../../ui/form.ts'
import { type ChannelDraft, ChannelsEditor, channelBodies, channelFaults, emptyChannel } from '../channels-editor.tsx'
import { externalIdFault } from '../external-id.ts'
import { TagsEditor } from '../tags-editor.tsx'

export type Made = {
  id: string
  name: string
  key: string
  channels: { name: string; measurement: ChartChannel['measurement']; unit: string | null; active: boolean }[]
}
type Values = { name: string; externalId: string; assetName: string; tags: string[]; channels: ChannelDraft[] }

const LONGEST_NAME = 200
/** Enough to recognise the wanted one; any other can be typed. */
const SUGGESTED_ASSETS = 200

/** Names the draft of a new sensor. */
export const newSensorDraft = (enterpriseId: string): string => `sensor.new.${enterpriseId}`

/** Broken rules, by field. The API has the same rules; these are checked before anything is sent. */
export function faultsIn({ name, externalId, channels }: Values): Record<string, string> {
  const faults = channelFaults(channels)
  if (name.trim() === '') faults.name = t('sensorForm.nameRule')
  const externalFault = externalIdFault(externalId)
  if (externalFault !== undefined) faults.externalId = externalFault
  if (channels.length === 0) faults.channels = t('sensorForm.noChannel')
  return faults
}

export function SensorForm({ onMade }: { onMade: (made: Made) => void }) {
  const enterprise = enterpriseId.value as string
  const draft = useDraft<Values>(newSensorDraft(enterprise), {
    name: '',
    externalId: '',
    assetName: '',
    tags: [],
    channels: [emptyChannel()],
  })
  const values = draft.values.value
  const [isBusy, setBusy] = useState(false)
  /** Fields that lost the focus: their rules are checked already. */
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const leave = (field: string): void => setLeft((before) => new Set([...before, field]))
  const faults = faultsIn(values)
  const errorAt = (field: string): string | undefined =>
    draft.errorAt(field) ?? (left.has('all') || left.has(field) ? faults[field] : undefined)

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    if (isBusy) return
    setLeft(new Set(['all']))
    if (Object.keys(faults).length > 0) {
      requestAnimationFrame(() => document.querySelector<HTMLElement>('[aria-invalid]')?.focus())
      return
    }
    setBusy(true)
    const made = await draft.submit(({ name, externalId, assetName, tags, channels }, idempotencyKey) =>
      dataOf(
        api.POST('/manage/v1/enterprises/{id}/sensors', {
          params: { path: { id: enterprise } },
          headers: { 'Idempotency-Key': idempotencyKey },
          body: {
            name: name.trim(),
            ...(externalId.trim() !== '' && { externalId: externalId.trim() }),
            ...(assetName.trim() !== '' && { assetName: assetName.trim() }),
            tags,
            channels: channelBodies(channels),
          },
        }),
      ),
    )
    setBusy(false)
    if (made === undefined) return
    draft.clear()
    onMade(made)
  }

  const failure = draft.error.value
  return (
    <form class="form" noValidate onSubmit={(event) => void submit(event)}>
      <FormFailure error={failure} />
      <TextField
        label={t('sensorForm.name')}
        required
        maxLength={LONGEST_NAME}
        value={values.name}
        error={errorAt('name')}
        onInput={(name) => draft.set('name', name)}
        onLeave={() => values.name !== '' && leave('name')}
        autoFocus
      />
      <TextField
        label={t('sensor.fields.externalId')}
        help={t('sensor.externalIdHelp')}
        maxLength={LONGEST_NAME}
        value={values.externalId}
        error={errorAt('externalId')}
        onInput={(externalId) => draft.set('externalId', externalId)}
        onLeave={() => leave('externalId')}
      />
      <AssetField
        enterprise={enterprise}
        value={values.assetName}
        error={errorAt('assetName')}
        onInput={(assetName) => draft.set('assetName', assetName)}
      />
      <TagsEditor
        label={t('sensors.columns.tags')}
        tags={values.tags}
        error={errorAt('tags')}
        onChange={(change) => draft.set('tags', change(draft.values.peek().tags))}
      />
      <ChannelsEditor
        channels={values.channels}
        errorAt={errorAt}
        onChange={(change) => draft.set('channels', change(draft.values.peek().channels))}
      />
      {errorAt('channels') !== undefined && (
        <p class="field-error" role="alert">
          {errorAt('channels')}
        </p>
      )}
      <div class="row">
        <Button kind="main" type="submit" isBusy={isBusy}>
          {t('sensors.create')}
        </Button>
      </div>
    </form>
  )
}

function AssetField(props: {
  enterprise: string
  value: string
  error: string | undefined
  onInput: (value: string) => void
}) {
  const id = useId()
  const assets = useResource(
    async (signal) =>
      dataOf(
        api.GET('/manage/v1/enterprises/{id}/assets', {
          params: { path: { id: props.enterprise }, query: { limit: SUGGESTED_ASSETS } },
          signal,
        }),
      ),
    [props.enterprise],
  )
  return (
    <Field label={t('sensorForm.asset')} help={t('sensorForm.assetHelp')} error={props.error}>
      {(attributes) => (
        <>
          <input
            {...attributes}
            dir="auto"
            maxLength={LONGEST_NAME}
            list={`${id}-assets`}
            value={props.value}
            onInput={(event) => props.onInput(event.currentTarget.value)}
          />
          <datalist id={`${id}-assets`}>
            {assets.data.value?.items.map((asset) => (
              <option key={asset.id} value={asset.name} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}
