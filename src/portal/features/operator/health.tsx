/** Health of the server: current problems, live figures, and the history of every part. */
import { useMemo, useState } from 'preact/hooks'
import { usePolled } from '../../api/polled.ts'
import { place, queryValue } from '../../shell/router.ts'
import { formatBytes, formatDuration, formatFigure, formatPercent, formatWhole } from '../../text/format.ts'
import { isolated, t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { rangeOf } from '../../ui/chart/range.ts'
import { RangePicker } from '../../ui/chart/range-picker.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { PlainTable, ROWS_ON_PHONE } from '../../ui/plain-table.tsx'
import { Loaded } from '../../ui/states.tsx'
import { FilterSelect } from './filter-select.tsx'
import { HealthCharts } from './health-charts.tsx'
import { HEALTH_MS, type Instance, LONGEST_MS, loadHealth } from './health-data.ts'
import { HealthHistory } from './health-history.tsx'
import { HealthParts, IdEnd, partsOf } from './health-parts.tsx'
import { Mark } from './mark.tsx'

export function OperatorHealthPage() {
  const health = usePolled(loadHealth, [], HEALTH_MS)
  return (
    <>
      <PageHead title={t('operations.health.title')} />
      <Loaded resource={health} lines={12}>
        {({ items }) => <Health instances={items} />}
      </Loaded>
    </>
  )
}

function Health({ instances }: { instances: Instance[] }) {
  const wanted = queryValue('instance')
  const shown = instances.filter(({ id }) => wanted === undefined || id === wanted)
  const query = place.value.query.toString()
  const range = useMemo(() => {
    const asked = rangeOf(Date.now())
    return { ...asked, fromMs: Math.max(asked.fromMs, asked.toMs - LONGEST_MS) }
  }, [query])
  const [steps, setSteps] = useState(0)
  const wrong = partsOf(shown).filter(({ state }) => state !== 'ok').length
  return (
    <div class="stack">
      <p class={wrong === 0 ? 'overview-verdict' : 'overview-verdict overview-wrong'} role="status">
        {wrong === 0 ? t('operations.health.allRight') : t('operations.health.wrong', { count: wrong })}
      </p>
      {instances.length > 1 && (
        <div class="row">
          <FilterSelect
            name="instance"
            label={t('operations.health.instance')}
            all={t('operations.health.allInstances')}
            options={instances.map(({ id, name }) => ({ value: id, label: `${isolated(name)} (…${id.slice(-4)})` }))}
          />
        </div>
      )}
      <Figures instances={shown.filter(({ status }) => status === 'running')} />
      <HealthParts instances={shown} />
      <section class="stack" aria-labelledby="history">
        <h2 id="history">{t('operations.health.history')}</h2>
        <RangePicker
          range={range}
          longestMs={LONGEST_MS}
          canGoBack={steps > 0}
          onBack={() => {
            setSteps((count) => count - 1)
            history.back()
          }}
          onChange={() => setSteps((count) => count + 1)}
        />
        <HealthHistory instances={shown} range={range} />
        <HealthCharts instanceId={wanted} range={range} onZoom={() => setSteps((count) => count + 1)} />
      </section>
      <Processes instances={instances} />
    </div>
  )
}

const decimal = (value: number): string =>
  value < 10 ? formatFigure(Number(value.toFixed(1))) : formatWhole(Math.round(value))

function Figures({ instances }: { instances: Instance[] }) {
  const reports = instances.map(({ report }) => report)
  const sum = (of: (report: Instance['report']) => number): number =>
    reports.reduce((total, report) => total + of(report), 0)
  const most = (of: (report: Instance['report']) => number): number => Math.max(0, ...reports.map(of))
  const rate = (kind: 'accepted' | 'duplicates' | 'refused'): string =>
    t('operations.health.perSecond', { value: decimal(sum(({ figures }) => figures.readingsPerSecond[kind])) })
  const cores = most(({ figures }) => figures.cores)
  const cpu = (used: number): string =>
    t('operations.health.cores', { used: Number(used.toFixed(2)), all: formatWhole(cores) })
  const free = Math.min(...reports.map(({ figures }) => figures.diskFreeBytes))
  const total = most(({ figures }) => figures.diskTotalBytes)
  if (reports.length === 0) return null
  return (
    <dl class="figures" aria-label={t('operations.health.now')}>
      <div>
        <dt>
          {t('operations.health.readings')}: {t('operations.health.accepted')}
        </dt>
        <dd class="number" data-figure="accepted">
          {rate('accepted')}
        </dd>
        <dd class="figure-limit weak number">
          {t('operations.health.duplicates')} {rate('duplicates')} · {t('operations.health.refused')} {rate('refused')}
        </dd>
      </div>
      <div>
        <dt title={t('operations.health.behindHelp')}>{t('operations.health.behind')}</dt>
        <dd class="number">{formatDuration(most(({ ingest }) => ingest?.lagSeconds ?? 0) * 1000)}</dd>
        <dd class="figure-limit weak number">
          {t('operations.health.waiting')}: {formatBytes(sum(({ ingest }) => ingest?.bytesWaiting ?? 0))} ·{' '}
          {t('operations.health.segments', { count: sum(({ ingest }) => ingest?.segmentsWaiting ?? 0) })}
        </dd>
      </div>
      <div>
        <dt>{t('operations.health.delay')}</dt>
        <dd class="number">
          {formatWhole(Math.round(most(({ figures }) => figures.loopDelayMs)))}{' '}
          {t('operations.health.units.milliseconds')}
        </dd>
        <dd class="figure-limit weak">{t('operations.health.delayHelp')}</dd>
      </div>
      <div>
        <dt>{t('operations.health.server')}</dt>
        <dd class="number">{formatBytes(sum(({ figures }) => figures.serverBytes))}</dd>
        <dd class="figure-limit weak number">{cpu(sum(({ figures }) => figures.serverCpu))}</dd>
      </div>
      <div>
        <dt>{t('operations.health.workers')}</dt>
        <dd class="number">{formatBytes(sum(({ figures }) => figures.workersBytes))}</dd>
        <dd class="figure-limit weak number">{cpu(sum(({ figures }) => figures.workersCpu))}</dd>
      </div>
      <div>
        <dt>{t('operations.health.disk')}</dt>
        <dd class="number">{formatBytes(free)}</dd>
        <dd class="figure-limit weak number">
          {t('operator.enterprise.of', { limit: formatBytes(total) })} · {formatPercent(total === 0 ? 0 : free / total)}
        </dd>
      </div>
    </dl>
  )
}

const STATUS_SHAPES = { running: 'sending', silent: 'silent', stopped: 'off' } as const

function Processes({ instances }: { instances: Instance[] }) {
  return (
    <section class="stack" aria-labelledby="processes">
      <h2 id="processes">{t('operations.health.instances')}</h2>
      <PlainTable
        label={t('operations.health.instances')}
        kind={ROWS_ON_PHONE}
        rows={instances}
        keyOf={({ id }) => id}
        attributesOf={({ id }) => ({ 'data-instance': id })}
        columns={[
          [
            t('operations.health.instance'),
            ({ id, name }) => (
              <>
                <bdi title={id}>{name}</bdi> <IdEnd id={id} />
              </>
            ),
          ],
          [
            t('operations.health.state'),
            ({ status }) => <Mark shape={STATUS_SHAPES[status]}>{t(`operations.health.statuses.${status}`)}</Mark>,
          ],
          [t('operations.health.started'), ({ startedAt }) => <Age at={startedAt} />],
          [t('operations.health.reported'), ({ reportedAt }) => <Age at={reportedAt} />],
          [
            t('operations.health.memory'),
            ({ report: { figures } }) => formatBytes(figures.serverBytes + figures.workersBytes),
            { kind: 'number number-cell' },
          ],
          [
            t('operations.health.cpu'),
            ({ report: { figures } }) => formatPercent(figures.serverCpu + figures.workersCpu),
            { kind: 'number number-cell' },
          ],
          [t('operations.health.version'), ({ version }) => <code dir="ltr">{version}</code>],
        ]}
      />
    </section>
  )
}
