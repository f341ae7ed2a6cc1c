/** Keys of a sensor, an application or a Tool API: several at once, so that a caller changes to a new one without a break. */
import { useState } from 'preact/hooks'
import { ApiError, send } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import type { components } from '../api/schema.d.ts'
import { formatMoment } from '../text/format.ts'
import { t } from '../text/text.ts'
import { AddKey } from './add-key.tsx'
import { Age } from './age.tsx'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { notifyFailure } from './failure-text.tsx'
import { KeyBox, type Snippet } from './key-box.tsx'
import { PlainTable } from './plain-table.tsx'
import { Loaded } from './states.tsx'
import { notify } from './toasts.tsx'

export type IssuedKey = components['schemas']['StoredKey']

export type IssuedKeysProps<Made> = {
  /** Address of what has the keys, such as `/manage/v1/sensors/sen_1`. */
  address: string
  title: string
  /** How to change to a new key. */
  text: string
  /** When there is no valid key. */
  none: string
  nameHelp: string
  /** What is shown once of a new key. */
  secretOf: (made: Made) => string
  snippetsOf?: (made: Made) => Snippet[]
}

export function IssuedKeys<Made extends { name: string }>(props: IssuedKeysProps<Made>) {
  const { address } = props
  const keys = useResource(
    async (signal) => (await answerOf<{ items: IssuedKey[] }>(`${address}/keys`, { signal })).items,
    [address],
  )
  const [isAdding, setAdding] = useState(false)
  const [made, setMade] = useState<Made | undefined>(undefined)
  const [revoking, setRevoking] = useState<IssuedKey | undefined>(undefined)

  async function revoke(key: IssuedKey): Promise<void> {
    try {
      await send(`${address}/keys/${encodeURIComponent(key.id)}`, { method: 'DELETE' })
      notify(t('keys.revoked', { name: key.name }))
      setRevoking(undefined)
      keys.reload()
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      notifyFailure(failure)
    }
  }

  return (
    <section class="settings-part settings-wide" id="keys">
      <h2>{props.title}</h2>
      <p class="weak">{props.text}</p>
      {made !== undefined && (
        <KeyBox
          title={t('keys.newKey', { name: made.name })}
          secret={props.secretOf(made)}
          {...(props.snippetsOf && { snippets: props.snippetsOf(made) })}
          onSaved={() => setMade(undefined)}
        />
      )}
      <Loaded resource={keys} lines={2}>
        {(items) => <KeyTable label={props.title} keys={items} none={props.none} onRevoke={setRevoking} />}
      </Loaded>
      <div>
        <Button icon="add" disabled={made !== undefined} onClick={() => setAdding(true)}>
          {t('keys.addKey')}
        </Button>
      </div>
      {isAdding && (
        <AddKey<Made>
          address={address}
          title={t('keys.addKey')}
          action={t('keys.addKey')}
          nameHelp={props.nameHelp}
          onClose={() => setAdding(false)}
          onMade={(next) => {
            setAdding(false)
            setMade(next)
            keys.reload()
          }}
        />
      )}
      {revoking !== undefined && (
        <Dialog title={t('keys.revoke', { name: revoking.name })} onClose={() => setRevoking(undefined)}>
          <p>{t('keys.revokeText')}</p>
          <p class="weak">
            {t('keys.lastUsed')} <Age at={revoking.lastUsedAt} />
          </p>
          <div class="dialog-actions">
            <Button onClick={() => setRevoking(undefined)}>{t('frame.cancel')}</Button>
            <Button kind="danger" onClick={() => revoke(revoking)}>
              {t('keys.revokeNow')}
            </Button>
          </div>
        </Dialog>
      )}
    </section>
  )
}

function KeyTable(props: {
  label: string
  keys: readonly IssuedKey[]
  none: string
  onRevoke: (key: IssuedKey) => void
}) {
  const { keys, onRevoke } = props
  const valid = keys.filter(({ revokedAt }) => revokedAt === null)
  if (valid.length === 0) return <p>{props.none}</p>
  return (
    <PlainTable label={props.label}>
      <thead>
        <tr>
          <th scope="col">{t('keys.name')}</th>
          <th scope="col">{t('keys.lastFour')}</th>
          <th scope="col">{t('keys.created')}</th>
          <th scope="col">{t('keys.lastUsed')}</th>
          <th scope="col">{t('keys.expires')}</th>
          <th scope="col">
            <span class="visually-hidden">{t('keys.actions')}</span>
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
                {isExpired && <div>{t('keys.isExpired')}</div>}
              </td>
              <td class="number-cell">
                <Button kind="quiet" onClick={() => onRevoke(key)}>
                  {t('keys.revokeNow')}
                </Button>
              </td>
            </tr>
          )
        })}
      </tbody>
    </PlainTable>
  )
}

async function answerOf<T>(url: string, init: RequestInit): Promise<T> {
  return ((await (await send(url, init)).json()) as { data: T }).data
}
