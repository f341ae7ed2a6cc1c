/** Runs, failures and credits of each tool or application in the month. */

import { PlainTable } from '../../parts/plain-table.tsx'
import { href } from '../../router.ts'
import { may } from '../../session.ts'
import { formatPercent, formatWhole } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import type { Group, Grouping } from './usage-data.ts'

export function GroupTable(props: { groups: readonly Group[]; by: Grouping; groupName: (group: Group) => string }) {
  const { groups, by } = props
  if (groups.length === 0) return null
  const credits = groups.reduce((sum, group) => sum + group.credits, 0)
  return (
    <PlainTable label={t(by === 'tool' ? 'usage.tool' : 'usage.application')}>
      <thead>
        <tr>
          <th scope="col">{t(by === 'tool' ? 'usage.tool' : 'usage.application')}</th>
          <th scope="col" class="number-cell">
            {t('usage.runs')}
          </th>
          <th scope="col" class="number-cell">
            {t('usage.failures')}
          </th>
          <th scope="col" class="number-cell">
            {t('usage.credits')}
          </th>
          <th scope="col" class="number-cell">
            {t('usage.share')}
          </th>
        </tr>
      </thead>
      <tbody>
        {groups.map((group) => (
          <tr key={group.id}>
            <th scope="row" class="wraps">
              {by === 'application' && group.id !== null && group.name !== null && may.value.administer ? (
                <a href={href('/settings/applications/:id', { id: group.id })}>
                  <bdi>{group.name}</bdi>
                </a>
              ) : (
                <bdi>{props.groupName(group)}</bdi>
              )}
            </th>
            <td class="number-cell number">{formatWhole(group.runs)}</td>
            <td class="number-cell number">{formatWhole(group.failures)}</td>
            <td class="number-cell number">{formatWhole(group.credits)}</td>
            <td class="number-cell number">{credits === 0 ? '–' : formatPercent(group.credits / credits)}</td>
          </tr>
        ))}
      </tbody>
    </PlainTable>
  )
}
