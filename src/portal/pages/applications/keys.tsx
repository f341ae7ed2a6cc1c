/** Key pairs of an application: several at once, so that a program changes to a new one without a break. */
import { useState } from 'preact/hooks'
import { ApiError, api } from '../../api/client.ts'
import { now } from '../../clock.ts'
import { AddKey } from '../../parts/add-key.tsx'
import { Age } from '../../parts/age.tsx'
import { Button, CopyButton } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { notifyFailure } from '../../parts/failure-text.tsx'
import { KeyBox } from '../../parts/key-box.tsx'
import { useKeyGuard } from '../../parts/key-guard.ts'
import { PlainTable } from '../../parts/plain-table.tsx'
import { notify } from '../../parts/toasts.tsx'
import { formatMoment } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { type Application, type ApplicationKey, isInForce, readsSensors } from './application-data.ts'
import { type MadePair, pairOf, showPair } from './made-pair.ts'
import { pairSnippets } from './pair-snippets.ts'

/** What the commands of a new pair call: something that the application may read. */
const exampleOf = (application: Application): string =>
  application.tools.length === 0 && readsSensors(application)
    ? '/enterprise/v1/assets/sensors'
    : '/enterprise/v1/gis/processes'

export function ApplicationKeys({ application, onChange }: { application: Application; onChange: () => void }) {
  const made = pairOf(application.id)
  /** Undefined while no pair is being made; `null` for one that replaces none. */
  const [adding, setAdding] = useState<ApplicationKey | null | undefined>(undefined)
  const [revoking, setRevoking] = useState<ApplicationKey | undefined>(undefined)
  useKeyGuard(made !== undefined)

  async function revoke(key: ApplicationKey): Promise<void> {
    try {
      await api.DELETE('/manage/v1/applications/{id}/keys/{keyId}', {
        params: { path: { id: application.id, keyId: key.id } },
      })
      notify(t('keys.revoked', { name: key.name }))
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      notifyFailure(failure)
      return
    }
    setRevoking(undefined)
    onChange()
  }

  return (
    <section class="settings-part settings-wide" id="keys">
      <h2>{t('applications.keysTitle')}</h2>
      <p class="weak">{t('applications.rotation')}</p>
      {made !== undefined && (
        <KeyBox
          title={t('applications.newPair', { name: made.name })}
          text={
            made.replaces === undefined
              ? t('applications.pairOnce')
              : t('applications.pairReplaces', { name: made.replaces })
          }
          secret={made.secretKey}
          pair={{
            publicKey: made.publicKey,
            ...{ publicLabel: t('applications.publicKey'), secretLabel: t('applications.secretKey') },
          }}
          snippets={pairSnippets(location.origin, exampleOf(application), made)}
          onSaved={() => showPair(application.id, undefined)}
        />
      )}
      <KeyTable keys={application.keys} onRevoke={setRevoking} onReplace={setAdding} mayAdd={made === undefined} />
      <div>
        <Button icon="add" disabled={made !== undefined} onClick={() => setAdding(null)}>
          {t('applications.addPair')}
        </Button>
      </div>
      {adding !== undefined && (
        <AddKey<MadePair>
          address={`/manage/v1/applications/${encodeURIComponent(application.id)}`}
          title={adding === null ? t('applications.addPair') : t('applications.replaceTitle', { name: adding.name })}
          action={t('applications.addPair')}
          nameHelp={t('applications.pairNameHelp')}
          {...(adding !== null && { replaced: adding, text: t('applications.replaceText') })}
          onClose={() => setAdding(undefined)}
          onMade={({ name, publicKey, secretKey }) => {
            setAdding(undefined)
            const replaces = adding === null ? {} : { replaces: `${adding.name} (…${adding.lastFour})` }
            showPair(application.id, { name, publicKey, secretKey, ...replaces })
            onChange()
          }}
        />
      )}
      {revoking !== undefined && (
        <Dialog title={t('applications.revoke', { name: revoking.name })} onClose={() => setRevoking(undefined)}>
          <p>{t('applications.revokeText')}</p>
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
  keys: readonly ApplicationKey[]
  onRevoke: (key: ApplicationKey) => void
  onReplace: (key: ApplicationKey) => void
  mayAdd: boolean
}) {
  const valid = props.keys.filter(({ revokedAt }) => revokedAt === null)
  if (valid.length === 0) return <p class="state-silent">{t('applications.noPairs')}</p>
  return (
    <PlainTable label={t('applications.keysTitle')} kind="rows-on-phone">
      <thead>
        <tr>
          <th scope="col">{t('sensor.name')}</th>
          <th scope="col">{t('applications.publicKey')}</th>
          <th scope="col">{t('applications.secretKey')}</th>
          <th scope="col">{t('keys.created')}</th>
          <th scope="col">{t('keys.lastUsed')}</th>
          <th scope="col">{t('keys.expires')}</th>
          <th scope="col">
            <span class="visually-hidden">{t('sensor.actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {valid.map((key) => (
          <tr key={key.id}>
            <th scope="row" class="wraps">
              <bdi>{key.name}</bdi>
            </th>
            <td data-label={t('applications.publicKey')}>
              <span class="public-key">
                <code dir="ltr" class="cut" title={key.publicKey}>
                  {key.publicKey}
                </code>
                <CopyButton text={key.publicKey} isSmall />
              </span>
            </td>
            <td data-label={t('applications.secretKey')}>
              <code dir="ltr">…{key.lastFour}</code>
            </td>
            <td data-label={t('keys.created')}>
              <Age at={key.createdAt} />
            </td>
            <td data-label={t('keys.lastUsed')}>
              <Age at={key.lastUsedAt} />
            </td>
            <td data-label={t('keys.expires')}>
              <Expiry at={key.expiresAt} />
            </td>
            <td class="number-cell">
              {isInForce(key, now.value) && (
                <Button kind="quiet" disabled={!props.mayAdd} onClick={() => props.onReplace(key)}>
                  {t('applications.replace')}
                </Button>
              )}
              <Button kind="quiet" onClick={() => props.onRevoke(key)}>
                {t('keys.revokeNow')}
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </PlainTable>
  )
}

function Expiry({ at }: { at: string | null }) {
  if (at === null) return <span class="weak">{t('frame.never')}</span>
  const ms = Date.parse(at)
  const text = <bdi>{formatMoment(ms)}</bdi>
  return ms > now.value ? (
    text
  ) : (
    <span class="state-silent">
      {t('applications.expired')} {text}
    </span>
  )
}
