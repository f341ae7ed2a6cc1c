/** Runs, failures and credits of each tool or application. */
import type { ComponentChildren } from 'preact'
import { PlainTable } from '../../parts/plain-table.tsx'
import { formatPercent, formatWhole } from '../../text/format.ts'
import { t } from '../../text/text.ts'

export type Figures = { runs: number; failures: number; credits: number }

export function GroupTable<Group extends Figures>(props: {
  title: string
  groups: readonly Group[]
  nameOf: (group: Group) => ComponentChildren
  /** Shows which part of all credits each has. */
  hasShares?: boolean
}) {
  const { title, groups, nameOf, hasShares = false } = props
  if (groups.length === 0) return null
  const credits = groups.reduce((sum, group) => sum + group.credits, 0)
  const columns: [title: string, textOf: (group: Group) => string][] = [
    [t('usage.runs'), ({ runs }) => formatWhole(runs)],
    [t('usage.failures'), ({ failures }) => formatWhole(failures)],
    [t('usage.credits'), (group) => formatWhole(group.credits)],
  ]
  if (hasShares)
    columns.push([t('usage.share'), (group) => (credits === 0 ? '–' : formatPercent(group.credits / credits))])
  return (
    <PlainTable label={title}>
      <thead>
        <tr>
          <th scope="col">{title}</th>
          {columns.map(([name]) => (
            <th key={name} scope="col" class="number-cell">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {groups.map((group, i) => (
          <tr key={i}>
            <th scope="row" class="wraps">
              {nameOf(group)}
            </th>
            {columns.map(([name, textOf]) => (
              <td key={name} class="number-cell number">
                {textOf(group)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </PlainTable>
  )
}
