/** All Tool APIs of an enterprise or a person, with their state and the calls of today. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { useResource } from '../api/resource.ts'
import { Chips } from '../parts/chips.tsx'
import { Icon } from '../parts/icon.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { type LoadRows, useRows } from '../parts/table-rows.ts'
import { tableView } from '../parts/table-view.ts'
import { language } from '../preferences.ts'
import { href, place, queryValue, setQuery } from '../router.ts'
import { enterpriseId, ownerId } from '../session.ts'
import { formatPercent } from '../text/format.ts'
import { t } from '../text/text.ts'
import { columnsOf, comparison } from './tool-api/columns.tsx'
import { TOOL_API_STATES, ToolApiStateView } from './tool-api/state.tsx'
import {
  type Allowance,
  loadAllowance,
  loadToolApis,
  loadTools,
  type SavableTool,
  type ToolApi,
} from './tool-api/tool-api-data.ts'

const FRESH_MS = 15_000

export function ToolApisPage() {
  const owner = ownerId.value as string
  const isPerson = enterpriseId.value === undefined
  const about = useResource(
    async (signal) => {
      const [allowance, tools] = await Promise.all([loadAllowance(owner, isPerson, signal), loadTools(signal)])
      return { allowance, tools }
    },
    [owner],
  )
  const includes = about.data.value?.allowance.includesToolApis === true
  return (
    <>
      <PageHead title={t('toolApis.title')}>
        {includes && (
          <a class="button button-main" href={href('/tool-apis/new')}>
            <Icon name="add" />
            <span>{t('toolApis.create')}</span>
          </a>
        )}
      </PageHead>
      <Loaded resource={about}>
        {({ allowance, tools }) => (
          <>
            {allowance.includesToolApis ? <Used allowance={allowance} /> : <NotIncluded allowance={allowance} />}
            <List
              key={owner}
              owner={owner}
              tools={tools}
              includes={allowance.includesToolApis}
              onFresh={about.reload}
            />
          </>
        )}
      </Loaded>
    </>
  )
}

/** How much of the day's allowance all Tool APIs together have used. */
function Used({ allowance: { used, allowance } }: { allowance: Allowance }) {
  const share = allowance === 0 ? 1 : Math.min(1, used / allowance)
  return (
    <div class="tool-api-allowance">
      <span class="number">{t('toolApis.used', { used, allowance })}</span>
      <meter
        min={0}
        max={1}
        high={0.9}
        value={share}
        aria-label={t('toolApis.usedLabel')}
        aria-valuetext={formatPercent(share)}
      />
      <span class="weak">{t('toolApis.resets')}</span>
    </div>
  )
}

/** Also on the page of a new one. */
export function NotIncluded({ allowance: { plan } }: { allowance: Allowance }) {
  return (
    <section class="tool-api-trouble" role="status">
      <h2>{t('toolApis.notIncluded', { plan })}</h2>
      <p>{t('toolApis.notIncludedText')}</p>
      <p>{t('toolApis.notIncludedDo')}</p>
    </section>
  )
}

function List(props: { owner: string; tools: readonly SavableTool[]; includes: boolean; onFresh: () => void }) {
  const { owner } = props
  const titleOf = (tool: string): string =>
    props.tools.find(({ id }) => id === tool)?.title[language.value === 'ar' ? 'ar' : 'en'] ?? tool
  const view = tableView(columnsOf(titleOf), { sort: 'state' })
  const [q = '', state, tool] = [queryValue('q'), queryValue('state'), queryValue('tool')]
  const all = useRef<ToolApi[] | undefined>(undefined)
  const [counts, setCounts] = useState<Map<string, number>>(new Map())
  const [isEmpty, setEmpty] = useState(false)

  const load: LoadRows<ToolApi> = async ({ offset, limit, signal, purpose }) => {
    if (all.current === undefined || purpose !== 'seen' || offset === 0) {
      all.current = await loadToolApis(owner, signal)
      setCounts(
        new Map([...Map.groupBy(all.current, ({ activity }) => activity.state)].map(([id, of]) => [id, of.length])),
      )
      setEmpty(all.current.length === 0)
    }
    const found = all.current.filter(
      (api) =>
        (state === undefined || state.split(',').includes(api.activity.state)) &&
        (tool === undefined || api.tool === tool) &&
        [api.name, api.id, titleOf(api.tool), api.activity.boundName ?? ''].some((text) =>
          text.toLocaleLowerCase().includes(q.toLocaleLowerCase()),
        ),
    )
    const sorted = found.toSorted(comparison(view.sort, view.order === 'desc', titleOf))
    const items = sorted.slice(offset, offset + limit)
    return { items, total: sorted.length, nextCursor: offset + limit < sorted.length ? String(offset + limit) : null }
  }
  const rows = useRows(load, [view.sort, view.order, q, state, tool, language.value])
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.hidden || rows.isLoading.peek()) return
      void rows.refresh(0, rows.count.peek() ?? 0)
      props.onFresh()
    }, FRESH_MS)
    return () => clearInterval(timer)
  }, [])

  if (isEmpty)
    return (
      <Empty title={t('toolApis.empty')} text={t('toolApis.emptyText')}>
        {props.includes && (
          <a class="button button-main" href={href('/tool-apis/new')}>
            {t('toolApis.create')}
          </a>
        )}
      </Empty>
    )
  const tools = [...new Set(all.current?.map((api) => api.tool))].sort()
  return (
    <Table
      label={t('toolApis.title')}
      fileName="tool-apis"
      isFilling
      {...{ view, rows }}
      rowId={({ id }) => id}
      open={({ id }) => `/tool-apis/${encodeURIComponent(id)}`}
      countText={(count) => t('toolApis.count', { count })}
      filters={
        <>
          <SearchField label={t('toolApis.search')} />
          <StateChips counts={counts} chosen={state} />
          {tools.length > 1 && (
            <select
              class="tool-api-filter"
              aria-label={t('toolApis.tool')}
              value={tool ?? ''}
              onChange={(event) => setQuery({ tool: event.currentTarget.value })}
            >
              <option value="">{t('toolApis.allTools')}</option>
              {tools.map((id) => (
                <option key={id} value={id}>
                  {titleOf(id)}
                </option>
              ))}
            </select>
          )}
        </>
      }
      empty={
        <Empty title={t('toolApis.noneFound')} text={t('toolApis.noneFoundText')}>
          <a class="button" href={href('/tool-apis')}>
            {t('toolApis.clearFilters')}
          </a>
        </Empty>
      }
    />
  )
}

function StateChips({ counts, chosen: text }: { counts: Map<string, number>; chosen: string | undefined }) {
  const chosen = text?.split(',') ?? []
  const query = Object.fromEntries(place.value.query)
  return (
    <Chips
      label={t('toolApis.byState')}
      chips={TOOL_API_STATES.map((state) => {
        const isOn = chosen.includes(state)
        const next = isOn ? chosen.filter((one) => one !== state) : [...chosen, state]
        const { state: _, ...rest } = query
        return {
          ...{ id: state, label: <ToolApiStateView state={state} />, isOn, count: counts.get(state) ?? 0 },
          href: href('/tool-apis', {}, { ...rest, ...(next.length > 0 && { state: next.join(',') }) }),
        }
      })}
    />
  )
}
