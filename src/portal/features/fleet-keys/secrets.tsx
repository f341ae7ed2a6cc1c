/** The secrets of a fleet key: a new one is shown once, with commands that work, and the earlier ones stay valid for a day. */
import { useState } from 'preact/hooks'
import { t } from '../../text/text.ts'
import { Age, LastUse } from '../../ui/age.tsx'
import { Button } from '../../ui/button.tsx'
import { PlainTable, ROWS_ON_PHONE } from '../../ui/plain-table.tsx'
import { bearer, NOW, postOf, type Snippet, snippetsOf } from '../../ui/snippets.ts'
import { AddKey } from '../account/add-key.tsx'
import { KeyBox } from '../account/key-box.tsx'
import { useKeyGuard } from '../account/key-guard.ts'
import { Expiry } from '../account/key-table.tsx'
import { ofFleet } from '../sensors/connect/configuration.ts'
import { type FleetKey, fleetKeyPath, madeKeyOf, newestSecret, showKey } from './fleet-key-data.ts'

const fleetSnippets = (key: string): Snippet[] => [
  ...snippetsOf(
    postOf(`${location.origin}/ingest/readings`, bearer(key), {
      readings: [{ sensor: 'device-1', at: NOW, values: { temperature: 21.5 } }],
    }),
  ),
  ...(ofFleet('telegraf', key).blocks ?? []).map(({ text }) => ({ language: 'Telegraf' as const, code: text })),
]

/** A key that was just made. */
export function NewKey({ record: { id, name } }: { record: FleetKey }) {
  const made = madeKeyOf(id)
  useKeyGuard(made !== undefined)
  if (made === undefined) return null
  return (
    <KeyBox
      title={t('keys.newKey', { name })}
      text={
        <>
          {t('frame.keyOnce')} {t('fleetKeys.commandsText')}
          {made.replaces !== undefined && ` ${t('fleetKeys.overlap', { end: made.replaces })}`}
        </>
      }
      secret={made.key}
      snippets={fleetSnippets(made.key)}
      onSaved={() => showKey(id, undefined)}
    />
  )
}

export function SecretsPart({ record, onRotated }: { record: FleetKey; onRotated: () => void }) {
  const { id, keys } = record
  const [isRotating, setRotating] = useState(false)
  const newest = newestSecret(record)
  return (
    <section class="settings-part settings-wide" id="keys">
      <h2>{t('fleetKeys.keysTitle')}</h2>
      <p class="weak">{t('fleetKeys.rotation')}</p>
      <PlainTable
        label={t('fleetKeys.keysTitle')}
        kind={ROWS_ON_PHONE}
        rows={keys.toReversed()}
        keyOf={(key) => key.id}
        columns={[
          [t('keys.name'), ({ name }) => <bdi>{name}</bdi>, { isName: true, kind: 'wraps' }],
          [t('keys.lastFour'), ({ lastFour }) => <code dir="ltr">…{lastFour}</code>],
          [t('keys.created'), ({ createdAt }) => <Age at={createdAt} />],
          [t('keys.lastUsed'), ({ lastUsedAt }) => <LastUse at={lastUsedAt} recordedEvery="hour" />],
          [t('keys.expires'), ({ expiresAt }) => <Expiry at={expiresAt} />],
        ]}
      />
      <div>
        <Button icon="key" disabled={madeKeyOf(id) !== undefined} onClick={() => setRotating(true)}>
          {t('fleetKeys.rotate')}
        </Button>
      </div>
      {isRotating && (
        <AddKey<{ key: string }>
          address={`${fleetKeyPath(id)}/keys`}
          title={t('fleetKeys.rotate')}
          action={t('fleetKeys.rotate')}
          text={t('fleetKeys.rotateText')}
          nameHelp={t('fleetKeys.keyNameHelp')}
          {...(newest !== undefined && { replaced: newest })}
          onClose={() => setRotating(false)}
          onMade={({ key }) => {
            setRotating(false)
            showKey(id, { key, ...(newest !== undefined && { replaces: `…${newest.lastFour}` }) })
            onRotated()
            scrollTo({ top: 0 })
          }}
        />
      )}
    </section>
  )
}
