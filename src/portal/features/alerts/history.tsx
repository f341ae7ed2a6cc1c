/** All alerts of a period, newest first, with filters in the address. */
import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { addressWith, place, queryValue, setQuery } from '../../shell/router.ts'
import { t } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { rangeOf } from '../../ui/chart/range.ts'
import { RangePicker } from '../../ui/chart/range-picker.tsx'
import { attempt } from '../../ui/failure-text.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Loaded } from '../../ui/states.tsx'
import { TagFilter } from '../sensors/tag-filter.tsx'
import { type Alert, type AlertFilter, loadAlerts, SEVERITIES, type Severity } from './alert-data.ts'
import { HistoryTable } from './history-table.tsx'
import { useAlertChanges } from './live-alerts.ts'
import { type Rule, rulesById } from './rule-data.ts'
import { sensorNames } from './sensor-table.ts'

const STATES = ['firing', 'resolved'] as const
const FILTERS = ['state', 'severity', 'rule', 'sensor', 'tag'] as const
const NO_RULES: ReadonlyMap<string, Rule> = new Map()

const oneOf = <T extends string>(values: readonly T[], text: string | undefined): T | undefined =>
  values.find((value) => value === text)

/** A week by default: a day often has no alert. */
const read = (name: string): string | undefined => queryValue(name) ?? (name === 'range' ? '7d' : undefined)

export function HistoryTab() {
  const rules = useResource(rulesById, []).data.value ?? NO_RULES
  const filter = {
    state: oneOf(STATES, queryValue('state')),
    severity: oneOf(SEVERITIES, queryValue('severity')),
    rule: queryValue('rule'),
    sensor: queryValue('sensor'),
    tag: queryValue('tag'),
  }
  const isFiltered = FILTERS.some((name) => queryValue(name) !== undefined)
  return (
    <>
      <div class="row alert-filters">
        <Choice name="state" value={filter.state} label={t('alerts.filters.state')} any={t('alerts.filters.anyState')}>
          {STATES.map((state) => [state, t(`alerts.states.${state}`)])}
        </Choice>
        <Choice
          name="severity"
          value={filter.severity}
          label={t('alerts.filters.severity')}
          any={t('alerts.filters.anySeverity')}
        >
          {SEVERITIES.map((severity: Severity) => [severity, t(`alerts.severities.${severity}`)])}
        </Choice>
        <Choice name="rule" value={filter.rule} label={t('alerts.filters.rule')} any={t('alerts.filters.allRules')}>
          {[...rules.values()].map(({ id, name }) => [id, name])}
        </Choice>
        <SensorFilter sensor={filter.sensor} hrefOf={(sensor) => addressWith({ sensor })} />
        <TagFilter tag={filter.tag} hrefOf={(tag) => addressWith({ tag })} />
        {isFiltered && (
          <Button
            kind="quiet"
            icon="close"
            onClick={() => setQuery(Object.fromEntries(FILTERS.map((name) => [name, undefined])))}
          >
            {t('alerts.filters.clear')}
          </Button>
        )}
      </div>
      <AlertHistory filter={filter} rules={rules} none={t('alerts.filters.none')} />
    </>
  )
}

/** @param isOneSensor the page is about the sensor of the filter */
export function AlertHistory(props: {
  filter: Omit<AlertFilter, 'from' | 'to'>
  rules: ReadonlyMap<string, Rule>
  none: string
  isOneSensor?: boolean
}) {
  const { filter, rules } = props
  const query = place.value.query.toString()
  const range = useMemo(() => rangeOf(Date.now(), read), [query])
  const [steps, setSteps] = useState(0)
  const wanted = (): AlertFilter => ({
    ...filter,
    from: new Date(range.fromMs).toISOString(),
    // an alert may begin later than this page was opened
    ...(range.preset === undefined && { to: new Date(range.toMs).toISOString() }),
  })
  const first = useResource((signal) => loadAlerts(wanted(), {}, signal), [query, filter.sensor])
  const older = useSignal<{ items: Alert[]; nextCursor: string | null } | undefined>(undefined)
  const data = first.data.value
  useEffect(() => {
    older.value = undefined
  }, [query])
  useAlertChanges(() => first.reload())
  const items = [
    ...new Map([...(data?.items ?? []), ...(older.value?.items ?? [])].map((one) => [one.id, one])).values(),
  ]
  const nextCursor = (older.value ?? data)?.nextCursor ?? null
  async function loadOlder(cursor: string): Promise<void> {
    await attempt(async () => {
      const page = await loadAlerts(wanted(), { cursor })
      older.value = { items: [...(older.peek()?.items ?? []), ...page.items], nextCursor: page.nextCursor }
    })
  }
  return (
    <div class="stack">
      <RangePicker
        range={range}
        canGoBack={steps > 0}
        onBack={() => {
          setSteps((count) => count - 1)
          history.back()
        }}
        onChange={() => setSteps((count) => count + 1)}
      />
      <Loaded resource={first}>
        {() =>
          items.length === 0 ? (
            <p class="weak">{props.none}</p>
          ) : (
            <>
              <HistoryTable alerts={items} rules={rules} isOneSensor={props.isOneSensor === true} />
              {nextCursor !== null && <Button onClick={() => loadOlder(nextCursor)}>{t('alerts.older')}</Button>}
            </>
          )
        }
      </Loaded>
    </div>
  )
}

function Choice(props: {
  name: (typeof FILTERS)[number]
  value: string | undefined
  label: string
  any: string
  children: (readonly [value: string, text: string])[]
}) {
  return (
    <select
      aria-label={props.label}
      value={props.value ?? ''}
      onChange={(event) => setQuery({ [props.name]: event.currentTarget.value })}
    >
      <option value="">{props.any}</option>
      {props.children.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  )
}

const IN_MENU = 20

/** @param hrefOf the address with another sensor, or without a sensor */
function SensorFilter(props: { sensor: string | undefined; hrefOf: (sensor: string | undefined) => string }) {
  const { sensor, hrefOf } = props
  const [q, setQ] = useState('')
  const name = useResource(
    async (signal) => (sensor === undefined ? undefined : (await sensorNames([sensor], signal)).get(sensor)),
    [sensor],
  )
  const found = useResource(
    (signal) =>
      dataOf(
        api.GET('/enterprise/v1/assets/sensors', {
          params: { query: { limit: IN_MENU, ...(q.trim() !== '' && { q: q.trim() }) } },
          signal,
        }),
      ),
    [q],
  )
  if (sensor !== undefined)
    return (
      <a class="chip" aria-current="true" href={hrefOf(undefined)} title={t('sensors.removeFilter')}>
        <Icon name="sensor" size={14} />
        <bdi class="cut">{name.data.value ?? sensor}</bdi>
        <Icon name="close" size={14} />
      </a>
    )
  return (
    <Menu
      label={t('alerts.filters.sensor')}
      align="start"
      button={
        <>
          <Icon name="sensor" />
          <span>{t('alerts.filters.sensor')}</span>
          <Icon name="down" />
        </>
      }
      search={{ label: t('alerts.filters.findSensor'), value: q, onInput: setQ }}
      items={(found.data.value?.items ?? []).map((one) => ({
        label: <bdi class="cut">{one.name}</bdi>,
        onSelect: hrefOf(one.id),
      }))}
    />
  )
}
