/** People with plans of their own, the accounts that operate the server, and their tokens. */
import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import type { components } from '../../api/schema.d.ts'
import { navigate, queryValue, setQuery } from '../../shell/router.ts'
import { formatDay, formatWhole } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { tierName } from '../../text/tiers.ts'
import { LastUse } from '../../ui/age.tsx'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { useDraft } from '../../ui/form.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Empty } from '../../ui/states.tsx'
import { Table } from '../../ui/table/table.tsx'
import { type LoadRows, useRows } from '../../ui/table/table-rows.ts'
import { type Column, tableView } from '../../ui/table/table-view.ts'
import { Tabs } from '../../ui/tabs.tsx'
import { notify } from '../../ui/toasts.tsx'
import { EmailField, FormFailure } from '../account/account-form.tsx'
import { FilterSelect } from './filter-select.tsx'
import { StatusMark } from './mark.tsx'
import { Operators } from './operators.tsx'
import { StatusChips, statusOf } from './status-chips.tsx'
import { useTiers } from './tiers.ts'
import { OperatorTokens } from './tokens.tsx'

type ListedPerson = components['schemas']['ListedPerson']
const TABS = ['people', 'operators', 'tokens'] as const

export function OperatorPeoplePage() {
  const tab = TABS.find((one) => one === queryValue('tab')) ?? 'people'
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      <PageHead title={t('operator.people.title')}>
        {tab === 'people' && (
          <Button kind="main" icon="add" onClick={() => setAdding(true)}>
            {t('operator.people.add')}
          </Button>
        )}
      </PageHead>
      <Tabs
        label={t('operator.people.title')}
        tabs={TABS.map((id) => ({ id, label: t(`operator.people.tabs.${id}`) }))}
        selected={tab}
        onSelect={(id) => navigate(id === 'people' ? '/operator/people' : `/operator/people?tab=${id}`)}
      />
      {tab === 'people' && <PeopleTable />}
      {tab === 'operators' && <Operators />}
      {tab === 'tokens' && <OperatorTokens />}
      {isAdding && <AddPerson onClose={() => setAdding(false)} />}
    </>
  )
}

function PeopleTable() {
  const plans = useTiers('person')
  const view = tableView(columns(), { sort: 'id' })
  const [q, plan] = ['q', 'plan'].map(queryValue)
  const status = statusOf(queryValue('status'))
  const load: LoadRows<ListedPerson> = ({ cursor, limit, signal }) => {
    const query = {
      limit,
      sort: view.sort as 'id' | 'email',
      ...(view.order && { order: view.order }),
      ...(cursor && { cursor }),
      ...(q && { q }),
      ...(plan && { plan }),
      ...(status && { status }),
    }
    return dataOf(api.GET('/manage/v1/operator/people', { params: { query }, signal }))
  }
  const rows = useRows(load, [view.sort, view.order, q, plan, status])
  const isFiltered = [q, plan, status].some((value) => value !== undefined)
  return (
    <Table
      label={t('operator.people.tabs.people')}
      fileName="people"
      isFilling
      view={view}
      rows={rows}
      rowId={({ id }) => id}
      open={({ id }) => `/operator/people/${encodeURIComponent(id)}`}
      countText={(count) => t('operator.people.count', { count })}
      filters={
        <>
          <SearchField label={t('operator.people.search')} />
          <FilterSelect
            name="plan"
            label={t('operator.people.plan')}
            all={t('operator.people.allPlans')}
            options={(plans.data.value ?? []).map(({ name }) => ({ value: name, label: tierName(name) }))}
          />
          <StatusChips of="person" />
        </>
      }
      empty={
        isFiltered ? (
          <Empty title={t('operator.people.noneFound')} text={t('operator.enterprises.noneFoundText')}>
            <Button onClick={() => setQuery({ q: undefined, plan: undefined, status: undefined })}>
              {t('operator.enterprises.clear')}
            </Button>
          </Empty>
        ) : (
          <Empty title={t('operator.people.none')} text={t('operator.people.noneText')} />
        )
      }
    />
  )
}

function columns(): Column<ListedPerson>[] {
  return [
    {
      id: 'email',
      title: t('operator.people.columns.email'),
      isMain: true,
      width: 220,
      narrowWidth: 180,
      grow: 3,
      sort: { by: 'email', first: 'asc' },
      cell: ({ email }) => (
        <bdi dir="ltr" class="cut" title={email}>
          {email}
        </bdi>
      ),
      csv: ({ email }) => email,
    },
    {
      id: 'plan',
      title: t('operator.people.columns.plan'),
      width: 90,
      narrowWidth: 84,
      cell: ({ plan }) => <bdi>{tierName(plan)}</bdi>,
      csv: ({ plan }) => tierName(plan),
    },
    {
      id: 'status',
      title: t('operator.people.columns.status'),
      width: 130,
      narrowWidth: 64,
      cell: ({ status }) => <StatusMark of="person" status={status} />,
      csv: ({ status }) => status,
    },
    {
      id: 'tool-apis',
      title: t('operator.people.columns.toolApis'),
      width: 110,
      isNumber: true,
      isWideOnly: true,
      cell: ({ toolApis }) => formatWhole(toolApis),
      csv: ({ toolApis }) => toolApis,
    },
    {
      id: 'held',
      title: t('operator.people.columns.held'),
      width: 110,
      isNumber: true,
      isWideOnly: true,
      cell: ({ toolApisHeld }) => (toolApisHeld === 0 ? <span class="weak">–</span> : formatWhole(toolApisHeld)),
      csv: ({ toolApisHeld }) => toolApisHeld,
    },
    {
      id: 'last',
      title: t('operator.people.columns.lastUse'),
      width: 150,
      isWideOnly: true,
      cell: ({ accountId, lastSignInAt }) =>
        accountId === null ? (
          <span class="weak">{t('operator.people.noAccount')}</span>
        ) : (
          <LastUse at={lastSignInAt} recordedEvery="day" none={t('operator.people.noSession')} />
        ),
      csv: ({ lastSignInAt }) => lastSignInAt,
    },
    {
      id: 'created',
      title: t('operator.people.columns.created'),
      width: 130,
      isWideOnly: true,
      sort: { by: 'id', first: 'desc' },
      cell: ({ createdAt }) => <time>{formatDay(Date.parse(createdAt))}</time>,
      csv: ({ createdAt }) => createdAt,
    },
    {
      id: 'id',
      title: t('operator.people.columns.id'),
      width: 310,
      isExtra: true,
      cell: ({ id }) => <code dir="ltr">{id}</code>,
      csv: ({ id }) => id,
    },
  ]
}

function AddPerson({ onClose }: { onClose: () => void }) {
  const plans = useTiers('person')
  const draft = useDraft('person', { email: '', plan: 'free' })
  const { plan } = draft.values.value
  async function submit(): Promise<void> {
    const made = await draft.submit((body, key) =>
      dataOf(api.POST('/manage/v1/people', { body, headers: { 'idempotency-key': key } })),
    )
    if (made === undefined) return
    notify(t('operator.people.added'))
    onClose()
    navigate(`/operator/people/${encodeURIComponent(made.id)}`)
  }
  return (
    <FormDialog title={t('operator.people.add')} onSubmit={submit} onClose={onClose}>
      <FormFailure error={draft.error.value} />
      <EmailField label={t('operator.people.columns.email')} {...draft.field('email')} />
      <SelectField
        label={t('operator.people.plan')}
        value={plan}
        options={(plans.data.value ?? []).map(({ name }) => ({ value: name, label: tierName(name) }))}
        onChange={(value) => draft.set('plan', value)}
        error={draft.errorAt('plan')}
      />
    </FormDialog>
  )
}
