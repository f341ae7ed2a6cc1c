/** Keys of a sensor, an application, a Tool API or a person: several at once, so that a caller changes to a new one without a break. */
import { useState } from 'preact/hooks'
import { send } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { t } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { attempt } from '../../ui/failure-text.tsx'
import type { Snippet } from '../../ui/snippets.ts'
import { Loaded } from '../../ui/states.tsx'
import { notify } from '../../ui/toasts.tsx'
import { AddKey } from './add-key.tsx'
import { KeyBox } from './key-box.tsx'
import { useKeyGuard } from './key-guard.ts'
import { KeyTable, type ListedKey, RevokeKey } from './key-table.tsx'

export type IssuedKeysProps<Made> = {
  /** Address of the keys, such as `/manage/v1/sensors/sen_1/keys`. */
  address: string
  title: string
  /** How to change to a new key. */
  text: string
  /** Shown when there is no valid key. */
  none: string
  nameHelp: string
  isNameRequired?: boolean
  /** What ends with a key; by default the readings of a sensor. */
  revokeText?: string
  /** Why no key can be added. */
  notOffered?: string | undefined
  /** The parts of a new key, which are shown once. */
  secretOf: (made: Made) => string
  snippetsOf?: (made: Made) => Snippet[]
}

export function IssuedKeys<Made extends { name: string }>(props: IssuedKeysProps<Made>) {
  const { address } = props
  const keys = useResource(
    async (signal) => (await answerOf<{ items: ListedKey[] }>(address, { signal })).items,
    [address],
  )
  const [isAdding, setAdding] = useState(false)
  const [made, setMade] = useState<Made | undefined>(undefined)
  useKeyGuard(made !== undefined)
  const [revoking, setRevoking] = useState<ListedKey | undefined>(undefined)

  async function revoke(key: ListedKey): Promise<void> {
    await attempt(async () => {
      await send(`${address}/${encodeURIComponent(key.id)}`, { method: 'DELETE' })
      notify(t('keys.revoked', { name: key.name }))
      setRevoking(undefined)
      keys.reload()
    })
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
      {props.notOffered === undefined ? (
        <div>
          <Button icon="add" disabled={made !== undefined} onClick={() => setAdding(true)}>
            {t('keys.addKey')}
          </Button>
        </div>
      ) : (
        <p>{props.notOffered}</p>
      )}
      {isAdding && (
        <AddKey<Made>
          address={address}
          title={t('keys.addKey')}
          action={t('keys.addKey')}
          nameHelp={props.nameHelp}
          isNameRequired={props.isNameRequired === true}
          onClose={() => setAdding(false)}
          onMade={(next) => {
            setAdding(false)
            setMade(next)
            keys.reload()
          }}
        />
      )}
      {revoking !== undefined && (
        <RevokeKey
          title={t('keys.revoke', { name: revoking.name })}
          text={props.revokeText ?? t('keys.revokeText')}
          revoked={revoking}
          onConfirm={() => revoke(revoking)}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </section>
  )
}

async function answerOf<T>(url: string, init: RequestInit): Promise<T> {
  return ((await (await send(url, init)).json()) as { data: T }).data
}
