/** Columns of the list of Tool APIs, and its orders. */
import { Age } from '../../parts/age.tsx'
import type { Column } from '../../parts/table-view.ts'
import { language } from '../../preferences.ts'
import { href } from '../../router.ts'
import { formatValue, formatWhole } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { TOOL_API_STATES, ToolApiStateView, whyOf } from './state.tsx'
import type { ToolApi } from './tool-api-data.ts'

type SortKey = (api: ToolApi) => string | number

/** What is missing comes last in either order. */
export function comparison(by: string | undefined, isDescending: boolean, titleOf: (tool: string) => string) {
  const keys: Record<string, SortKey> = {
    name: ({ name }) => name,
    tool: ({ tool }) => titleOf(tool),
    binding: ({ activity }) => activity.boundName ?? '',
    state: ({ activity }) => TOOL_API_STATES.indexOf(activity.state),
    calls: ({ activity }) => activity.today.calls,
    refused: ({ activity }) => activity.today.refused + activity.today.failed,
    p95: ({ activity }) => activity.today.latency?.p95Ms ?? -1,
    lastCall: ({ activity }) => activity.lastCallAt ?? '',
  }
  const key = keys[by ?? 'state'] ?? (keys.state as SortKey)
  const isMissing = (value: string | number): boolean => value === '' || value === -1
  return (a: ToolApi, b: ToolApi): number => {
    const [x, y] = [key(a), key(b)]
    if (isMissing(x) !== isMissing(y)) return isMissing(x) ? 1 : -1
    const order = typeof x === 'string' ? x.localeCompare(String(y), language.value) : x - Number(y)
    return (isDescending ? -order : order) || a.name.localeCompare(b.name, language.value)
  }
}

export function columnsOf(titleOf: (tool: string) => string): Column<ToolApi>[] {
  return [
    {
      ...{ id: 'name', title: t('toolApis.name'), width: 180, narrowWidth: 130, grow: 2, isMain: true },
      sort: { by: 'name', first: 'asc' },
      cell: ({ id, name }) => (
        <a class="tool-api-name cut" dir="auto" href={href('/tool-apis/:id', { id })} tabIndex={-1} title={name}>
          {name}
        </a>
      ),
      csv: ({ name }) => name,
    },
    {
      ...{ id: 'state', title: t('toolApis.state'), width: 210, narrowWidth: 150, grow: 1 },
      sort: { by: 'state', first: 'asc' },
      cell: ({ activity: { state, reason } }) => (
        <span class="tool-api-state" title={reason === null ? undefined : whyOf(reason)}>
          <ToolApiStateView state={state} />
          {state === 'refused' && reason !== null && <span class="cut weak">{whyOf(reason)}</span>}
        </span>
      ),
      csv: ({ activity: { state, reason } }) => reason ?? state,
    },
    {
      ...{ id: 'tool', title: t('toolApis.tool'), width: 140, grow: 1, isWideOnly: true },
      sort: { by: 'tool', first: 'asc' },
      cell: ({ tool }) => <span class="cut">{titleOf(tool)}</span>,
      csv: ({ tool }) => tool,
    },
    {
      ...{ id: 'binding', title: t('toolApis.binding'), width: 140, grow: 1, isWideOnly: true },
      sort: { by: 'binding', first: 'asc' },
      cell: ({ binding, activity }) =>
        binding === null ? (
          <span class="weak">–</span>
        ) : (
          <bdi class="cut">{activity.boundName ?? t('toolApis.gone')}</bdi>
        ),
      csv: ({ binding, activity }) => (binding === null ? null : (activity.boundName ?? binding.id)),
    },
    {
      ...{ id: 'calls', title: t('toolApis.callsToday'), width: 110, isNumber: true },
      sort: { by: 'calls', first: 'desc' },
      cell: ({ activity }) => formatWhole(activity.today.calls),
      csv: ({ activity }) => activity.today.calls,
    },
    {
      ...{ id: 'refused', title: t('toolApis.refusedToday'), width: 130, isNumber: true },
      sort: { by: 'refused', first: 'desc' },
      cell: ({ activity: { today } }) => {
        const count = today.refused + today.failed
        return <span class={count > 0 ? 'state-refused' : 'weak'}>{formatWhole(count)}</span>
      },
      csv: ({ activity: { today } }) => today.refused + today.failed,
    },
    {
      ...{ id: 'p95', title: 'p95', width: 90, isNumber: true, isWideOnly: true },
      sort: { by: 'p95', first: 'desc' },
      cell: ({ activity: { today } }) =>
        today.latency === null ? <span class="weak">–</span> : formatValue(Math.round(today.latency.p95Ms), 'ms'),
      csv: ({ activity: { today } }) => today.latency?.p95Ms,
    },
    {
      ...{ id: 'lastCall', title: t('toolApis.lastCall'), width: 110 },
      sort: { by: 'lastCall', first: 'desc' },
      cell: ({ activity }) => <Age at={activity.lastCallAt} />,
      csv: ({ activity }) => activity.lastCallAt,
    },
  ]
}
