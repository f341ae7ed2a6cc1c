/** What fires now, the worst first: many alerts of one rule are one row that opens. */
import { useState } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import { addressWith, href, queryValue } from '../../shell/router.ts'
import { may } from '../../shell/session.ts'
import { formatList } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PlainTable } from '../../ui/plain-table.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { AcknowledgeDialog, type Acknowledged, takeBackOf } from './acknowledge.tsx'
import { type Alert, type AlertGroup, type Firing, loadAlerts, loadFiring, PAGE, type Severity } from './alert-data.ts'
import { useAlertChanges } from './live-alerts.ts'
import { AlertName, AlertValue, Course, Hands, ruleName, sensorName, useCurves } from './parts.tsx'
import { type Rule, rulesById } from './rule-data.ts'
import { SeverityWord } from './severity.tsx'
import { SilenceDialog, type SilenceTarget } from './silence-dialog.tsx'

type Row =
  | { kind: 'alert'; severity: Severity; alert: Alert; isMember: boolean }
  | { kind: 'group'; severity: Severity; group: AlertGroup; name: string; isOpen: boolean }
  | { kind: 'more'; severity: Severity; group: AlertGroup }

/** The open groups, and how many of their alerts are shown. */
type Opened = ReadonlyMap<string, number>
type Members = ReadonlyMap<string, { items: Alert[]; hasMore: boolean }>

const keyOf = (severity: Severity, ruleId: string): string => `${severity} ${ruleId}`
const SHOWN = 100

async function load(signal: AbortSignal, opened: Opened, rule: string | undefined) {
  const [firing, rules, members] = await Promise.all([
    loadFiring(signal, { rule }),
    rulesById(signal),
    Promise.all(
      [...opened].map(async ([key, limit]) => {
        const [severity, ruleId] = key.split(' ') as [Severity, string]
        const page = await loadAlerts({ state: 'firing', severity, rule: ruleId }, { limit }, signal)
        return [key, { items: page.items, hasMore: page.nextCursor !== null }] as const
      }),
    ),
  ])
  return { firing, rules, members: new Map(members) }
}

function rowsOf({ sections }: Firing, rules: ReadonlyMap<string, Rule>, opened: Opened, members: Members): Row[] {
  return sections.flatMap(({ severity, page }) =>
    page.groups
      .toSorted((a, b) => Date.parse(a.firstFiredAt) - Date.parse(b.firstFiredAt))
      .flatMap((group): Row[] => {
        const own = page.items.filter(({ ruleId }) => ruleId === group.ruleId)
        const [only] = own
        if (group.count === 1 && only !== undefined) return [{ kind: 'alert', severity, alert: only, isMember: false }]
        const key = keyOf(severity, group.ruleId)
        const name = rules.get(group.ruleId)?.name ?? only?.ruleName ?? t('alerts.deletedRule')
        const head: Row = { kind: 'group', severity, group, name, isOpen: opened.has(key) }
        const inside = opened.has(key) ? members.get(key) : undefined
        if (inside === undefined) return [head]
        const rows = inside.items.map((alert): Row => ({ kind: 'alert', severity, alert, isMember: true }))
        return [head, ...rows, ...(inside.hasMore ? [{ kind: 'more' as const, severity, group }] : [])]
      }),
  )
}

export function FiringTab() {
  const [opened, setOpened] = useState<Opened>(new Map())
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [shown, setShown] = useState(SHOWN)
  const [acknowledged, setAcknowledged] = useState<Acknowledged | undefined>(undefined)
  const [silenced, setSilenced] = useState<SilenceTarget | undefined>(undefined)
  const rule = queryValue('rule')
  const data = useResource((signal) => load(signal, opened, rule), [[...opened].join(), rule])
  useAlertChanges(() => data.reload())
  const done = (): void => {
    setAcknowledged(undefined)
    setSilenced(undefined)
    setSelected(new Set())
    data.reload()
  }
  const show = (key: string, limit: number | undefined): void => {
    const next = new Map(opened)
    if (limit === undefined) next.delete(key)
    else next.set(key, limit)
    setOpened(next)
  }
  return (
    <Loaded resource={data} lines={8}>
      {({ firing, rules, members }) => {
        const filter = rule !== undefined && (
          <RuleChip name={rules.get(rule)?.name ?? t('alerts.deletedRule')} href={addressWith({ rule: undefined })} />
        )
        if (firing.counts.firing === 0)
          return (
            <>
              {filter}
              <NothingFires hasRules={rules.size > 0} />
            </>
          )
        const rows = rowsOf(firing, rules, opened, members)
        const alerts = rows.flatMap((row) => (row.kind === 'alert' ? [row.alert] : []))
        const chosen = alerts.filter(({ id }) => selected.has(id))
        const open = chosen.filter(({ acknowledgedAt }) => acknowledgedAt === null)
        return (
          <>
            <div class="alert-bar">
              <Counts counts={firing.counts} />
              {filter}
              {chosen.length > 0 && (
                <div class="row">
                  {open.length > 0 && (
                    <Button
                      kind="main"
                      icon="check"
                      onClick={() => setAcknowledged({ count: open.length, ids: open.map(({ id }) => id) })}
                    >
                      {t('alerts.acknowledgeAll', { count: open.length })}
                    </Button>
                  )}
                  {may.value.administer && (
                    <Button icon="silence" onClick={() => setSilenced(targetOf(chosen))}>
                      {t('alerts.silence')}
                    </Button>
                  )}
                </div>
              )}
            </div>
            <FiringTable
              rows={rows.slice(0, shown)}
              rules={rules}
              selected={selected}
              onSelect={setSelected}
              onShow={(key, limit) => show(key, limit)}
              shownOf={(key) => opened.get(key)}
              onAcknowledge={setAcknowledged}
              onTakeBack={(id) => void takeBackOf(id, done)}
              onSilence={setSilenced}
            />
            {rows.length > shown && <Button onClick={() => setShown(shown + SHOWN)}>{t('alerts.more')}</Button>}
            {acknowledged && (
              <AcknowledgeDialog of={acknowledged} onDone={done} onClose={() => setAcknowledged(undefined)} />
            )}
            {silenced && <SilenceDialog target={silenced} onDone={done} onClose={() => setSilenced(undefined)} />}
          </>
        )
      }}
    </Loaded>
  )
}

/** Only alerts of one rule are shown. */
const RuleChip = (props: { name: string; href: string }) => (
  <a class="chip" aria-current="true" href={props.href} title={t('sensors.removeFilter')}>
    <bdi class="cut">{props.name}</bdi>
    <Icon name="close" size={14} />
  </a>
)

const targetOf = (alerts: readonly Alert[]): SilenceTarget => ({
  sensors: alerts.flatMap((alert) =>
    alert.sensorName === null ? [] : [{ id: alert.sensorId, name: alert.sensorName }],
  ),
  ruleIds: [...new Set(alerts.map(({ ruleId }) => ruleId))],
})

export function Counts({ counts }: Pick<Firing, 'counts'>) {
  const { firing, acknowledged, silenced } = counts
  return (
    <p class="alert-counts" role="status">
      {formatList([
        t('alerts.counts.firing', { count: firing }),
        ...(acknowledged > 0 ? [t('alerts.counts.acknowledged', { count: acknowledged })] : []),
        ...(silenced > 0 ? [t('alerts.counts.silenced', { count: silenced })] : []),
      ])}
    </p>
  )
}

function NothingFires({ hasRules }: { hasRules: boolean }) {
  if (hasRules) return <Empty title={t('alerts.none')} text={t('alerts.noneText')} />
  return (
    <Empty title={t('alerts.noRules')} text={t('alerts.noRulesText')} docs={t('frame.docs')}>
      {may.value.administer ? (
        <a class="button button-main" href={href('/rules/new')}>
          {t('alerts.createRule')}
        </a>
      ) : (
        <p>{t('sensors.askAdministrator')}</p>
      )}
    </Empty>
  )
}

function FiringTable(props: {
  rows: readonly Row[]
  rules: ReadonlyMap<string, Rule>
  selected: ReadonlySet<string>
  onSelect: (selected: ReadonlySet<string>) => void
  onShow: (key: string, limit: number | undefined) => void
  shownOf: (key: string) => number | undefined
  onAcknowledge: (of: Acknowledged) => void
  onTakeBack: (id: string) => void
  onSilence: (target: SilenceTarget) => void
}) {
  const { rows, rules, selected } = props
  const alerts = rows.flatMap((row) => (row.kind === 'alert' ? [row.alert] : []))
  const curves = useCurves(alerts, rules).data.value
  const toggle = (id: string): void => {
    const next = new Set(selected)
    if (!next.delete(id)) next.add(id)
    props.onSelect(next)
  }
  return (
    <PlainTable
      label={t('alerts.tabs.firing')}
      kind="alert-table"
      rows={rows}
      keyOf={(row) => `${row.kind} ${row.kind === 'alert' ? row.alert.id : keyOf(row.severity, row.group.ruleId)}`}
      attributesOf={(row) => ({
        class: row.kind === 'alert' ? (row.isMember ? 'alert-member' : undefined) : `alert-${row.kind}`,
        'data-severity': row.severity,
      })}
      columns={[
        [
          t('alerts.columns.select'),
          (row) =>
            row.kind === 'alert' && (
              <input
                type="checkbox"
                aria-label={t('alerts.select', { rule: ruleName(row.alert), sensor: sensorName(row.alert) })}
                checked={selected.has(row.alert.id)}
                onChange={() => toggle(row.alert.id)}
              />
            ),
          { isTitleHidden: true, kind: 'alert-select' },
        ],
        [
          t('alerts.columns.severity'),
          (row) => row.kind !== 'more' && <SeverityWord severity={row.severity} />,
          { kind: 'alert-severity' },
        ],
        [
          t('alerts.columns.alert'),
          (row) =>
            row.kind === 'alert' ? (
              <AlertName alert={row.alert} of={row.isMember ? 'group' : 'all'} />
            ) : row.kind === 'group' ? (
              <GroupName
                row={row}
                onToggle={() => props.onShow(keyOf(row.severity, row.group.ruleId), row.isOpen ? undefined : PAGE)}
              />
            ) : (
              <Button
                kind="quiet"
                icon="down"
                onClick={() => {
                  const key = keyOf(row.severity, row.group.ruleId)
                  props.onShow(key, Math.min(1_000, 2 * (props.shownOf(key) ?? PAGE)))
                }}
              >
                {t('alerts.more')}
              </Button>
            ),
          { isName: true },
        ],
        [
          t('alerts.columns.since'),
          (row) =>
            row.kind === 'alert' ? (
              <Age at={row.alert.startedAt} />
            ) : (
              row.kind === 'group' && <Age at={row.group.firstFiredAt} />
            ),
          { kind: 'alert-since' },
        ],
        [
          t('alerts.columns.value'),
          (row) => row.kind === 'alert' && <AlertValue alert={row.alert} rules={rules} curves={curves} />,
          { kind: 'number alert-value' },
        ],
        [
          t('alerts.columns.curve'),
          (row) => row.kind === 'alert' && <Course alert={row.alert} rules={rules} curves={curves} />,
          { kind: 'alert-course' },
        ],
        [t('alerts.columns.hands'), (row) => row.kind === 'alert' && <Hands alert={row.alert} />, { kind: 'alert-by' }],
        [
          t('alerts.columns.actions'),
          (row) => row.kind !== 'more' && <Actions row={row} {...props} />,
          { isTitleHidden: true, kind: 'alert-actions' },
        ],
      ]}
    />
  )
}

function GroupName({ row, onToggle }: { row: Row & { kind: 'group' }; onToggle: () => void }) {
  return (
    <button
      type="button"
      class="alert-open"
      aria-expanded={row.isOpen}
      title={t('alerts.openGroup', { rule: row.name })}
      onClick={onToggle}
    >
      <Icon name={row.isOpen ? 'down' : 'forward'} />
      <bdi class="cut">{row.name}</bdi>
      <span class="alert-several number">{t('alerts.several', { count: row.group.count })}</span>
    </button>
  )
}

function Actions(props: {
  row: Exclude<Row, { kind: 'more' }>
  onAcknowledge: (of: Acknowledged) => void
  onTakeBack: (id: string) => void
  onSilence: (target: SilenceTarget) => void
}) {
  const { row } = props
  if (row.kind === 'group') {
    const { severity, group } = row
    return (
      <div class="row">
        <IconButton
          icon="check"
          label={`${t('alerts.acknowledgeAll', { count: group.count })}: ${row.name}`}
          onClick={() => props.onAcknowledge({ count: group.count, filter: { severity, rule: group.ruleId } })}
        />
        {may.value.administer && (
          <IconButton
            icon="silence"
            label={`${t('alerts.silence')} ${row.name}`}
            onClick={() => props.onSilence({ sensors: [], ruleIds: [group.ruleId] })}
          />
        )}
      </div>
    )
  }
  const { alert } = row
  const name = `${ruleName(alert)}, ${sensorName(alert)}`
  return (
    <div class="row">
      {alert.acknowledgedAt === null ? (
        <IconButton
          icon="check"
          label={`${t('alerts.acknowledge')}: ${name}`}
          onClick={() => props.onAcknowledge({ count: 1, ids: [alert.id] })}
        />
      ) : (
        <IconButton icon="undo" label={`${t('alerts.takeBack')}: ${name}`} onClick={() => props.onTakeBack(alert.id)} />
      )}
      {may.value.administer && (
        <IconButton
          icon="silence"
          label={`${t('alerts.silence')} ${name}`}
          onClick={() => props.onSilence(targetOf([alert]))}
        />
      )}
    </div>
  )
}
