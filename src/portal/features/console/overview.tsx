/** The first page: problems, incoming readings, and the first steps while there are none. */
import { useEffect } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { lostSince } from '../../shell/connection.ts'
import { href } from '../../shell/router.ts'
import { enterpriseId, isOperator, may, session } from '../../shell/session.ts'
import { formatBrief, formatValue, formatWhole } from '../../text/format.ts'
import { refusalOfPage } from '../../text/refusals.ts'
import { isolated, t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { TableRows } from '../../ui/plain-table.tsx'
import { Empty, Loaded, Refused } from '../../ui/states.tsx'
import { loadFiring } from '../alerts/alert-data.ts'
import { FiringList } from '../alerts/firing-list.tsx'
import { WaitingDevices } from '../fleet-keys/waiting-devices.tsx'
import { SENSOR_STATES, State } from '../sensors/state.tsx'
import { NewEnterprise } from './new-enterprise.tsx'
import { Changes, LateMap, NewestEvents } from './overview/newest.tsx'
import { RateCurve } from './overview/rates.tsx'

const REFRESH_MS = 5_000
/** The number that fits beside the counts without scrolling. */
const SHOWN_SENSORS = 12

const TROUBLE = ['refused', 'silent', 'late'] as const

async function load(signal: AbortSignal) {
  const [overview, rates, firing, worst] = await Promise.all([
    dataOf(api.GET('/enterprise/v1/assets/sensors/states', { signal })),
    dataOf(api.GET('/enterprise/v1/assets/sensors/rates', { signal })),
    loadFiring(signal),
    dataOf(
      api.GET('/enterprise/v1/assets/sensors', {
        params: {
          query: { sort: 'state', state: TROUBLE.join(','), include: 'state,latest,refused', limit: SHOWN_SENSORS },
        },
        signal,
      }),
    ),
  ])
  return { overview, rates, firing, worst: worst.items }
}

export function OverviewPage() {
  if (enterpriseId.value === undefined)
    return (
      <>
        <PageHead title={t('overview.title')} />
        {session.value?.suspension && <Refused refusal={refusalOfPage(undefined)} />}
        <Empty title={t('overview.noEnterprise')} text={t('overview.noEnterpriseText')}>
          {isOperator.value && <NewEnterprise />}
        </Empty>
      </>
    )
  return <Fleet />
}

type Data = Awaited<ReturnType<typeof load>>

/** Most people open the list of sensors next: its code is loaded while the page is idle. */
function prefetchList(): () => void {
  // Safari has no idle callbacks
  const isIdle = typeof requestIdleCallback === 'function'
  // the router loads the page again when it is opened, and reports a failure then
  const prefetch = (): void => void import('../sensors/sensors.tsx').catch(() => undefined)
  const wait = isIdle ? requestIdleCallback(prefetch) : setTimeout(prefetch, 500)
  return () => (isIdle ? cancelIdleCallback(wait as number) : clearTimeout(wait))
}

function Fleet() {
  const fleet = useResource(load, [])
  useEffect(prefetchList, [])
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) fleet.reload()
    }, REFRESH_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <>
      <PageHead title={t('overview.title')} />
      <WaitingDevices />
      <Loaded resource={fleet} lines={10}>
        {(data) =>
          data.overview.total === 0 ? <FirstSteps /> : <Figures data={data} loadedAt={fleet.loadedAt.value} />
        }
      </Loaded>
    </>
  )
}

function Figures({ data: { overview, rates, firing, worst }, loadedAt }: { data: Data; loadedAt: number | undefined }) {
  const wrong = TROUBLE.reduce((sum, state) => sum + overview.states[state], 0)
  const faults = [
    ...(firing.counts.firing > 0 ? [t('overview.firing', { count: firing.counts.firing })] : []),
    ...(wrong > 0 ? [t('overview.wrong', { count: wrong })] : []),
  ]
  return (
    <div class="stack">
      <p class={faults.length === 0 ? 'overview-verdict' : 'overview-verdict overview-wrong'}>
        {lostSince.value !== undefined
          ? t('overview.unknown')
          : faults.length === 0
            ? t('overview.allRight')
            : faults.join(' ')}
      </p>
      <ul class="overview-states" aria-label={t('overview.byState')}>
        {SENSOR_STATES.map((state) => (
          <li key={state}>
            <a href={href('/sensors', {}, { state })}>
              <span class="overview-count number">{formatWhole(overview.states[state])}</span>
              <State state={state} />
            </a>
          </li>
        ))}
      </ul>
      <dl class="overview-rates">
        <div>
          <dt>{t('overview.readings')}</dt>
          <dd class="number">
            {formatWhole(overview.readingsPerMinute)} <span class="weak">{t('overview.perMinute')}</span>
          </dd>
        </div>
        <div>
          <dt>{t('overview.refused')}</dt>
          <dd class="number">
            {formatWhole(overview.refusedLastHour)} <span class="weak">{t('overview.lastHour')}</span>
          </dd>
        </div>
      </dl>
      <FiringList firing={firing} />
      {worst.length > 0 && <Worst worst={worst} />}
      <a href={href('/sensors')}>{t('overview.all', { count: overview.total })}</a>
      <RateCurve rates={rates} />
      <NewestEvents refreshed={loadedAt} />
      <Changes />
      <LateMap />
    </div>
  )
}

function Worst({ worst }: Pick<Data, 'worst'>) {
  return (
    <section aria-labelledby="overview-worst">
      <h2 id="overview-worst">{t('overview.worst')}</h2>
      <div class="overview-table">
        <table>
          <TableRows
            rows={worst}
            keyOf={({ id }) => id}
            columns={[
              [t('overview.columns.state'), ({ state }) => state !== undefined && <State state={state} />],
              [
                t('overview.columns.sensor'),
                ({ id, name }) => (
                  <a class="cut" dir="auto" title={name} href={href('/sensors/:id', { id })}>
                    <bdi>{name}</bdi>
                  </a>
                ),
              ],
              [t('overview.columns.lastReading'), ({ lastAt }) => <Age at={lastAt} />],
              [t('overview.columns.latest'), ({ latest }) => <Latest latest={latest ?? []} />, { kind: 'number' }],
              [
                t('overview.columns.refused'),
                ({ refused }) => (refused ? formatWhole(refused) : <span class="weak">–</span>),
                { kind: 'number' },
              ],
            ]}
          />
        </table>
      </div>
    </section>
  )
}

function Latest({ latest }: { latest: NonNullable<Data['worst'][number]['latest']> }) {
  const values = latest.filter(({ value }) => value !== null)
  if (values.length === 0) return <span class="weak">–</span>
  return values.map(({ channel, value, unit }) => (
    <span key={channel} class="overview-value" title={`${isolated(channel)}: ${formatValue(value, unit)}`}>
      {formatBrief(value, unit)}
    </span>
  ))
}

/** The steps to a first reading on a chart, for new users. */
function FirstSteps() {
  return (
    <Empty title={t('overview.first')} text={t('overview.firstText')} docs={t('sensors.docs')}>
      <ol class="steps">
        <li>{t('overview.steps.create')}</li>
        <li>{t('overview.steps.send')}</li>
        <li>{t('overview.steps.look')}</li>
      </ol>
      {may.value.administer ? (
        <div class="row">
          <a class="button button-main" href={href('/sensors/new')}>
            {t('overview.createSensor')}
          </a>
          <a class="button" href={href('/sensors/connect')}>
            {t('connect.title')}
          </a>
        </div>
      ) : (
        <p>{t('sensors.askAdministrator')}</p>
      )}
    </Empty>
  )
}
