/** Fleet keys of the enterprise: what each opens, whether it is used, and what waits for approval. */
import { usePolled } from '../../api/polled.ts'
import { href } from '../../shell/router.ts'
import { enterpriseId, may } from '../../shell/session.ts'
import { formatWhole } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Age, LastUse } from '../../ui/age.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { PlainTable, ROWS_ON_PHONE } from '../../ui/plain-table.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { Expiry } from '../account/key-table.tsx'
import { type FleetKey, loadFleetKeys, newestSecret } from './fleet-key-data.ts'

const FRESH_MS = 10_000

export function FleetKeysPage() {
  const keys = usePolled(loadFleetKeys, [enterpriseId.value], FRESH_MS)
  return (
    <>
      <PageHead title={t('fleetKeys.title')}>
        {may.value.administer && (
          <a class="button button-main" href={href('/settings/fleet-keys/new')}>
            <Icon name="add" />
            <span>{t('fleetKeys.create')}</span>
          </a>
        )}
      </PageHead>
      <Loaded resource={keys}>
        {(items) =>
          items.length === 0 ? (
            <Empty title={t('fleetKeys.empty')} text={t('fleetKeys.emptyText')} docs={t('sensors.docs')}>
              {may.value.administer ? (
                <a class="button button-main" href={href('/settings/fleet-keys/new')}>
                  {t('fleetKeys.create')}
                </a>
              ) : (
                <p>{t('sensors.askAdministrator')}</p>
              )}
            </Empty>
          ) : (
            <List items={items} />
          )
        }
      </Loaded>
    </>
  )
}

function List({ items }: { items: readonly FleetKey[] }) {
  const sorted = items.toSorted((a, b) => b.pending - a.pending || a.name.localeCompare(b.name))
  const active = sorted.filter(({ revokedAt }) => revokedAt === null)
  const revoked = sorted.filter(({ revokedAt }) => revokedAt !== null)
  return (
    <div class="stack">
      <p class="weak">{t('fleetKeys.what')}</p>
      {active.length > 0 && <Active items={active} />}
      {revoked.length > 0 && (
        <details class="fleet-keys-revoked">
          <summary>{t('fleetKeys.revokedCount', { count: revoked.length })}</summary>
          <Revoked items={revoked} />
        </details>
      )}
    </div>
  )
}

const Name = ({ id, name }: FleetKey) => (
  <a class="two-lines" href={href('/settings/fleet-keys/:id', { id })} title={name}>
    <bdi>{name}</bdi>
  </a>
)

/** A count that leads to the part of the page that explains it. */
function Count({ id, count, tab }: { id: string; count: number; tab?: 'refused' }) {
  if (count === 0) return <span class="weak">{formatWhole(0)}</span>
  return <a href={href('/settings/fleet-keys/:id', { id }, tab && { tab })}>{formatWhole(count)}</a>
}

const Active = ({ items }: { items: readonly FleetKey[] }) => (
  <PlainTable
    label={t('fleetKeys.title')}
    kind={ROWS_ON_PHONE}
    rows={items}
    keyOf={({ id }) => id}
    columns={[
      [t('fleetKeys.name'), Name, { isName: true, kind: 'wraps' }],
      [t('fleetKeys.tagsColumn'), ({ tags }) => <Tags tags={tags} />, { kind: 'wraps' }],
      [t('fleetKeys.autoCreate'), ({ autoCreate }) => t(`fleetKeys.autoCreates.${autoCreate}`)],
      [t('fleetKeys.waiting'), ({ id, pending }) => <Count id={id} count={pending} />, { kind: 'number number-cell' }],
      [t('fleetKeys.calls'), ({ calls }) => formatWhole(calls), { kind: 'number number-cell' }],
      [
        t('fleetKeys.refused'),
        ({ id, refused }) => <Count id={id} count={refused} tab="refused" />,
        { kind: 'number number-cell' },
      ],
      [t('keys.lastUsed'), ({ lastUsedAt }) => <LastUse at={lastUsedAt} recordedEvery="hour" />],
      [t('keys.expires'), (key) => <Expiry at={newestSecret(key)?.expiresAt ?? null} />],
    ]}
  />
)

const Revoked = ({ items }: { items: readonly FleetKey[] }) => (
  <PlainTable
    label={t('fleetKeys.revokedTitle')}
    kind={ROWS_ON_PHONE}
    rows={items}
    keyOf={({ id }) => id}
    columns={[
      [t('fleetKeys.name'), Name, { isName: true, kind: 'wraps' }],
      [t('fleetKeys.revokedAt'), ({ revokedAt }) => <Age at={revokedAt} />],
      [
        t('fleetKeys.refused'),
        ({ id, refused }) => <Count id={id} count={refused} tab="refused" />,
        { kind: 'number number-cell' },
      ],
    ]}
  />
)

export function Tags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return <span class="weak">{t('fleetKeys.allSensors')}</span>
  return (
    <span class="row fleet-key-tags">
      {tags.map((tag) => (
        <a key={tag} class="tag" dir="auto" href={href('/sensors', {}, { tag })}>
          {tag}
        </a>
      ))}
    </span>
  )
}
