/** The first page: what is wrong, how much arrives, and the first steps while there is nothing. */
import { useEffect } from 'preact/hooks'
import { api, dataOf } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Age } from '../parts/age.tsx'
import { NewEnterprise } from '../parts/new-enterprise.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { SENSOR_STATES, State } from '../parts/state.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { href } from '../router.ts'
import { enterpriseId, isOperator, may } from '../session.ts'
import { formatBrief, formatValue, formatWhole } from '../text/format.ts'
import { t } from '../text/text.ts'

const REFRESH_MS = 5_000
/** As many as fit beside the counts without scrolling. */
const SHOWN_SENSORS = 12

async function load(signal: AbortSignal) {
  const [overview, worst] = await Promise.all([
    dataOf(api.GET('/enterprise/v1/assets/sensors/states', { signal })),
    dataOf(
      api.GET('/enterprise/v1/assets/sensors', {
        params: { query: { sort: 'state', include: 'state,latest,refused', limit: SHOWN_SENSORS } },
        signal,
      }),
    ),
  ])
  return { overview, worst: worst.items }
}

export function OverviewPage() {
  if (enterpriseId.value === undefined)
    return (
      <>
        <PageHead title={t('overview.title')} />
        <Empty title={t('overview.noEnterprise')} text={t('overview.noEnterpriseText')}>
          {isOperator.value && <NewEnterprise />}
        </Empty>
      </>
    )
  return <Fleet />
}

type Data = Awaited<ReturnType<typeof load>>

/** The list of sensors is what most people open next: its code is loaded while nothing else is to be done. */
function prefetchList(): () => void {
  // Safari has no idle callbacks
  const isIdle = typeof requestIdleCallback === 'function'
  const prefetch = (): void => void import('./sensors.tsx').catch(() => undefined)
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
      <Loaded resource={fleet} lines={10}>
        {(data) => (data.overview.total === 0 ? <FirstSteps /> : <Figures data={data} />)}
      </Loaded>
    </>
  )
}

function Figures({ data: { overview, worst } }: { data: Data }) {
  const wrong = overview.states.silent + overview.states.late + overview.states.refused
  return (
    <div class="stack">
      <p class={wrong === 0 ? 'overview-verdict' : 'overview-verdict overview-wrong'}>
        {wrong === 0 ? t('overview.allRight') : t('overview.wrong', { count: wrong })}
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
      <section aria-labelledby="overview-worst">
        <h2 id="overview-worst">{wrong === 0 ? t('overview.sensors') : t('overview.worst')}</h2>
        <div class="overview-table">
          <table>
            <thead>
              <tr>
                <th scope="col">{t('overview.columns.state')}</th>
                <th scope="col">{t('overview.columns.sensor')}</th>
                <th scope="col">{t('overview.columns.lastReading')}</th>
                <th scope="col">{t('overview.columns.latest')}</th>
                <th scope="col">{t('overview.columns.refused')}</th>
              </tr>
            </thead>
            <tbody>
              {worst.map((sensor) => (
                <Row key={sensor.id} sensor={sensor} />
              ))}
            </tbody>
          </table>
        </div>
        <a href={href('/sensors')}>{t('overview.all', { count: overview.total })}</a>
      </section>
    </div>
  )
}

function Row({ sensor }: { sensor: Data['worst'][number] }) {
  const values = (sensor.latest ?? []).filter(({ value }) => value !== null)
  return (
    <tr>
      <td>{sensor.state !== undefined && <State state={sensor.state} />}</td>
      <td>
        <a class="cut" dir="auto" title={sensor.name} href={href('/sensors/:id', { id: sensor.id })}>
          <bdi>{sensor.name}</bdi>
        </a>
      </td>
      <td>
        <Age at={sensor.lastAt} />
      </td>
      <td class="number">
        {values.length === 0 && <span class="weak">–</span>}
        {values.map(({ channel, value, unit }) => (
          <span key={channel} class="overview-value" title={`${channel}: ${formatValue(value, unit)}`}>
            {formatBrief(value, unit)}
          </span>
        ))}
      </td>
      <td class="number">{sensor.refused ? formatWhole(sensor.refused) : <span class="weak">–</span>}</td>
    </tr>
  )
}

/** The way to a reading on a chart, for those who see this for the first time. */
function FirstSteps() {
  return (
    <Empty title={t('overview.first')} text={t('overview.firstText')} docs={t('sensors.docs')}>
      <ol class="steps">
        <li>{t('overview.steps.create')}</li>
        <li>{t('overview.steps.send')}</li>
        <li>{t('overview.steps.look')}</li>
      </ol>
      {may.value.administer ? (
        <a class="button button-main" href={href('/sensors/new')}>
          {t('overview.createSensor')}
        </a>
      ) : (
        <p>{t('sensors.askAdministrator')}</p>
      )}
    </Empty>
  )
}
