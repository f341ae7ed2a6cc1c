/** Columns of the list of Tool APIs. */

import { href } from '../../../shell/router.ts'
import { formatDuration, formatWhole } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Age } from '../../../ui/age.tsx'
import type { Column } from '../../../ui/table/table-view.ts'
import { ToolApiStateView, whyOf } from './state.tsx'
import type { ToolApi } from './tool-api-data.ts'

export function columnsOf(titleOf: (tool: string) => string): Column<ToolApi>[] {
  return [
    {
      id: 'name',
      title: t('toolApis.name'),
      width: 180,
      narrowWidth: 116,
      grow: 2,
      isMain: true,
      sort: { by: 'name', first: 'asc' },
      cell: ({ id, name }) => (
        <a class="tool-api-name cut" dir="auto" href={href('/tool-apis/:id', { id })} tabIndex={-1} title={name}>
          {name}
        </a>
      ),
      csv: ({ name }) => name,
    },
    {
      id: 'state',
      title: t('toolApis.state'),
      width: 210,
      narrowWidth: 100,
      grow: 1,
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
      id: 'tool',
      title: t('toolApis.tool'),
      width: 140,
      grow: 1,
      isWideOnly: true,
      sort: { by: 'tool', first: 'asc' },
      cell: ({ tool }) => <span class="cut">{titleOf(tool)}</span>,
      csv: ({ tool }) => tool,
    },
    {
      id: 'binding',
      title: t('toolApis.binding'),
      width: 140,
      grow: 1,
      isWideOnly: true,
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
      id: 'calls',
      title: t('toolApis.callsToday'),
      width: 136,
      narrowWidth: 118,
      isNumber: true,
      sort: { by: 'calls', first: 'desc' },
      cell: ({ activity }) => formatWhole(activity.today.calls),
      csv: ({ activity }) => activity.today.calls,
    },
    {
      id: 'refused',
      title: t('toolApis.refusedToday'),
      width: 136,
      isNumber: true,
      isWideOnly: true,
      sort: { by: 'refused', first: 'desc' },
      cell: ({ activity: { today } }) => {
        const count = today.refused + today.failed
        return <span class={count > 0 ? 'state-refused' : 'weak'}>{formatWhole(count)}</span>
      },
      csv: ({ activity: { today } }) => today.refused + today.failed,
    },
    {
      id: 'p95',
      title: 'p95',
      width: 90,
      isNumber: true,
      isWideOnly: true,
      sort: { by: 'p95', first: 'desc' },
      cell: ({ activity: { today } }) =>
        today.latency === null ? <span class="weak">–</span> : formatDuration(Math.round(today.latency.p95Ms)),
      csv: ({ activity: { today } }) => today.latency?.p95Ms,
    },
    {
      id: 'lastCall',
      title: t('toolApis.lastCall'),
      width: 110,
      isWideOnly: true,
      sort: { by: 'lastCall', first: 'desc' },
      cell: ({ activity }) => <Age at={activity.lastCallAt} />,
      csv: ({ activity }) => activity.lastCallAt,
    },
  ]
}
