/** All enterprises with their figures, for the operator. */
import { api, dataOf } from '../../api/client.ts'
import type { components } from '../../api/schema.d.ts'
import { href, navigate, queryValue } from '../../shell/router.ts'
import { formatBytes, formatCompact, formatDay, formatPercent, formatWhole } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { tierName } from '../../text/tiers.ts'
import { Age } from '../../ui/age.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Empty } from '../../ui/states.tsx'
import { Table } from '../../ui/table/table.tsx'
import { type LoadRows, useRows } from '../../ui/table/table-rows.ts'
import { type Column, tableView } from '../../ui/table/table-view.ts'
import { NewEnterprise } from '../console/new-enterprise.tsx'
import { FilterSelect } from './filter-select.tsx'
import { HeldMark, StatusMark } from './mark.tsx'
import { StatusChips, statusOf } from './status-chips.tsx'
import { useTiers } from './tiers.ts'

export type ListedEnterprise = components['schemas']['ListedEnterprise']
type Sort = 'id' | 'name' | 'sensors' | 'readings' | 'stored' | 'active'

export function OperatorEnterprisesPage() {
  const tiers = useTiers('enterprise')
  const view = tableView(columns(), { sort: 'active' })
  const [q, tier, held] = ['q', 'tier', 'held'].map(queryValue)
  const status = statusOf(queryValue('status'))
  const load: LoadRows<ListedEnterprise> = ({ cursor, limit, signal }) => {
    const query = {
      limit,
      sort: view.sort as Sort,
      ...(view.order && { order: view.order }),
      ...(cursor && { cursor }),
      ...(q && { q }),
      ...(tier && { tier }),
      ...(status && { status }),
      ...(held === 'true' && { held: 'true' as const }),
    }
    return dataOf(api.GET('/manage/v1/operator/enterprises', { params: { query }, signal }))
  }
  const rows = useRows(load, [view.sort, view.order, q, tier, status, held])
  const isFiltered = [q, tier, status, held].some((value) => value !== undefined)
  const create = <NewEnterprise onCreated={(id) => navigate(`/operator/enterprises/${encodeURIComponent(id)}`)} />

  return (
    <>
      <PageHead title={t('operator.enterprises.title')}>{create}</PageHead>
      <Table
        label={t('operator.enterprises.title')}
        fileName="enterprises"
        isFilling
        view={view}
        rows={rows}
        rowId={({ id }) => id}
        open={({ id }) => `/operator/enterprises/${encodeURIComponent(id)}`}
        countText={(count) => t('operator.enterprises.count', { count })}
        filters={
          <>
            <SearchField label={t('operator.enterprises.search')} />
            <FilterSelect
              name="tier"
              label={t('operator.enterprises.tier')}
              all={t('operator.enterprises.allTiers')}
              options={(tiers.data.value ?? []).map(({ name }) => ({ value: name, label: tierName(name) }))}
            />
            <StatusChips of="enterprise" />
          </>
        }
        empty={
          isFiltered ? (
            <Empty title={t('operator.enterprises.noneFound')} text={t('operator.enterprises.noneFoundText')}>
              <a class="button" href={href('/operator/enterprises')}>
                {t('operator.enterprises.clear')}
              </a>
            </Empty>
          ) : (
            <Empty title={t('operator.enterprises.none')} text={t('operator.enterprises.noneText')} />
          )
        }
      />
    </>
  )
}

/** A figure beside its limit, with the share as a bar behind it. */
export function Used({ used, most, text }: { used: number; most: number | null; text: (value: number) => string }) {
  if (most === null)
    return (
      <span class="used" title={t('operator.enterprises.noAllowance')}>
        {text(used)}
      </span>
    )
  const share = most === 0 ? 1 : Math.min(1, used / most)
  const title = t('operator.enterprises.ofAllowance', { share: formatPercent(share), allowance: text(most) })
  return (
    <span class={share >= 0.9 ? 'used used-full' : 'used'} title={title} style={{ '--share': share }}>
      {text(used)} <span class="weak">/ {text(most)}</span>
    </span>
  )
}

function columns(): Column<ListedEnterprise>[] {
  return [
    {
      id: 'name',
      title: t('operator.enterprises.columns.name'),
      isMain: true,
      width: 200,
      narrowWidth: 140,
      grow: 3,
      sort: { by: 'name', first: 'asc' },
      cell: ({ name }) => (
        <bdi class="cut" title={name}>
          {name}
        </bdi>
      ),
      csv: ({ name }) => name,
    },
    {
      id: 'status',
      title: t('operator.enterprises.columns.status'),
      width: 150,
      narrowWidth: 64,
      cell: ({ status, assetsHeld }) =>
        status === 'active' && assetsHeld ? <HeldMark /> : <StatusMark of="enterprise" status={status} />,
      csv: ({ status, assetsHeld }) => (assetsHeld ? `${status}, held` : status),
    },
    {
      id: 'tier',
      title: t('operator.enterprises.columns.tier'),
      width: 100,
      isWideOnly: true,
      cell: ({ tier }) => <bdi>{tierName(tier)}</bdi>,
      csv: ({ tier }) => tierName(tier),
    },
    {
      id: 'sensors',
      title: t('operator.enterprises.columns.sensors'),
      width: 120,
      isNumber: true,
      isWideOnly: true,
      sort: { by: 'sensors', first: 'desc' },
      cell: ({ sensors }) => formatWhole(sensors),
      csv: ({ sensors }) => sensors,
    },
    {
      id: 'readings',
      title: t('operator.enterprises.columns.readings'),
      width: 150,
      isNumber: true,
      narrowWidth: 136,
      sort: { by: 'readings', first: 'desc' },
      cell: ({ readingsToday, readingsPerDay }) => (
        <Used used={readingsToday} most={readingsPerDay} text={formatCompact} />
      ),
      csv: ({ readingsToday }) => readingsToday,
    },
    {
      id: 'stored',
      title: t('operator.enterprises.columns.stored'),
      width: 124,
      isNumber: true,
      isWideOnly: true,
      sort: { by: 'stored', first: 'desc' },
      cell: ({ storedBytes }) => formatBytes(storedBytes),
      csv: ({ storedBytes }) => storedBytes,
    },
    {
      id: 'credits',
      title: t('operator.enterprises.columns.credits'),
      width: 160,
      isNumber: true,
      isWideOnly: true,
      cell: ({ creditsUsed, creditsPerMonth }) => (
        <Used used={creditsUsed} most={creditsPerMonth} text={formatCompact} />
      ),
      csv: ({ creditsUsed }) => creditsUsed,
    },
    {
      id: 'active',
      title: t('operator.enterprises.columns.active'),
      width: 140,
      isWideOnly: true,
      sort: { by: 'active', first: 'desc' },
      cell: ({ lastActiveAt }) => <Age at={lastActiveAt} />,
      csv: ({ lastActiveAt }) => lastActiveAt,
    },
    {
      id: 'created',
      title: t('operator.enterprises.columns.created'),
      width: 130,
      isExtra: true,
      sort: { by: 'id', first: 'desc' },
      cell: ({ createdAt }) => <time>{formatDay(Date.parse(createdAt))}</time>,
      csv: ({ createdAt }) => createdAt,
    },
    {
      id: 'id',
      title: t('operator.enterprises.columns.id'),
      width: 310,
      isExtra: true,
      cell: ({ id }) => <code dir="ltr">{id}</code>,
      csv: ({ id }) => id,
    },
  ]
}
