/** One rule: what it says, the states of its sensors, its newest alerts, and its settings. */
import { useMemo } from 'preact/hooks'
import { deleteRecord, type Versioned } from '../../api/record.ts'
import { type Resource, useResource } from '../../api/resource.ts'
import { useLive } from '../../live.ts'
import type { PageProps } from '../../shell/page.ts'
import { href, navigate, queryValue, setQuery } from '../../shell/router.ts'
import { may } from '../../shell/session.ts'
import { formatValue } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { DeletePart } from '../../ui/delete-part.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { PlainTable, ROWS_ON_PHONE } from '../../ui/plain-table.tsx'
import { Loaded } from '../../ui/states.tsx'
import { useRecordChanges } from '../../ui/table/record-changes.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { LinkedText } from '../alerts/linked-text.tsx'
import { Hears } from '../destinations/hears.tsx'
import type { PickedSensor } from '../sensors/sensor-picker.tsx'
import { RuleForm } from './form/rule-form.tsx'
import { Moment } from './moment.tsx'
import {
  firesAlerts,
  loadAlerts,
  loadRule,
  loadStates,
  mainChannel,
  type Rule,
  type RuleFields,
  type RuleState,
  rulePath,
  sensorNames,
} from './rule-data.ts'
import { RuleSwitch } from './rule-switch.tsx'
import { checkedRule, valuesOf } from './rule-values.ts'
import { mainSentence, sentencesOf, targetWords } from './sentence.ts'
import { type Surroundings, useSurroundings } from './surroundings.ts'

type Loading = { version: Versioned<Rule>; sensors: PickedSensor[] }

async function load(id: string, signal: AbortSignal): Promise<Loading> {
  const version = await loadRule(id, signal)
  const { sensorIds } = version.record
  const ids = sensorIds === 'all' ? [] : sensorIds
  const names = await sensorNames(ids, signal)
  return { version, sensors: ids.map((one) => ({ id: one, name: names.get(one) ?? one })) }
}

export function RulePage({ parameters: { id = '' } }: PageProps) {
  const rule = useResource((signal) => load(id, signal), [id])
  return (
    <Loaded resource={rule} record={{ kind: 'rule' }}>
      {(loaded) => <OpenRule key={id} {...loaded} resource={rule} />}
    </Loaded>
  )
}

function OpenRule({ version, sensors, resource }: Loading & { resource: Resource<Loading> }) {
  const rule = version.record
  const known = useSurroundings()
  const tab = queryValue('tab') === 'settings' ? 'settings' : 'overview'
  return (
    <>
      <PageHead title={rule.name} isName parent={{ href: href('/rules'), label: t('rules.title') }}>
        {rule.kind === 'zone' && (
          <a class="button" href={href('/zones/:id', { id: rule.id })}>
            {t('rules.onMap')}
          </a>
        )}
        <RuleSwitch rule={rule} onChanged={() => resource.reload()} />
      </PageHead>
      <Tabs
        label={rule.name}
        tabs={[
          { id: 'overview', label: t('rules.overview') },
          { id: 'settings', label: t('rules.settings') },
        ]}
        selected={tab}
        onSelect={(next) => setQuery({ tab: next === 'settings' ? next : undefined })}
      />
      {tab === 'overview' ? (
        <Overview rule={rule} known={known} />
      ) : (
        <div class="settings">
          <Settings key={version.etag} version={version} sensors={sensors} known={known} onChange={resource.reload} />
          {may.value.administer && (
            // without a key: its question stays while the rule is loaded again
            <DeletePart
              title={t('rules.delete')}
              text={t('rules.deleteText')}
              name={rule.name}
              done={t('rules.deleted', { name: rule.name })}
              onDelete={() => deleteRecord(rulePath(rule.id), version.etag)}
              onDone={() => navigate('/rules', { replace: true })}
            />
          )}
        </div>
      )}
    </>
  )
}

function Overview({ rule, known }: { rule: Rule; known: Surroundings }) {
  return (
    <div class="stack rule-overview">
      <div class="rule-says">
        {firesAlerts(rule) && (
          <p>
            <strong>{t(`alerts.severities.${rule.severity}`)}</strong>
          </p>
        )}
        {sentencesOf(rule, known).map((text) => (
          <p key={text}>{text}</p>
        ))}
      </div>
      {rule.note !== undefined && rule.note !== '' && (
        <section>
          <h2>{t('rules.note')}</h2>
          <LinkedText text={rule.note} />
        </section>
      )}
      {may.value.administer && firesAlerts(rule) && <Hears rule={rule} />}
      <States rule={rule} />
      <Alerts rule={rule} known={known} />
    </div>
  )
}

const ORDER: readonly RuleState['state'][] = ['firing', 'pending', 'ok', 'unknown']

function States({ rule }: { rule: Rule }) {
  const states = useResource(
    async (signal) => {
      const { items, nextCursor } = await loadStates(rule.id, signal)
      const sorted = items.toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state))
      return {
        items: sorted,
        names: await sensorNames(
          sorted.map(({ sensorId }) => sensorId),
          signal,
        ),
        nextCursor,
      }
    },
    [rule.id, rule.updatedAt],
  )
  useLive({ refresh: () => states.reload() }, [rule.id])
  return (
    <section>
      <h2>{t('rules.states')}</h2>
      <Loaded resource={states} lines={3}>
        {({ items, names, nextCursor }) =>
          items.length === 0 ? (
            <p class="weak">{t('rules.statesNone')}</p>
          ) : (
            <>
              <PlainTable
                label={t('rules.states')}
                kind={ROWS_ON_PHONE}
                rows={items}
                keyOf={({ sensorId }) => sensorId}
                columns={[
                  [
                    t('rules.episode.sensor'),
                    ({ sensorId }) => <SensorLink id={sensorId} names={names} />,
                    { isName: true },
                  ],
                  [
                    t('rules.state'),
                    ({ state, alertId }) =>
                      alertId === undefined ? (
                        t(`rules.sensorStates.${state}`)
                      ) : (
                        <a href={href('/alerts/:id', { id: alertId })}>{t(`rules.sensorStates.${state}`)}</a>
                      ),
                  ],
                  [t('rules.since'), ({ since }) => (since === null ? '–' : <Age at={since} />)],
                ]}
              />
              {nextCursor !== null && <p class="weak">{t('rules.statesMore', { count: items.length })}</p>}
            </>
          )
        }
      </Loaded>
    </section>
  )
}

function Alerts({ rule, known }: { rule: Rule; known: Surroundings }) {
  const alerts = useResource(
    async (signal) => {
      const items = await loadAlerts(rule.id, signal)
      return {
        items,
        names: await sensorNames(
          items.map(({ sensorId }) => sensorId),
          signal,
        ),
      }
    },
    [rule.id, rule.updatedAt],
  )
  const channel = mainChannel(rule)
  const unit = channel === undefined ? null : known.unitOf(channel)
  return (
    <section>
      <h2>{t('rules.alerts')}</h2>
      <Loaded resource={alerts} lines={3}>
        {({ items, names }) =>
          items.length === 0 ? (
            <p class="weak">{t('rules.alertsNone')}</p>
          ) : (
            <>
              <PlainTable
                label={t('rules.alerts')}
                kind={ROWS_ON_PHONE}
                rows={items}
                keyOf={({ id }) => id}
                columns={[
                  [
                    t('rules.episode.fired'),
                    ({ id, firedAt }) => (
                      <a href={href('/alerts/:id', { id })}>
                        <Moment at={firedAt} />
                      </a>
                    ),
                    { isName: true },
                  ],
                  [t('rules.episode.sensor'), ({ sensorId }) => <SensorLink id={sensorId} names={names} />],
                  [t('rules.severity'), ({ severity }) => t(`alerts.severities.${severity}`)],
                  [
                    t('rules.episode.ended'),
                    ({ resolvedAt }) => (resolvedAt === null ? t('rules.episode.open') : <Moment at={resolvedAt} />),
                  ],
                  [t('rules.episode.value'), ({ value }) => formatValue(value, unit), { kind: 'number number-cell' }],
                ]}
              />
              <p>
                <a href={href('/alerts', {}, { tab: 'history', rule: rule.id })}>{t('rules.allAlerts')}</a>
              </p>
            </>
          )
        }
      </Loaded>
    </section>
  )
}

const SensorLink = ({ id, names }: { id: string; names: ReadonlyMap<string, string> }) => (
  <a href={href('/sensors/:id', { id })}>
    <bdi>{names.get(id) ?? id}</bdi>
  </a>
)

type SettingsProps = {
  version: Versioned<Rule>
  sensors: PickedSensor[]
  known: Surroundings
  onChange: () => void
}

function Settings({ version, sensors, known, onChange }: SettingsProps) {
  const rule = version.record
  const initial = useMemo(() => valuesOf(rule, sensors), [version])
  const changes = useRecordChanges<Rule, Partial<RuleFields>>({
    path: rulePath(rule.id),
    version,
    onChange,
    labelOf: (field) => labelOf(field),
    textOf: (field, from) => textOf(field, { ...rule, ...from }, known),
    saved: t('rules.saved'),
  })
  return (
    <>
      <RuleForm
        name={`rule.${rule.id}.${rule.updatedAt}`}
        initial={initial}
        known={known}
        isNew={false}
        isReadOnly={!may.value.administer}
        error={changes.error}
        onSave={async (next, draft) => {
          const before = checkedRule(initial, known.isBoolean).rule
          const saved = await changes.save(changesOf(before, next), version.etag)
          if (saved !== undefined) draft.clear()
        }}
      />
      {changes.question}
    </>
  )
}

/** The fields that differ: a change of conditions ends alerts, and a change of the name does not. */
function changesOf(before: RuleFields, after: RuleFields): Partial<RuleFields> {
  const different = Object.entries(after).filter(
    ([name, value]) => name !== 'kind' && JSON.stringify(value) !== JSON.stringify(before[name as keyof RuleFields]),
  )
  return Object.fromEntries(different) as Partial<RuleFields>
}

/** In the question about a conflict: the fields that say when a rule fires are shown as its sentence. */
function labelOf(field: keyof RuleFields): string {
  switch (field) {
    case 'name':
      return t('rules.name')
    case 'note':
      return t('rules.note')
    case 'severity':
      return t('rules.severity')
    case 'enabled':
      return t('rules.state')
    case 'sensorIds':
    case 'tags':
      return t('rules.targets')
    default:
      return t('rules.page')
  }
}

function textOf(field: keyof RuleFields, rule: RuleFields, known: Surroundings): string {
  switch (field) {
    case 'name':
      return rule.name
    case 'note':
      return rule.note ?? ''
    case 'severity':
      return t(`alerts.severities.${rule.severity}`)
    case 'enabled':
      return rule.enabled ? t('rules.on') : t('rules.off')
    case 'sensorIds':
    case 'tags':
      return targetWords(rule)
    default:
      return [mainSentence(rule, known), ...sentencesOf(rule, known).slice(1, -1)].join(' ')
  }
}
