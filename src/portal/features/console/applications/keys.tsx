/** Key pairs of an application: several at once, so that a program changes to a new one without a break. */
import { useState } from 'preact/hooks'
import { ApiError, api } from '../../../api/client.ts'
import { now } from '../../../shell/clock.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { notifyFailure } from '../../../ui/failure-text.tsx'
import { pairHeaders, snippetsOf } from '../../../ui/snippets.ts'
import { notify } from '../../../ui/toasts.tsx'
import { AddKey } from '../../account/add-key.tsx'
import { KeyBox } from '../../account/key-box.tsx'
import { useKeyGuard } from '../../account/key-guard.ts'
import { KeyTable, RevokeKey } from '../../account/key-table.tsx'
import { type Application, type ApplicationKey, isInForce, readsSensors } from './application-data.ts'
import { type MadePair, pairOf, showPair } from './made-pair.ts'

/** The call in the commands of a new pair: one that the application may make. */
const exampleOf = (application: Application): string =>
  application.tools.length === 0 && readsSensors(application)
    ? '/enterprise/v1/assets/sensors'
    : '/enterprise/v1/gis/processes'

export function ApplicationKeys({ application, onChange }: { application: Application; onChange: () => void }) {
  const made = pairOf(application.id)
  /** Undefined while no pair is being created; `null` for a pair that replaces none. */
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
            publicLabel: t('applications.publicKey'),
            secretLabel: t('applications.secretKey'),
          }}
          snippets={snippetsOf({ url: location.origin + exampleOf(application), headers: pairHeaders(made) })}
          onSaved={() => showPair(application.id, undefined)}
        />
      )}
      <KeyTable
        label={t('applications.keysTitle')}
        keys={application.keys}
        none={<span class="state-silent">{t('applications.noPairs')}</span>}
        onRevoke={setRevoking}
        actions={(key) =>
          isInForce(key, now.value) && (
            <Button kind="quiet" disabled={made !== undefined} onClick={() => setAdding(key)}>
              {t('applications.replace')}
            </Button>
          )
        }
      />
      <div>
        <Button icon="add" disabled={made !== undefined} onClick={() => setAdding(null)}>
          {t('applications.addPair')}
        </Button>
      </div>
      {adding !== undefined && (
        <AddKey<MadePair>
          address={`/manage/v1/applications/${encodeURIComponent(application.id)}/keys`}
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
        <RevokeKey
          title={t('applications.revoke', { name: revoking.name })}
          text={t('applications.revokeText')}
          revoked={revoking}
          onConfirm={() => revoke(revoking)}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </section>
  )
}
