/** The filters of the list of runs, in the address. */
import { api, dataOf } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { href, place, queryValue, setQuery } from '../../../shell/router.ts'
import { enterpriseId, may } from '../../../shell/session.ts'
import { t } from '../../../text/text.ts'
import { DayRange, daysInAddress } from '../../../ui/chart/day-range.tsx'
import { Chips } from '../../../ui/chips.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { SearchField } from '../../../ui/search-field.tsx'
import type { ProcessSummary } from '../process-form/process.ts'
import type { RunState as State } from '../result-view/run-data.ts'
import { RUN_STATES, RunState } from '../run-state.tsx'
import type { Folder } from './folders.ts'

const DAY_MS = 86_400_000
/** Days chosen by the person. */
const OWN = 'own'
const RANGES = ['1', '7', '30', '90'] as const

export type RunQuery = {
  processID?: string
  status?: string
  memberId?: string
  applicationId?: string
  from?: string
  to?: string
  q?: string
  named?: 'true'
  folder?: string
}

/** The filters in the address. */
export function runQuery(): RunQuery {
  const [tool, state, by, q] = [queryValue('tool'), queryValue('state'), queryValue('by'), queryValue('q')]
  const folder = queryValue('folder')
  const days = Number(queryValue('days'))
  const isPreset = RANGES.includes(String(days) as (typeof RANGES)[number])
  const { from, to } = isPreset
    ? { from: new Date(startOfMinute() - days * DAY_MS).toISOString(), to: undefined }
    : daysInAddress()
  return {
    ...(tool !== undefined && { processID: tool }),
    ...(isState(state) && { status: state === 'running' ? 'accepted,running' : state }),
    ...(by?.startsWith('mem_') && { memberId: by }),
    ...(by?.startsWith('app_') && { applicationId: by }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(q !== undefined && { q }),
    ...(folder !== undefined && { folder }),
    ...(queryValue('named') === 'yes' && { named: 'true' as const }),
  }
}

/** The same text for a minute, so that the list is not loaded again with every render. */
const startOfMinute = (): number => Math.floor(Date.now() / 60_000) * 60_000

const isState = (text: string | undefined): text is State => (RUN_STATES as readonly string[]).includes(text ?? '')

/** The address with one part changed. */
function withQuery(name: string, value: string | undefined): string {
  const query = Object.fromEntries(place.value.query)
  if (value === undefined) delete query[name]
  else query[name] = value
  return href('/runs', {}, query)
}

/** States in the filter; a waiting job counts as running too. */
const CHIPS = ['running', 'successful', 'failed', 'dismissed'] as const

export function RunFilters({ tools, folders }: { tools: readonly ProcessSummary[]; folders: readonly Folder[] }) {
  const state = queryValue('state')
  const isOwn = queryValue('days') === OWN || queryValue('from') !== undefined || queryValue('to') !== undefined
  return (
    <>
      <SearchField label={t('runs.findByName')} />
      <Select
        label={t('runs.tool')}
        name="tool"
        every={t('runs.everyTool')}
        options={tools.map(({ id, title }) => ({ value: id, label: title }))}
      />
      {may.value.administer && enterpriseId.value !== undefined && <WhoSelect enterprise={enterpriseId.value} />}
      <Select
        label={t('runs.time')}
        name="days"
        every={t('runs.everyTime')}
        options={[
          ...RANGES.map((value) => ({ value, label: t('runs.lastDays', { count: Number(value) }) })),
          { value: OWN, label: t('runs.ownTime') },
        ]}
        value={isOwn ? OWN : queryValue('days')}
        onChoose={(days) => setQuery({ days, from: undefined, to: undefined })}
      />
      {isOwn && <DayRange />}
      {(folders.length > 0 || queryValue('folder') !== undefined) && (
        <Select
          label={t('runs.folder')}
          name="folder"
          every={t('runs.everyFolder')}
          options={folders.map(({ name }) => ({ value: name, label: name }))}
        />
      )}
      <Chips
        label={t('runs.state')}
        chips={[
          ...CHIPS.map((one) => ({
            id: one,
            label: <RunState state={one} />,
            href: withQuery('state', state === one ? undefined : one),
            isOn: state === one,
          })),
          {
            id: 'named',
            label: (
              <>
                <Icon name="tag" size={14} /> {t('runs.named')}
              </>
            ),
            href: withQuery('named', queryValue('named') === 'yes' ? undefined : 'yes'),
            isOn: queryValue('named') === 'yes',
          },
        ]}
      />
    </>
  )
}

type Option = { value: string; label: string }

type SelectProps = {
  label: string
  /** In the address. */
  name: string
  every: string
  options: Option[]
  value?: string | undefined
  onChoose?: (value: string | undefined) => void
}

function Select({ label, name, every, options, ...props }: SelectProps) {
  const value = props.value ?? queryValue(name) ?? ''
  const choose = props.onChoose ?? ((chosen) => setQuery({ [name]: chosen }))
  // a value from the address is shown, even if the list lacks it
  const missing = value !== '' && options.every((one) => one.value !== value)
  return (
    <select
      class="run-select"
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => choose(currentTarget.value || undefined)}
    >
      <option value="">{every}</option>
      {missing && <option value={value}>{value}</option>}
      {options.map((one) => (
        <option key={one.value} value={one.value}>
          {one.label}
        </option>
      ))}
    </select>
  )
}

function WhoSelect({ enterprise }: { enterprise: string }) {
  const people = useResource(
    async (signal) => {
      const options = { params: { path: { id: enterprise }, query: { limit: 1_000 } }, signal }
      const [members, applications] = await Promise.all([
        dataOf(api.GET('/manage/v1/enterprises/{id}/members', options)),
        dataOf(api.GET('/manage/v1/enterprises/{id}/applications', options)),
      ])
      return [
        ...members.items.map(({ id, email }) => ({ value: id, label: email })),
        ...applications.items.map(({ id, name }) => ({ value: id, label: name })),
      ]
    },
    [enterprise],
  )
  return <Select label={t('runs.who')} name="by" every={t('runs.everyone')} options={people.data.value ?? []} />
}
