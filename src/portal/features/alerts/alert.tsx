/** One alert: what it is about, who looks after it, and the curve around it. */
import { useMemo, useState } from 'preact/hooks'
import { loadRecord } from '../../api/record.ts'
import { useResource } from '../../api/resource.ts'
import { now } from '../../shell/clock.ts'
import type { PageProps } from '../../shell/page.ts'
import { href, place, queryValue, setQuery } from '../../shell/router.ts'
import { may } from '../../shell/session.ts'
import { formatExact, formatMoment, formatValue } from '../../text/format.ts'
import { isolated, t } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Chart } from '../../ui/chart/chart.tsx'
import { chooseRange, rangeOf } from '../../ui/chart/range.ts'
import { RangePicker } from '../../ui/chart/range-picker.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Actor } from '../console/audit/actor.tsx'
import { type SensorRecord, sensorPath } from '../sensors/one/sensor-data.ts'
import { AcknowledgeDialog, takeBackOf } from './acknowledge.tsx'
import { type Alert, loadAlert, loadSilences, type Silence } from './alert-data.ts'
import { channelNames, spanOf, useEpisodes } from './episodes.ts'
import { durationOf } from './history-table.tsx'
import { LinkedText } from './linked-text.tsx'
import { useAlertChanges } from './live-alerts.ts'
import { ruleName, sensorName } from './parts.tsx'
import { loadRule, type Rule, thresholdsOf } from './rule-data.ts'
import { SeverityWord } from './severity.tsx'
import { SilenceDialog } from './silence-dialog.tsx'
import { end } from './silences.tsx'

/** An alert with what pages elsewhere show of its rule and its sensor; both may be deleted. */
type Loading = {
  alert: Alert
  rule: Rule | undefined
  sensor: SensorRecord | undefined
  silences: readonly Silence[]
}

async function load(id: string, signal: AbortSignal): Promise<Loading> {
  const alert = await loadAlert(id, signal)
  const [rule, sensor, silences] = await Promise.all([
    alert.ruleName === null ? undefined : loadRule(alert.ruleId, signal),
    alert.sensorName === null
      ? undefined
      : loadRecord<SensorRecord>(sensorPath(alert.sensorId), signal).then(({ record }) => record),
    alert.silenced ? loadSilences(signal, id) : [],
  ])
  return { alert, rule, sensor, silences }
}

export function AlertPage({ parameters }: PageProps) {
  const id = parameters.id ?? ''
  const data = useResource((signal) => load(id, signal), [id])
  useAlertChanges(() => data.reload())
  return (
    <Loaded resource={data} record={{ kind: 'alert' }}>
      {(loaded) => <OneAlert {...loaded} onChange={() => data.reload()} />}
    </Loaded>
  )
}

function OneAlert(props: Loading & { onChange: () => void }) {
  const { alert, rule, sensor } = props
  const [asked, setAsked] = useState<'acknowledge' | 'silence' | undefined>(undefined)
  const done = (): void => {
    setAsked(undefined)
    props.onChange()
  }
  const isFiring = alert.resolvedAt === null
  return (
    <>
      <PageHead
        title={ruleName(alert)}
        isName
        parent={{ href: href('/alerts'), label: t('alerts.title') }}
        beside={<SeverityWord severity={alert.severity} />}
      >
        {alert.acknowledgedAt === null ? (
          <Button kind={isFiring ? 'main' : 'plain'} icon="check" onClick={() => setAsked('acknowledge')}>
            {t('alerts.acknowledge')}
          </Button>
        ) : (
          <Button icon="undo" onClick={() => takeBackOf(alert.id, done)}>
            {t('alerts.takeBack')}
          </Button>
        )}
        {may.value.administer && sensor !== undefined && (
          <Button icon="silence" onClick={() => setAsked('silence')}>
            {t('alerts.silence')}
          </Button>
        )}
      </PageHead>
      <div class="stack">
        <p class={isFiring ? `alert-verdict alert-verdict-${alert.severity}` : 'alert-verdict'}>
          {t(isFiring ? 'alerts.firingFor' : 'alerts.firedFor', { duration: durationOf(alert, now.value) })}
          {alert.resolvedBy !== null && `. ${t(`alerts.ends.${alert.resolvedBy}`)}.`}
        </p>
        <Facts {...props} />
        {rule !== undefined && rule.note !== undefined && rule.note !== '' && (
          <section aria-labelledby="alert-note">
            <h2 id="alert-note">{t('alerts.note')}</h2>
            <LinkedText text={rule.note} />
          </section>
        )}
        {sensor !== undefined && <Around alert={alert} rule={rule} sensor={sensor} />}
        <div class="row">
          {rule !== undefined && <a href={href('/rules/:id', { id: rule.id })}>{t('alerts.toRule')}</a>}
          {sensor !== undefined && (
            <a href={href('/sensors/:id', { id: sensor.id }, rangeAround(alert))}>{t('alerts.toChart')}</a>
          )}
        </div>
      </div>
      {asked === 'acknowledge' && (
        <AcknowledgeDialog of={{ count: 1, ids: [alert.id] }} onDone={done} onClose={() => setAsked(undefined)} />
      )}
      {asked === 'silence' && sensor !== undefined && (
        <SilenceDialog
          target={{ sensors: [{ id: sensor.id, name: sensor.name }], ruleIds: rule === undefined ? [] : [rule.id] }}
          onDone={done}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  )
}

function Facts({ alert, sensor, silences, onChange }: Loading & { onChange: () => void }) {
  const unitOf = (channel: string): string | null => sensor?.channels.find(({ name }) => name === channel)?.unit ?? null
  const values = Object.entries(alert.values)
  const moment = (at: string) => <time dateTime={at}>{formatExact(Date.parse(at))}</time>
  return (
    <dl class="alert-facts">
      <dt>{t('alerts.filters.sensor')}</dt>
      <dd>
        {alert.sensorName === null ? (
          sensorName(alert)
        ) : (
          <a href={href('/sensors/:id', { id: alert.sensorId })}>
            <bdi>{alert.sensorName}</bdi>
          </a>
        )}
        {alert.assetName !== null && alert.assetName !== alert.sensorName && (
          <>
            {' · '}
            <bdi>{alert.assetName}</bdi>
          </>
        )}
      </dd>
      <dt>{t('alerts.facts.started')}</dt>
      <dd>
        {moment(alert.startedAt)} <span class="weak">{t('alerts.facts.startedText')}</span>
      </dd>
      <dt>{t('alerts.facts.fired')}</dt>
      <dd>{moment(alert.firedAt)}</dd>
      <dt>{t('alerts.facts.detected')}</dt>
      <dd>
        {moment(alert.detectedAt)} {alert.late && <span class="weak">{t('alerts.lateText')}</span>}
      </dd>
      {alert.resolvedAt !== null && (
        <>
          <dt>{t('alerts.facts.resolved')}</dt>
          <dd>{moment(alert.resolvedAt)}</dd>
        </>
      )}
      {values.length > 0 && (
        <>
          <dt>{t('alerts.facts.values')}</dt>
          <dd>
            {values.map(([channel, value]) => (
              <span key={channel} class="alert-fact-value">
                <bdi>{channel}</bdi> <strong class="number">{formatValue(value, unitOf(channel))}</strong>
              </span>
            ))}
          </dd>
        </>
      )}
      <dt>{t('alerts.facts.acknowledged')}</dt>
      <dd>
        {alert.acknowledgedAt === null ? (
          <span class="weak">{t('alerts.facts.notAcknowledged')}</span>
        ) : (
          <>
            {alert.acknowledgedBy !== null && <Actor entry={{ actor: alert.acknowledgedBy, actorName: null }} />}{' '}
            {moment(alert.acknowledgedAt)}
            {alert.comment !== null && <LinkedText text={alert.comment} />}
          </>
        )}
      </dd>
      {silences.length > 0 && (
        <>
          <dt>{t('alerts.facts.silenced')}</dt>
          <dd>
            {silences.map(({ id, to, comment }) => (
              <div key={id} class="row">
                <span>{t('alerts.silences.until', { at: formatMoment(Date.parse(to)) })}</span>
                <bdi class="weak">{comment}</bdi>
                {may.value.administer && (
                  <Button kind="quiet" onClick={() => end(id, onChange)}>
                    {t('alerts.silences.end')}
                  </Button>
                )}
              </div>
            ))}
          </dd>
        </>
      )}
    </dl>
  )
}

const LEAST_MS = 3_600_000
const NO_MARKS: never[] = []

/** The alert with as much time before and after it, at least an hour. */
function rangeAround({ startedAt, resolvedAt }: Alert): { from: string; to: string } {
  const fromMs = Date.parse(startedAt)
  const toMs = resolvedAt === null ? Date.now() : Date.parse(resolvedAt)
  const room = Math.max(LEAST_MS, toMs - fromMs)
  const end = Math.min(Date.now(), toMs + room)
  return { from: new Date(fromMs - room).toISOString(), to: new Date(end).toISOString() }
}

function Around({ alert, rule, sensor }: { alert: Alert; rule: Rule | undefined; sensor: SensorRecord }) {
  const query = place.value.query.toString()
  const range = useMemo(() => {
    const around = rangeAround(alert)
    const isChosen = ['from', 'to', 'range'].some((name) => queryValue(name) !== undefined)
    return rangeOf(Date.now(), isChosen ? queryValue : (name) => around[name as 'from' | 'to'])
  }, [query, alert.id, alert.resolvedAt])
  const [steps, setSteps] = useState(0)
  const hide = queryValue('hide') ?? ''
  const hidden = useMemo(() => new Set(hide === '' ? [] : hide.split('\n')), [hide])
  const sensorIds = useMemo(() => [sensor.id], [sensor.id])
  const channels = useMemo(() => {
    const named = channelNames(alert)
    return sensor.channels
      .filter(({ name, active }) => active && (named === undefined || named.includes(name)))
      .map(({ name, unit, measurement }) => ({ name, unit, measurement }))
  }, [sensor.channels, alert.id])
  const thresholds = useMemo(() => (rule === undefined ? [] : thresholdsOf(rule)), [rule])
  const episodes = useEpisodes({ sensor: alert.sensorId, rule: alert.ruleId }, range, query)
  const spans = useMemo(
    () => [alert, ...episodes.filter(({ id }) => id !== alert.id)].map((one) => spanOf(one, channelNames(one))),
    [episodes, alert],
  )
  if (channels.length === 0) return null
  return (
    <section aria-labelledby="alert-chart" class="stack">
      <h2 id="alert-chart">{t('alerts.chart')}</h2>
      <RangePicker
        range={range}
        canGoBack={steps > 0}
        onBack={() => {
          setSteps((count) => count - 1)
          history.back()
        }}
        onChange={() => setSteps((count) => count + 1)}
      />
      <Chart
        title={[ruleName(alert), sensor.name].map(isolated).join(', ')}
        sensorIds={sensorIds}
        channels={channels}
        range={range}
        marks={NO_MARKS}
        spans={spans}
        thresholds={thresholds}
        hidden={hidden}
        onHide={(next) => setQuery({ hide: [...next].join('\n') })}
        onZoom={(fromMs, toMs) => {
          setSteps((count) => count + 1)
          chooseRange(fromMs, toMs, { push: true })
        }}
      />
    </section>
  )
}
