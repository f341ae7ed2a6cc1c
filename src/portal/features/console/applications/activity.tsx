/** Recent calls of an application: requests of each day, its tools, and its newest runs. */
import { api, dataOf } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { href } from '../../../shell/router.ts'
import { t } from '../../../text/text.ts'
import { Age } from '../../../ui/age.tsx'
import { DayBars } from '../../../ui/chart/day-bars.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { stateOf } from '../../tools/result-view/run-data.ts'
import { RunState } from '../../tools/run-state.tsx'
import { GroupTable } from '../usage/group-table.tsx'
import { useToolNames } from '../usage/tool-names.ts'
import type { Application } from './application-data.ts'

const DAYS = 30
const DAY_MS = 86_400_000
const NEWEST = 5
const MAX_TOOLS = 8
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

export function ApplicationUsage({ application: { id } }: { application: Application }) {
  const usage = useResource(
    (signal) => dataOf(api.GET('/manage/v1/applications/{id}/usage', { params: { path: { id } }, signal })),
    [id],
  )
  const runs = useResource(
    (signal) =>
      dataOf(api.GET('/enterprise/v1/gis/runs', { params: { query: { applicationId: id, limit: NEWEST } }, signal })),
    [id],
  )
  const toolName = useToolNames()
  return (
    <section class="settings-part settings-wide">
      <h2>{t('applications.usageTitle')}</h2>
      <Loaded resource={usage} lines={5}>
        {({ days, tools, to }) => {
          const figures = new Map(days.map((day) => [day.day, day]))
          const all = Array.from({ length: DAYS }, (_, i) => dayOf(Date.parse(to) - (DAYS - 1 - i) * DAY_MS))
          const values = all.map((day) => figures.get(day)?.requests ?? 0)
          return (
            <>
              <p>
                {t('applications.requestsToday', { count: values.at(-1) ?? 0 })}{' '}
                <span class="weak">
                  {t('applications.requestsMonth', { count: values.reduce((sum, value) => sum + value, 0) })}
                </span>
              </p>
              <DayBars
                label={t('applications.requests')}
                days={all}
                series={[{ id: 'requests', label: t('applications.requests'), values }]}
              />
              <GroupTable
                title={t('usage.tool')}
                groups={tools.slice(0, MAX_TOOLS)}
                nameOf={({ tool }) => toolName(tool)}
              />
            </>
          )
        }}
      </Loaded>
      <Loaded resource={runs} lines={2}>
        {({ items }) =>
          items.length > 0 && (
            <>
              <h3>{t('applications.newestRuns')}</h3>
              <ul class="newest-runs">
                {items.map((run) => (
                  <li key={run.runId ?? run.jobId}>
                    <a href={href('/runs/:id', { id: run.runId ?? run.jobId ?? '' })}>{toolName(run.processID)}</a>
                    <RunState state={stateOf(run)} />
                    <Age at={run.startedAt} />
                  </li>
                ))}
              </ul>
              <a href={href('/runs', {}, { by: id })}>{t('applications.allRuns')}</a>
            </>
          )
        }
      </Loaded>
    </section>
  )
}
