/** A record that does not exist, or that this person may not see, which looks the same: with links to other pages. */
import { href } from '../shell/router.ts'
import { memberships } from '../shell/session.ts'
import { t } from '../text/text.ts'
import { PageHead } from './page-head.tsx'

/** The list of each kind of record. */
const LISTS = {
  sensor: '/sensors',
  zone: '/zones',
  rule: '/rules',
  alert: '/alerts',
  dashboard: '/dashboards',
  layer: '/data/layers',
  file: '/data/files',
  run: '/runs',
  recipe: '/recipes',
  toolApi: '/tool-apis',
  application: '/settings/applications',
  destination: '/settings/destinations',
  fleetKey: '/settings/fleet-keys',
  enterprise: '/operator/enterprises',
  person: '/operator/people',
} as const
export type RecordKind = keyof typeof LISTS

/** @param isBelowHead whether the page has a title already */
export function Missing({ kind, isBelowHead }: { kind: RecordKind; isBelowHead: boolean }) {
  const title = t(`record.missing.title.${kind}`)
  const mayChoose = memberships.value.length > 1
  return (
    <>
      {!isBelowHead && <PageHead title={title} />}
      <section class="empty">
        {isBelowHead && <h2>{title}</h2>}
        <p>
          {t('record.missing.text')}
          {mayChoose && ` ${t('record.missing.otherEnterprise')}`}
        </p>
        <a class="button button-main" href={href(LISTS[kind])}>
          {t(`record.missing.list.${kind}`)}
        </a>
      </section>
    </>
  )
}
