/** Keys of a sensor: several at once, so that a device changes to a new one without a break. */
import { useState } from 'preact/hooks'
import { ApiError, api, dataOf } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { Age } from '../../parts/age.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/field.tsx'
import { failureText, useDraft } from '../../parts/form.ts'
import { KeyBox } from '../../parts/key-box.tsx'
import { inputMs } from '../../parts/range.ts'
import { sensorSnippets } from '../../parts/snippets.ts'
import { Loaded } from '../../parts/states.tsx'
import { notify } from '../../parts/toasts.tsx'
import { zone } from '../../preferences.ts'
import { formatMoment } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import type { SensorRecord } from './sensor-data.ts'

type Key = SensorRecord['keys'][number]

export function SensorKeys({ sensor }: { sensor: SensorRecord }) {
  const path = { id: sensor.id }
  const keys = useResource(
    (signal) => dataOf(api.GET('/manage/v1/sensors/{id}/keys', { params: { path }, signal })),
    [sensor.id],
  )
  const [isAdding, setAdding] = useState(false)
  const [made, setMade] = useState<{ name: string; key: string } | undefined>(undefined)
  const [revoking, setRevoking] = useState<Key | undefined>(undefined)

  async function revoke(key: Key): Promise<void> {
    try {
      await api.DELETE('/manage/v1/sensors/{id}/keys/{keyId}', {
        params: { path: { id: sensor.id, keyId: key.id } },
      })
      notify(t('sensor.revoked', { name: key.name }))
      setRevoking(undefined)
      keys.reload()
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      notify(failureText(failure), { isError: true })
    }
  }

  return (
    <section class="settings-part settings-wide" id="keys">
      <h2>{t('sensor.keys')}</h2>
      <p class="weak">{t('sensor.rotation')}</p>
      {made !== undefined && (
        <KeyBox
          title={t('sensor.newKey', { name: made.name })}
          secret={made.key}
          snippets={sensorSnippets({
            address: location.origin,
            id: sensor.id,
            key: made.key,
            channels: sensor.channels.filter(({ active }) => active),
          })}
          onSaved={() => setMade(undefined)}
        />
      )}
      <Loaded resource={keys} lines={2}>
        {({ items }) => <KeyTable keys={items} onRevoke={setRevoking} />}
      </Loaded>
      <div>
        <Button icon="add" disabled={made !== undefined} onClick={() => setAdding(true)}>
          {t('sensor.addKey')}
        </Button>
      </div>
      {isAdding && (
        <AddKey
          sensorId={sensor.id}
          onClose={() => setAdding(false)}
          onMade={(next) => {
            setAdding(false)
            setMade(next)
            keys.reload()
          }}
        />
      )}
      {revoking !== undefined && (
        <Dialog title={t('sensor.revoke', { name: revoking.name })} onClose={() => setRevoking(undefined)}>
          <p>{t('sensor.revokeText')}</p>
          <p class="weak">
            {t('sensor.lastUsed')} <Age at={revoking.lastUsedAt} />
          </p>
          <div class="dialog-actions">
            <Button onClick={() => setRevoking(undefined)}>{t('frame.cancel')}</Button>
            <Button kind="danger" onClick={() => revoke(revoking)}>
              {t('sensor.revokeNow')}
            </Button>
          </div>
        </Dialog>
      )}
    </section>
  )
}

function KeyTable({ keys, onRevoke }: { keys: readonly Key[]; onRevoke: (key: Key) => void }) {
  const valid = keys.filter(({ revokedAt }) => revokedAt === null)
  if (valid.length === 0) return <p>{t('sensor.noKeys')}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, and the keyboard must reach it
    <div class="plain-table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('sensor.name')}</th>
            <th scope="col">{t('sensor.lastFour')}</th>
            <th scope="col">{t('sensor.created')}</th>
            <th scope="col">{t('sensor.lastUsed')}</th>
            <th scope="col">{t('sensor.expires')}</th>
            <th scope="col">
              <span class="visually-hidden">{t('sensor.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {valid.map((key) => {
            const isExpired = key.expiresAt !== null && Date.parse(key.expiresAt) < Date.now()
            return (
              <tr key={key.id}>
                <th scope="row">
                  <bdi>{key.name}</bdi>
                </th>
                <td>
                  <code dir="ltr">…{key.lastFour}</code>
                </td>
                <td>
                  <Age at={key.createdAt} />
                </td>
                <td>
                  <Age at={key.lastUsedAt} />
                </td>
                <td class={isExpired ? 'state-silent' : undefined}>
                  {key.expiresAt === null ? '–' : <bdi>{formatMoment(Date.parse(key.expiresAt))}</bdi>}
                </td>
                <td class="number-cell">
                  <Button kind="quiet" onClick={() => onRevoke(key)}>
                    {t('sensor.revokeNow')}
                  </Button>
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

function AddKey(props: {
  sensorId: string
  onClose: () => void
  onMade: (made: { name: string; key: string }) => void
}) {
  const draft = useDraft(`key.${props.sensorId}`, { name: '', expires: '' })
  const { name, expires } = draft.values.value
  const { error } = draft
  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    const made = await draft.submit((values, idempotencyKey) =>
      dataOf(
        api.POST('/manage/v1/sensors/{id}/keys', {
          params: { path: { id: props.sensorId } },
          headers: { 'idempotency-key': idempotencyKey },
          body: {
            ...(values.name.trim() !== '' && { name: values.name.trim() }),
            ...(values.expires !== '' && {
              expiresAt: new Date(inputMs(values.expires, zone.value === 'utc')).toISOString(),
            }),
          },
        }),
      ),
    )
    if (made !== undefined) props.onMade({ name: made.name, key: made.key })
  }
  return (
    <Dialog title={t('sensor.addKey')} onClose={props.onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <TextField
          label={t('sensor.name')}
          help={t('sensor.keyNameHelp')}
          value={name}
          maxLength={200}
          autoFocus
          onInput={(value) => draft.set('name', value)}
          error={draft.errorAt('name')}
        />
        <TextField
          label={t('sensor.expires')}
          help={t('sensor.expiresHelp')}
          type="datetime-local"
          dir="ltr"
          value={expires}
          onInput={(value) => draft.set('expires', value)}
          error={draft.errorAt('expiresAt')}
        />
        {error.value !== undefined && error.value.faults.length === 0 && (
          <p class="form-error" role="alert">
            {failureText(error.value)}
          </p>
        )}
        <div class="dialog-actions">
          <Button onClick={props.onClose}>{t('frame.cancel')}</Button>
          <Button kind="main" type="submit">
            {t('sensor.addKey')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
