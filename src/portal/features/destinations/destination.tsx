/** One destination: whether its events arrive, the log of its deliveries, and its settings. */
import { useEffect, useState } from 'preact/hooks'
import { usePolled } from '../../api/polled.ts'
import { deleteRecord, loadRecord, type Versioned } from '../../api/record.ts'
import { destinationsChanged } from '../../shell/destination-alarm.tsx'
import type { PageProps } from '../../shell/page.ts'
import { href, mayLeave, navigate, queryValue, setQuery } from '../../shell/router.ts'
import { t } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { DeletePart } from '../../ui/delete-part.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { attempt } from '../../ui/failure-text.tsx'
import { Switch } from '../../ui/field.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Loaded } from '../../ui/states.tsx'
import { useRecordChanges } from '../../ui/table/record-changes.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { notify } from '../../ui/toasts.tsx'
import { Addresses } from './addresses.tsx'
import { changeWords } from './change-words.ts'
import { Deliveries } from './deliveries.tsx'
import {
  type Destination,
  type DestinationChange,
  destinationPath,
  formName,
  sendTest,
  targetOf,
} from './destination-data.ts'
import { DestinationForm } from './destination-form.tsx'
import { changesOf, valuesOf } from './destination-values.ts'
import { HealthView, Trouble } from './health.tsx'
import { ReplayDialog } from './replay-dialog.tsx'
import { NewSecret, SecretPart } from './secret.tsx'

const FRESH_MS = 5_000

type Props = { version: Versioned<Destination>; onChange: (next: Versioned<Destination>) => void }

export function DestinationPage({ parameters: { id = '' } }: PageProps) {
  const destination = usePolled((signal) => loadRecord<Destination>(destinationPath(id), signal), [id], FRESH_MS)
  return (
    <Loaded resource={destination} record={{ kind: 'destination' }}>
      {(version) => (
        <OpenDestination
          key={id}
          version={version}
          onChange={(next) => {
            destination.data.value = next
            destinationsChanged.value++
          }}
        />
      )}
    </Loaded>
  )
}

function OpenDestination({ version, onChange }: Props) {
  const { record } = version
  const [isReplaying, setReplaying] = useState(false)
  const tab = queryValue('tab') === 'settings' ? 'settings' : 'deliveries'
  async function test(): Promise<void> {
    await attempt(async () => {
      const { id } = await sendTest(record.id)
      setQuery({ tab: undefined, status: undefined, cursor: undefined, delivery: id })
    })
  }
  return (
    <>
      <PageHead
        title={record.name}
        isName
        parent={{ href: href('/settings/destinations'), label: t('destinations.title') }}
      >
        <Enabled version={version} onChange={onChange} />
        <Button icon="play" onClick={test}>
          {t('destinations.test')}
        </Button>
      </PageHead>
      <p class="destination-summary">
        <span>{formName(record)}</span>
        <code class="destination-target" dir="ltr">
          {targetOf(record)}
        </code>
        <HealthView destination={record} />
      </p>
      <NewSecret destination={record} />
      <Addresses destination={record} onChange={onChange} />
      <Trouble destination={record}>
        {!record.enabled && <SwitchOn version={version} onChange={onChange} />}
        <Button onClick={() => setReplaying(true)}>{t('destinations.replay')}</Button>
      </Trouble>
      <Tabs
        label={t('destinations.sections')}
        tabs={(['deliveries', 'settings'] as const).map((id) => ({ id, label: t(`destinations.tabs.${id}`) }))}
        selected={tab}
        onSelect={(next) => {
          if (mayLeave()) setQuery({ tab: next === 'settings' ? next : undefined, delivery: undefined })
        }}
      />
      {tab === 'deliveries' ? (
        <Deliveries destination={record} onReplay={() => setReplaying(true)} />
      ) : (
        <Settings version={version} onChange={onChange} />
      )}
      {isReplaying && <ReplayDialog destination={record} onClose={() => setReplaying(false)} />}
    </>
  )
}

function useSwitch({ version, onChange }: Props) {
  const path = destinationPath(version.record.id)
  const changes = useRecordChanges<Destination, DestinationChange>({
    path,
    version,
    onChange,
    ...changeWords(version.record),
    saved: version.record.enabled ? t('destinations.switchedOff') : t('destinations.switchedOn'),
  })
  return changes
}

function SwitchOn(props: Props) {
  const changes = useSwitch(props)
  return (
    <>
      <Button kind="main" icon="power" onClick={() => changes.save({ enabled: true })}>
        {t('destinations.switchOn')}
      </Button>
      {changes.question}
    </>
  )
}

function Enabled(props: Props) {
  const { enabled } = props.version.record
  const changes = useSwitch(props)
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Switch
        // a dismissed question leaves the switch as it was
        key={String(isAsking)}
        label={enabled ? t('destinations.on') : t('destinations.off')}
        isOn={enabled}
        onChange={(isOn) => (isOn ? void changes.save({ enabled: true }) : setAsking(true))}
      />
      {isAsking && (
        <Confirm
          title={t('destinations.switchOff')}
          onConfirm={async () => {
            await changes.save({ enabled: false })
            setAsking(false)
          }}
          onClose={() => setAsking(false)}
        >
          <p>{t('destinations.switchOffText')}</p>
        </Confirm>
      )}
      {changes.question}
    </>
  )
}

function Settings({ version, onChange }: Props) {
  const { record } = version
  const path = destinationPath(record.id)
  // a removed destination may have raised the alarm
  useEffect(() => () => void destinationsChanged.value++, [])
  return (
    <div class="settings destination-settings">
      <EditForm version={version} onChange={onChange} />
      {record.format === 'standard' && (
        <SecretPart destination={record} onRotated={async () => onChange(await loadRecord(path))} />
      )}
      <DeletePart
        title={t('destinations.delete')}
        text={t('destinations.deleteText')}
        name={record.name}
        done={t('destinations.deleted', { name: record.name })}
        onDelete={() => deleteRecord(path, version.etag)}
        onDone={() => navigate('/settings/destinations', { replace: true })}
      />
    </div>
  )
}

/** Names what the form edits. */
const formOf = ({ record }: Versioned<Destination>): string =>
  `destination.${record.id}.${JSON.stringify([valuesOf(record), record.headerNames])}`

/** Typed values stay when the page loads the destination again; if somebody else changed it, saving shows both versions. */
function EditForm({ version, onChange }: Props) {
  const [base, setBase] = useState(version)
  const [saves, setSaves] = useState(0)
  const { record } = base
  const changes = useRecordChanges<Destination, DestinationChange>({
    path: destinationPath(record.id),
    version: formOf(version) === formOf(base) ? version : base,
    onChange(next) {
      setBase(next)
      setSaves((count) => count + 1)
      onChange(next)
    },
    ...changeWords(record),
    saved: t('destinations.saved'),
  })
  return (
    <>
      <DestinationForm
        key={saves}
        name={formOf(base)}
        initial={valuesOf(record)}
        headerNames={record.headerNames}
        error={changes.error}
        onSave={async (sent, draft) => {
          const change = changesOf(record, sent)
          if (Object.keys(change).length === 0) return notify(t('destinations.saved'))
          if ((await changes.save(change)) !== undefined) draft.clear()
        }}
      />
      {changes.question}
    </>
  )
}
