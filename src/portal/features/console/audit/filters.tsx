/** Filters of the audit log, in the address, and its export with the same filters. */
import { api, dataOf } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { queryValue, setQuery } from '../../../shell/router.ts'
import { t } from '../../../text/text.ts'
import { DayRange, daysInAddress } from '../../../ui/chart/day-range.tsx'
import { download } from '../../../ui/download.tsx'
import { attempt } from '../../../ui/failure-text.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { ACTIONS, type Action, actionName, actorParts, KINDS, type Kind, kindName } from './words.ts'

export type Filters = {
  actor?: string
  action?: Action
  kind?: Kind
  subject?: string
  from?: string
  to?: string
}
type MaybeFilters = { [F in keyof Filters]: Filters[F] | undefined }

/** Invalid values are ignored. */
export function filtersInAddress(): MaybeFilters {
  return {
    actor: queryValue('actor'),
    action: ACTIONS.find((action) => action === queryValue('action')),
    kind: KINDS.find((kind) => kind === queryValue('kind')),
    subject: queryValue('subject'),
    ...daysInAddress(),
  }
}

export function AuditFilters({ owner, filters }: { owner: string; filters: MaybeFilters }) {
  const actors = useResource(
    (signal) => dataOf(api.GET('/manage/v1/audit/actors', { params: { query: { owner } }, signal })),
    [owner],
  )
  // one choice for an address, however many roles it had
  const known = new Map(
    (actors.data.value?.items ?? []).map(({ actor, name }) => {
      const { who, role } = actorParts(actor)
      return [who === '' ? actor : who, name ?? (who === '' ? (role ?? actor) : who)]
    }),
  )
  if (filters.actor !== undefined && !known.has(filters.actor)) known.set(filters.actor, filters.actor)
  const choose = (name: string) => (event: { currentTarget: { value: string } }) =>
    setQuery({ [name]: event.currentTarget.value })
  return (
    <>
      <select aria-label={t('audit.who')} class="audit-filter" value={filters.actor ?? ''} onChange={choose('actor')}>
        <option value="">{t('audit.anybody')}</option>
        {[...known].map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <select
        aria-label={t('audit.action')}
        class="audit-filter"
        value={filters.action ?? ''}
        onChange={choose('action')}
      >
        <option value="">{t('audit.anyAction')}</option>
        {ACTIONS.map((action) => (
          <option key={action} value={action}>
            {actionName(action)}
          </option>
        ))}
      </select>
      <select aria-label={t('audit.kind')} class="audit-filter" value={filters.kind ?? ''} onChange={choose('kind')}>
        <option value="">{t('audit.anyKind')}</option>
        {KINDS.map((kind) => (
          <option key={kind} value={kind}>
            {kindName(kind)}
          </option>
        ))}
      </select>
      <DayRange />
      {filters.subject !== undefined && (
        <button type="button" class="chip" aria-current="true" onClick={() => setQuery({ subject: undefined })}>
          <span>{t('audit.oneRecord')}</span>
          <code dir="ltr" class="cut">
            {filters.subject}
          </code>
          <Icon name="close" size={14} />
        </button>
      )}
    </>
  )
}

export function ExportMenu({ owner, filters }: { owner: string; filters: MaybeFilters }) {
  async function save(format: 'csv' | 'jsonl'): Promise<void> {
    await attempt(() => download(address(format)))
  }
  const address = (format: 'csv' | 'jsonl'): string => {
    const query = new URLSearchParams({ owner, format, ...(format === 'csv' && { escapeFormulas: 'true' }) })
    for (const [name, value] of Object.entries(filters)) if (value !== undefined) query.set(name, value)
    return `/manage/v1/audit/export?${query}`
  }
  return (
    <Menu
      label={t('audit.export')}
      button={
        <>
          <Icon name="download" />
          <span>{t('audit.export')}</span>
          <Icon name="down" />
        </>
      }
      items={[
        { label: t('audit.exportCsv'), onSelect: () => void save('csv') },
        { label: t('audit.exportLines'), onSelect: () => void save('jsonl') },
      ]}
    />
  )
}
