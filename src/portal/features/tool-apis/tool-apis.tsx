/** All Tool APIs of an enterprise or a person, with their state and the calls of today. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import { language } from '../../shell/preferences.ts'
import { href, place, queryValue, setQuery } from '../../shell/router.ts'
import { enterpriseId, ownerId } from '../../shell/session.ts'
import { formatPercent } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { tierName } from '../../text/tiers.ts'
import { Chips } from '../../ui/chips.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { Table } from '../../ui/table/table.tsx'
import { type LoadRows, useRows } from '../../ui/table/table-rows.ts'
import { tableView } from '../../ui/table/table-view.ts'
import { columnsOf } from './one/columns.tsx'
import { TOOL_API_STATES, ToolApiStateView } from './one/state.tsx'
import {
  type Allowance,
  loadAllowance,
  loadToolApis,
  loadTools,
  type SavableTool,
  sortOf,
  type ToolApi,
  type ToolApiPage,
} from './one/tool-api-data.ts'

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

/** Also shown on the page of a new one. */
export function NotIncluded({ allowance: { plan } }: { allowance: Allowance }) {
  return (
    <section class="tool-api-trouble" role="status">
      <h2>{t('toolApis.notIncluded', { plan: tierName(plan) })}</h2>
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
  const [known, setKnown] = useState<ToolApiPage | undefined>(undefined)

  const load: LoadRows<ToolApi> = async ({ offset, limit, signal }) => {
    const page = await loadToolApis(
      owner,
      {
        offset,
        limit,
        lang: language.peek(),
        sort: sortOf(view.sort),
        ...(view.order !== undefined && { order: view.order }),
        ...(q !== '' && { q }),
        ...(state !== undefined && { state }),
        ...(tool !== undefined && { tool }),
      },
      signal,
    )
    setKnown(page)
    return page
  }
  const seen = useRef({ first: 0, last: 0 })
  const rows = useRows(load, [view.sort, view.order, q, state, tool, language.value])
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.hidden || rows.isLoading.peek()) return
      void rows.refresh(seen.current.first, seen.current.last)
      props.onFresh()
    }, FRESH_MS)
    return () => clearInterval(timer)
  }, [])

  if (known !== undefined && Object.values(known.states ?? {}).every((count) => count === 0))
    return (
      <Empty title={t('toolApis.empty')} text={t('toolApis.emptyText')} docs={t('frame.docs')}>
        {props.includes && (
          <a class="button button-main" href={href('/tool-apis/new')}>
            {t('toolApis.create')}
          </a>
        )}
      </Empty>
    )
  const tools = known?.tools ?? []
  return (
    <Table
      label={t('toolApis.title')}
      fileName="tool-apis"
      isFilling
      view={view}
      rows={rows}
      rowId={({ id }) => id}
      onRange={(first, last) => {
        seen.current = { first, last }
      }}
      open={({ id }) => `/tool-apis/${encodeURIComponent(id)}`}
      countText={(count) => t('toolApis.count', { count })}
      filters={
        <>
          <SearchField label={t('toolApis.search')} />
          <StateChips counts={known?.states ?? {}} chosen={state} />
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

function StateChips({ counts, chosen: text }: { counts: Record<string, number>; chosen: string | undefined }) {
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
          id: state,
          label: <ToolApiStateView state={state} />,
          isOn,
          count: counts[state] ?? 0,
          href: href('/tool-apis', {}, { ...rest, ...(next.length > 0 && { state: next.join(',') }) }),
        }
      })}
    />
  )
}
