/** Usage: credits by tool or application with a forecast, readings, requests and stored bytes. */
import { ApiError, api, dataOf } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { href, queryValue, setQuery } from '../../shell/router.ts'
import { may, ownerId } from '../../shell/session.ts'
import { formatBytes, formatDay, formatWhole } from '../../text/format.ts'
import { locale, t } from '../../text/text.ts'
import { DayBars } from '../../ui/chart/day-bars.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Allowance } from './allowance.tsx'
import { Credits } from './usage/credits.tsx'
import { GroupTable } from './usage/group-table.tsx'
import { monthOf, monthsUntil } from './usage/months.ts'
import { useToolNames } from './usage/tool-names.ts'
import type { Daily, Group, Grouping } from './usage/usage-data.ts'

export function UsagePage() {
  const id = ownerId.value ?? ''
  const by: Grouping = queryValue('by') === 'application' ? 'application' : 'tool'
  const month = monthOf(queryValue('month'), Date.now())
  const path = { ownerId: id }
  const allowances = useResource(
    (signal) => dataOf(api.GET('/manage/v1/owners/{ownerId}/usage', { params: { path }, signal })),
    [id],
  )
  const daily = useResource<Daily>(
    (signal) =>
      dataOf(
        api.GET('/manage/v1/owners/{ownerId}/usage/daily', {
          params: { path, query: { from: month.from, to: month.to, by } },
          signal,
        }),
      ),
    [id, month.from, month.to, by],
  )
  const toolName = useToolNames()
  const groupName = (group: Group): string => {
    if (group.id === null) return t('usage.portal')
    return by === 'tool' ? toolName(group.id) : (group.name ?? t('usage.deletedApplication', { id: group.id }))
  }
  const failure = allowances.error.value ?? daily.error.value
  if (failure instanceof ApiError && allowances.data.value === undefined)
    return (
      <>
        <PageHead title={t('usage.title')} />
        <Loaded resource={allowances}>{() => null}</Loaded>
      </>
    )
  return (
    <>
      <PageHead title={t('usage.title')}>
        <MonthPicker month={month.month} />
      </PageHead>
      <p class="weak">{t('usage.utc')}</p>
      <div class="settings usage">
        <section class="settings-part settings-wide">
          <div class="usage-head">
            <h2>{allowances.data.value?.credits === null ? t('usage.runsTitle') : t('usage.creditsTitle')}</h2>
            <Tabs
              label={t('usage.by')}
              tabs={[
                { id: 'tool', label: t('usage.byTool') },
                { id: 'application', label: t('usage.byApplication') },
              ]}
              selected={by}
              onSelect={(next) => setQuery({ by: next === 'tool' ? undefined : next })}
            />
          </div>
          <Loaded resource={daily} lines={8}>
            {(data) => (
              <>
                <Credits data={data} month={month} groupName={groupName} credits={allowances.data.value?.credits} />
                <GroupTable
                  title={t(by === 'tool' ? 'usage.tool' : 'usage.application')}
                  groups={data.groups}
                  nameOf={(group) => {
                    const name = <bdi>{groupName(group)}</bdi>
                    const hasPage = by === 'application' && group.id !== null && group.name !== null
                    if (!hasPage || !may.value.administer) return name
                    return <a href={href('/settings/applications/:id', { id: group.id ?? '' })}>{name}</a>
                  }}
                  hasShares
                />
              </>
            )}
          </Loaded>
        </section>
        <Loaded resource={daily} lines={4}>
          {({ days }) => (
            <>
              {allowances.data.value?.readings != null && (
                <PerDay
                  title={t('usage.readingsTitle')}
                  text={t('usage.readingsText')}
                  label={t('usage.readings')}
                  days={days.map(({ day }) => day)}
                  values={days.map(({ readings }) => readings)}
                  allowance={allowances.data.value.readings.allowance}
                />
              )}
              {allowances.data.value !== undefined && (
                <PerDay
                  title={t('usage.requestsTitle')}
                  text={t('usage.requestsText')}
                  label={t('usage.requests')}
                  days={days.map(({ day }) => day)}
                  values={days.map(({ requests }) => requests)}
                  allowance={allowances.data.value.requests.allowance}
                />
              )}
            </>
          )}
        </Loaded>
        <Loaded resource={allowances} lines={2}>
          {({ storage }) => (
            <section class="settings-part settings-wide">
              <h2>{t('usage.storageTitle')}</h2>
              <dl class="allowances">
                <Allowance
                  label={t('usage.stored')}
                  used={storage.bytes}
                  most={storage.quotaBytes}
                  text={t('enterprise.usedOf', {
                    used: formatBytes(storage.bytes),
                    most: formatBytes(storage.quotaBytes),
                  })}
                  note={t('usage.storageText')}
                />
              </dl>
              {storage.expiring.firstAt !== null && (
                <p role="note">
                  {t('usage.expiring', {
                    count: storage.expiring.files,
                    size: formatBytes(storage.expiring.bytes),
                    day: formatDay(Date.parse(storage.expiring.firstAt)),
                  })}
                </p>
              )}
            </section>
          )}
        </Loaded>
      </div>
    </>
  )
}

/** Readings or requests of each day, beside the daily allowance. */
function PerDay(props: {
  title: string
  text: string
  label: string
  days: readonly string[]
  values: readonly (number | null)[]
  allowance: number
}) {
  const { days, values, allowance } = props
  const highest = Math.max(0, ...values.map((value) => value ?? 0))
  const at = values.indexOf(highest)
  const known = values.filter((value) => value !== null)
  return (
    <section class="settings-part settings-wide">
      <h2>{props.title}</h2>
      <p>
        {highest === 0
          ? t('usage.noneThisMonth', { allowance: formatWhole(allowance) })
          : t('usage.highestDay', {
              value: formatWhole(highest),
              day: formatDay(Date.parse(days[at] as string)),
              allowance: formatWhole(allowance),
            })}{' '}
        <span class="weak">{props.text}</span>
      </p>
      {known.length < values.length && highest > 0 && <p class="weak">{t('usage.notCounted')}</p>}
      {highest > 0 && (
        <DayBars
          label={props.label}
          days={days}
          series={[{ id: 'values', label: props.label, values }]}
          most={allowance}
        />
      )}
    </section>
  )
}

function MonthPicker({ month }: { month: string }) {
  const names = new Intl.DateTimeFormat(locale.value, { timeZone: 'UTC', year: 'numeric', month: 'long' })
  const months = monthsUntil(Date.now())
  return (
    <label class="month-picker">
      <span class="visually-hidden">{t('usage.month')}</span>
      <select
        value={month}
        onChange={(event) =>
          setQuery({ month: event.currentTarget.value === months[0] ? undefined : event.currentTarget.value })
        }
      >
        {months.map((one) => (
          <option key={one} value={one}>
            {names.format(Date.parse(`${one}-01`))}
          </option>
        ))}
      </select>
    </label>
  )
}
