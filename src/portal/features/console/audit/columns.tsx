/** Columns of the audit log. */

import { formatExact, formatMoment, plainText } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Age } from '../../../ui/age.tsx'
import { type Column, NARROW } from '../../../ui/table/table-view.ts'
import { Actor } from './actor.tsx'
import { changesBetween } from './diff.ts'
import { type ToolName, valueText } from './values.ts'
import { actionName, actorParts, type Entry, fieldName, kindName, recordHref } from './words.ts'

const SHOWN_CHANGES = 2

/** The changed fields, in one line. */
function summaryOf({ action, before, after }: Entry, toolName: ToolName): string {
  if (action !== 'update') return ''
  const changes = changesBetween(before, after)
  const texts = changes.slice(0, SHOWN_CHANGES).map(({ path, before: a, after: b }) => {
    const [from, to] = [a, b].map((value) => valueText(path.at(-1) ?? '', value, toolName)) as [string, string]
    return t('audit.became', { field: path.map(fieldName).join(' · '), before: from, after: to })
  })
  if (changes.length > SHOWN_CHANGES) texts.push(t('audit.more', { count: changes.length - SHOWN_CHANGES }))
  return texts.join(' | ')
}

export const auditColumns = (toolName: ToolName): Column<Entry>[] => [
  {
    id: 'at',
    title: t('audit.when'),
    width: 172,
    narrowWidth: 98,
    cell: ({ at }) =>
      NARROW.matches ? (
        <Age at={at} />
      ) : (
        <time dateTime={at} title={formatExact(Date.parse(at))}>
          {formatMoment(Date.parse(at))}
        </time>
      ),
    csv: ({ at }) => at,
  },
  {
    id: 'who',
    title: t('audit.who'),
    width: 138,
    grow: 4.2,
    isWideOnly: true,
    cell: (entry) => <Actor entry={entry} />,
    csv: ({ actor, actorName }) => {
      const { who, role } = actorParts(actor)
      return actorName ?? (who === '' ? role : who)
    },
  },
  {
    id: 'what',
    title: t('audit.what'),
    width: 160,
    grow: 3,
    narrowWidth: 156,
    isMain: true,
    cell(entry) {
      const { action, subjectKind } = entry
      const what = (
        <span class="cut">
          {actionName(action)} <span class="weak">· {kindName(subjectKind)}</span>
        </span>
      )
      if (!NARROW.matches) return what
      // a phone has no room for a column of people
      return (
        <span class="what-and-who">
          {what}
          <Actor entry={entry} />
        </span>
      )
    },
    csv: ({ action, subjectKind }) => `${actionName(action)} ${kindName(subjectKind)}`,
  },
  {
    id: 'record',
    title: t('audit.record'),
    width: 150,
    narrowWidth: 110,
    grow: 3,
    cell(entry) {
      const address = recordHref(entry)
      const name = entry.subjectName ?? entry.subjectId
      if (address === undefined) return <bdi class="cut">{name}</bdi>
      return (
        <a class="cut" dir="auto" href={address}>
          {name}
        </a>
      )
    },
    csv: ({ subjectName, subjectId }) => subjectName ?? subjectId,
  },
  {
    id: 'changes',
    title: t('audit.changes'),
    width: 200,
    grow: 3,
    isWideOnly: true,
    cell: (entry) => (
      <bdi class="cut weak" title={summaryOf(entry, toolName)}>
        {summaryOf(entry, toolName)}
      </bdi>
    ),
    csv: (entry) => plainText(summaryOf(entry, toolName)),
  },
  {
    id: 'id',
    title: t('audit.id'),
    width: 320,
    isExtra: true,
    cell: ({ subjectId }) => (
      <code dir="ltr" class="cut">
        {subjectId}
      </code>
    ),
    csv: ({ subjectId }) => subjectId,
  },
]
