/** One fleet key: devices that wait for approval, what was refused, its secrets and its settings. */
import { useState } from 'preact/hooks'
import { usePolled } from '../../api/polled.ts'
import { deleteRecord, loadRecord, type Versioned } from '../../api/record.ts'
import type { PageProps } from '../../shell/page.ts'
import { href, mayLeave, navigate, queryValue, setQuery } from '../../shell/router.ts'
import { may } from '../../shell/session.ts'
import { formatWhole } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Age, LastUse } from '../../ui/age.tsx'
import { DeletePart } from '../../ui/delete-part.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Loaded } from '../../ui/states.tsx'
import { useRecordChanges } from '../../ui/table/record-changes.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { notify } from '../../ui/toasts.tsx'
import { type FleetKey, type FleetKeyChange, fleetKeyPath } from './fleet-key-data.ts'
import { FleetKeyForm } from './fleet-key-form.tsx'
import { changesOf, changeWords, valuesOf } from './fleet-key-values.ts'
import { Tags } from './fleet-keys.tsx'
import { PendingDevices } from './pending.tsx'
import { FleetRefusals } from './refusals.tsx'
import { NewKey, SecretsPart } from './secrets.tsx'

const FRESH_MS = 5_000
const TABS = ['pending', 'refused', 'settings'] as const

type Props = { version: Versioned<FleetKey>; onChange: (next: Versioned<FleetKey>) => void }

export function FleetKeyPage({ parameters: { id = '' } }: PageProps) {
  const key = usePolled((signal) => loadRecord<FleetKey>(fleetKeyPath(id), signal), [id], FRESH_MS)
  return (
    <Loaded resource={key} record={{ kind: 'fleetKey' }}>
      {(version) => (
        <OpenKey
          key={id}
          version={version}
          onChange={(next) => {
            key.data.value = next
          }}
          onReload={() => key.reload()}
        />
      )}
    </Loaded>
  )
}

function OpenKey({ version, onChange, onReload }: Props & { onReload: () => void }) {
  const { record } = version
  const isRevoked = record.revokedAt !== null
  const tabs = TABS.filter((id) =>
    id === 'pending' ? !isRevoked : id === 'settings' ? may.value.administer && !isRevoked : true,
  )
  const tab = tabs.find((id) => id === queryValue('tab')) ?? tabs[0]
  return (
    <>
      <PageHead
        title={record.name}
        isName
        parent={{ href: href('/settings/fleet-keys'), label: t('fleetKeys.title') }}
      />
      <Facts record={record} />
      {isRevoked && (
        <div class="notice" role="status">
          <Icon name="alert" />
          <div>
            <p>
              {t('fleetKeys.isRevoked')} <Age at={record.revokedAt} />
            </p>
            <p>{t('fleetKeys.isRevokedText')}</p>
          </div>
        </div>
      )}
      <NewKey record={record} />
      <Tabs
        label={t('fleetKeys.sections')}
        tabs={tabs.map((id) => ({
          id,
          label: t(`fleetKeys.tabs.${id}`),
          ...(id === 'pending' && record.pending > 0 && { count: record.pending }),
        }))}
        selected={tab ?? 'refused'}
        onSelect={(next) => {
          if (mayLeave()) setQuery({ tab: next === tabs[0] ? undefined : next, q: undefined })
        }}
      />
      <div class="fleet-key-part">
        {tab === 'pending' && <PendingDevices fleetKey={record} onChanged={onReload} />}
        {tab === 'refused' && <FleetRefusals fleetKey={record} />}
        {tab === 'settings' && <Settings version={version} onChange={onChange} onReload={onReload} />}
      </div>
    </>
  )
}

const Facts = ({ record }: { record: FleetKey }) => (
  <dl class="sensor-facts">
    <div>
      <dt>{t('fleetKeys.tagsColumn')}</dt>
      <dd>
        <Tags tags={record.tags} />
      </dd>
    </div>
    <div>
      <dt>{t('fleetKeys.autoCreate')}</dt>
      <dd>{t(`fleetKeys.autoCreates.${record.autoCreate}`)}</dd>
    </div>
    <div>
      <dt>{t('fleetKeys.calls')}</dt>
      <dd class="number">{formatWhole(record.calls)}</dd>
    </div>
    <div>
      <dt>{t('fleetKeys.refused')}</dt>
      <dd class="number">{formatWhole(record.refused)}</dd>
    </div>
    <div>
      <dt>{t('keys.lastUsed')}</dt>
      <dd>
        <LastUse at={record.lastUsedAt} recordedEvery="hour" />
      </dd>
    </div>
  </dl>
)

function Settings({ version, onChange, onReload }: Props & { onReload: () => void }) {
  const { record } = version
  return (
    <div class="settings">
      <SecretsPart record={record} onRotated={onReload} />
      <EditForm version={version} onChange={onChange} />
      <DeletePart
        title={t('fleetKeys.revoke')}
        text={t('fleetKeys.revokeText')}
        name={record.name}
        done={t('fleetKeys.revokedDone', { name: record.name })}
        onDelete={() => deleteRecord(fleetKeyPath(record.id), version.etag)}
        onDone={() => navigate('/settings/fleet-keys', { replace: true })}
      />
    </div>
  )
}

/** Names what the form edits. */
const formOf = ({ record }: Versioned<FleetKey>): string => `fleetKey.${record.id}.${JSON.stringify(valuesOf(record))}`

/** Typed values stay when the page loads the key again; if somebody else changed it, saving shows both versions. */
function EditForm({ version, onChange }: Props) {
  const [base, setBase] = useState(version)
  const [saves, setSaves] = useState(0)
  const { record } = base
  const changes = useRecordChanges<FleetKey, FleetKeyChange>({
    path: fleetKeyPath(record.id),
    version: formOf(version) === formOf(base) ? version : base,
    onChange(next) {
      setBase(next)
      setSaves((count) => count + 1)
      onChange(next)
    },
    ...changeWords,
  })
  return (
    <section class="settings-part settings-wide">
      <h2>{t('fleetKeys.tabs.settings')}</h2>
      <FleetKeyForm
        key={saves}
        name={formOf(base)}
        initial={valuesOf(record)}
        error={changes.error}
        onSave={async (sent, draft) => {
          const change = changesOf(record, sent)
          if (Object.keys(change).length === 0) return notify(t('record.saved'))
          if ((await changes.save(change)) !== undefined) draft.clear()
        }}
      />
      {changes.question}
    </section>
  )
}
