/** Runs, failures and credits of each tool or application. */
import type { ComponentChildren } from 'preact'
import { formatPercent, formatWhole } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { type PlainColumn, PlainTable } from '../../../ui/plain-table.tsx'

export type Figures = { runs: number; failures: number; credits: number }

export function GroupTable<Group extends Figures>(props: {
  title: string
  groups: readonly Group[]
  nameOf: (group: Group) => ComponentChildren
  /** Shows the share of all credits of each group. */
  hasShares?: boolean
}) {
  const { title, groups, nameOf, hasShares = false } = props
  if (groups.length === 0) return null
  const credits = groups.reduce((sum, group) => sum + group.credits, 0)
  const figure = (name: string, textOf: (group: Group) => string): PlainColumn<Group> => [
    name,
    textOf,
    { kind: 'number-cell number' },
  ]
  return (
    <PlainTable
      label={title}
      rows={groups}
      keyOf={(_, i) => i}
      columns={[
        [title, nameOf, { isName: true, kind: 'wraps' }],
        figure(t('usage.runs'), ({ runs }) => formatWhole(runs)),
        figure(t('usage.failures'), ({ failures }) => formatWhole(failures)),
        figure(t('usage.credits'), (group) => formatWhole(group.credits)),
        hasShares &&
          figure(t('usage.share'), (group) => (credits === 0 ? '–' : formatPercent(group.credits / credits))),
      ]}
    />
  )
}
