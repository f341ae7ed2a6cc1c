/** The enterprise: its name, its state, the limits of its tier and their use, and its deletion. */
import { useEffect, useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { loadRecord, type Versioned } from '../../api/record.ts'
import { useResource } from '../../api/resource.ts'
import type { components } from '../../api/schema.d.ts'
import { href } from '../../shell/router.ts'
import { enterpriseId, loadSession, may } from '../../shell/session.ts'
import { formatBytes, formatDay, formatWhole, unparted } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { tierName } from '../../text/tiers.ts'
import { CopyButton } from '../../ui/button.tsx'
import { EditableName } from '../../ui/editable-name.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Loaded } from '../../ui/states.tsx'
import { useRecordChanges } from '../../ui/table/record-changes.tsx'
import { DataExports } from '../data/data-exports.tsx'
import { Allowance } from './allowance.tsx'
import { DeleteEnterprise } from './enterprise/delete.tsx'
import type { Enterprise } from './enterprise/enterprise-data.ts'

type Tier = components['schemas']['Tier']

const MIB = 2 ** 20

export function EnterprisePage() {
  const id = enterpriseId.value ?? ''
  const path = `/manage/v1/enterprises/${encodeURIComponent(id)}`
  const loaded = useResource((signal) => loadRecord<Enterprise>(path, signal), [id])
  const tiers = useResource((signal) => dataOf(api.GET('/manage/v1/tiers', { signal })), [])
  const tierNamed = (name: string): Tier | undefined => tiers.data.value?.items.find((tier) => tier.name === name)
  return (
    <Loaded resource={loaded}>
      {(version) => (
        <Page
          key={id}
          path={path}
          version={version}
          tier={tierNamed(version.record.tier)}
          onChange={(next) => {
            // a change answers the record, and its limits do not depend on the name
            loaded.data.value = next
            void loadSession()
          }}
        />
      )}
    </Loaded>
  )
}

function Page(props: {
  path: string
  version: Versioned<Enterprise>
  tier: Tier | undefined
  onChange: (next: Versioned<Enterprise>) => void
}) {
  const { path, version, tier } = props
  const { record } = version
  const changes = useRecordChanges<Enterprise>({
    path,
    version,
    onChange: props.onChange,
    labelOf: () => t('enterprise.name'),
    textOf: (_, { name }) => name ?? '–',
  })
  // suspended enterprises can be read, but not changed by their own people
  const mayRename = may.value.operate || (may.value.administer && record.status === 'active')
  return (
    <>
      <PageHead
        title={record.name}
        isName
        heading={
          mayRename ? (
            <EditableName
              key={version.etag}
              value={record.name}
              label={t('enterprise.name')}
              action={t('enterprise.rename')}
              onSave={async (name) => (await changes.save({ name })) !== undefined}
              error={changes.error?.faults[0]?.message}
            />
          ) : undefined
        }
      />
      <div class="settings">
        <Status record={record} />
        <Plan record={record} tier={tier} />
        <section class="settings-part">
          <h2>{t('enterprise.facts')}</h2>
          <dl class="facts">
            <dt>{t('enterprise.id')}</dt>
            <dd class="row">
              <code dir="ltr">{record.id}</code>
              <CopyButton text={record.id} isSmall />
            </dd>
            <dt>{t('enterprise.created')}</dt>
            <dd>{formatDay(Date.parse(record.createdAt))}</dd>
          </dl>
        </section>
        {may.value.own && record.status === 'active' && <DataExports ownerId={record.id} isPerson={false} />}
        {may.value.own && record.status === 'active' && <DeleteEnterprise path={path} version={version} />}
      </div>
      {changes.question}
    </>
  )
}

/** The meaning of a suspension or a hold, and the remedy. Nothing in normal state. */
function Status({ record }: { record: Enterprise }) {
  const isSuspended = record.status === 'suspended'
  if (!isSuspended && !record.assetsHeld) return null
  const reason = isSuspended ? record.suspendedReason : record.heldReason
  return (
    <section class="notice" role="status">
      <Icon name="alert" />
      <div>
        <h2>{t(isSuspended ? 'enterprise.suspendedTitle' : 'enterprise.heldTitle')}</h2>
        <p>{t(isSuspended ? 'enterprise.suspended' : 'enterprise.held')}</p>
        {reason !== null && <p>{t('failures.reason', { reason })}</p>}
        <p>{t(may.value.operate ? 'enterprise.operatorEnds' : 'enterprise.askOperator')}</p>
      </div>
    </section>
  )
}

function Plan({ record, tier }: { record: Enterprise; tier: Tier | undefined }) {
  return (
    <section class="settings-part settings-wide">
      <h2>{t('enterprise.plan', { tier: tierName(record.tier) })}</h2>
      {tier !== undefined && (
        <p>
          {t('enterprise.includes', {
            readings: formatWhole(tier.readingsPerDay ?? 0),
            requests: formatWhole(tier.apiRequestsPerDay ?? 0),
            credits: formatWhole(tier.creditsPerMonth ?? 0),
            days: unparted(t('enterprise.days', { count: tier.retentionDays ?? 0 })),
          })}
        </p>
      )}
      <Limits record={record} tier={tier} />
      <p class="weak">
        {t('enterprise.whoChanges')} {may.value.keep && <a href={href('/settings/usage')}>{t('enterprise.toUsage')}</a>}
      </p>
    </section>
  )
}

function Limits({ record, tier }: { record: Enterprise; tier: Tier | undefined }) {
  const credits = record.credits ?? tier?.creditsPerMonth ?? 0
  const own = (value: number | null): string | undefined => (value === null ? undefined : t('enterprise.ownLimit'))
  const kept = (
    <div class="allowance">
      <dt>{t('enterprise.retention')}</dt>
      <dd>
        <span class="allowance-line">
          <strong>{unparted(t('enterprise.days', { count: record.limits.retentionDays }))}</strong>
        </span>
        <span class="weak">{own(record.retentionDays) ?? t('enterprise.retentionText')}</span>
      </dd>
    </div>
  )
  // members may not read the usage of others
  if (!may.value.keep || (record.status !== 'active' && !may.value.operate))
    return (
      <dl class="allowances">
        <Limit label={t('enterprise.credits')} text={formatWhole(credits)} note={own(record.credits)} />
        <Limit
          label={t('enterprise.readings')}
          text={formatWhole(record.limits.readingsPerDay)}
          note={own(record.readingsPerDay)}
        />
        <Limit
          label={t('enterprise.requests')}
          text={formatWhole(record.limits.apiRequestsPerDay)}
          note={own(record.apiRequestsPerDay)}
        />
        {record.storedMb !== null && (
          <Limit
            label={t('enterprise.storage')}
            text={formatBytes(record.storedMb * MIB)}
            note={own(record.storedMb)}
          />
        )}
        {kept}
      </dl>
    )
  return <Used record={record} own={own} kept={kept} />
}

const Limit = (props: { label: string; text: string; note: string | undefined }) => (
  <div class="allowance">
    <dt>{props.label}</dt>
    <dd>
      <span class="allowance-line">
        <strong class="number">{props.text}</strong>
      </span>
      {props.note !== undefined && <span class="weak">{props.note}</span>}
    </dd>
  </div>
)

const REFRESH_MS = 60_000

function Used(props: {
  record: Enterprise
  own: (value: number | null) => string | undefined
  kept: preact.ComponentChildren
}) {
  const { record, own } = props
  const usage = useResource(
    (signal) =>
      dataOf(api.GET('/manage/v1/owners/{ownerId}/usage', { params: { path: { ownerId: record.id } }, signal })),
    [record.id],
  )
  const [, setTick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.hidden) return
      usage.reload()
      setTick((tick) => tick + 1)
    }, REFRESH_MS)
    return () => clearInterval(timer)
  }, [])
  const of = (used: number, most: number): string =>
    t('enterprise.usedOf', { used: formatWhole(used), most: formatWhole(most) })
  return (
    <Loaded resource={usage} lines={5}>
      {({ credits, readings, requests, storage }) => (
        <dl class="allowances">
          {credits !== null && (
            <Allowance
              label={t('enterprise.credits')}
              used={credits.used}
              most={credits.allowance}
              text={of(credits.used, credits.allowance)}
              note={own(record.credits) ?? t('enterprise.renews', { day: formatDay(Date.parse(credits.periodEnd)) })}
            />
          )}
          {readings !== null && (
            <Allowance
              label={t('enterprise.readings')}
              used={readings.used}
              most={readings.allowance}
              text={of(readings.used, readings.allowance)}
              note={own(record.readingsPerDay) ?? t('enterprise.today')}
            />
          )}
          <Allowance
            label={t('enterprise.requests')}
            used={requests.used}
            most={requests.allowance}
            text={of(requests.used, requests.allowance)}
            note={own(record.apiRequestsPerDay) ?? t('enterprise.requestsText')}
          />
          <Allowance
            label={t('enterprise.storage')}
            used={storage.bytes}
            most={storage.quotaBytes}
            text={t('enterprise.usedOf', { used: formatBytes(storage.bytes), most: formatBytes(storage.quotaBytes) })}
            note={own(record.storedMb) ?? t('enterprise.storageText')}
          />
          {props.kept}
        </dl>
      )}
    </Loaded>
  )
}
