/** One enterprise, for the operator: figures, tier and limits, access, members, and its pages. */
import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { usePolled } from '../../api/polled.ts'
import { loadRecord, type Versioned } from '../../api/record.ts'
import { type Resource, useResource } from '../../api/resource.ts'
import type { PageProps } from '../../shell/page.ts'
import { href } from '../../shell/router.ts'
import { formatBytes, formatPercent, formatWhole } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { CopyButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Actor } from '../console/audit/actor.tsx'
import { actionName, kindName } from '../console/audit/words.ts'
import { EnterpriseAccess } from './enterprise-access.tsx'
import { type EnterpriseRecord, enterprisePath } from './enterprise-data.ts'
import { EnterpriseLimits } from './enterprise-limits.tsx'
import type { ListedEnterprise } from './enterprises.tsx'
import { HeldMark, StatusMark } from './mark.tsx'

const FIGURES_MS = 15_000
const MAX_MEMBERS = 100
const MAX_CHANGES = 10

export function OperatorEnterprisePage({ parameters }: PageProps) {
  const id = parameters.id ?? ''
  const at = { params: { path: { id } } }
  const enterprise = useResource((signal) => loadRecord<EnterpriseRecord>(enterprisePath(id), signal), [id])
  const figures = usePolled(
    (signal) => dataOf(api.GET('/manage/v1/operator/enterprises/{id}', { ...at, signal })),
    [id],
    FIGURES_MS,
  )
  const [version, setVersion] = useState(0)
  function replace(next: Versioned<EnterpriseRecord>): void {
    enterprise.data.value = next
    setVersion((count) => count + 1)
    figures.reload()
  }
  const record = enterprise.data.value?.record
  return (
    <>
      <PageHead
        title={record?.name ?? t('operator.enterprises.title')}
        isName
        parent={{ href: href('/operator/enterprises'), label: t('operator.enterprises.title') }}
        beside={
          record && (
            <span class="row">
              <StatusMark of="enterprise" status={record.status} />
              {record.assetsHeld && <HeldMark />}
              <span class="row">
                <code dir="ltr" class="weak operator-id">
                  {record.id}
                </code>
                <CopyButton text={record.id} isSmall />
              </span>
            </span>
          )
        }
      />
      <Loaded resource={enterprise} record={{ kind: 'enterprise', isBelowHead: true }}>
        {(seen) => (
          <div class="stack">
            <Figures resource={figures} />
            <OpenAs id={id} />
            <div class="operator-columns">
              <EnterpriseAccess seen={seen} onChanged={replace} />
              <EnterpriseLimits key={id} seen={seen} onChanged={replace} onConflict={enterprise.reload} />
            </div>
            <div class="operator-columns">
              <Members id={id} />
              <Changes id={id} version={version} />
            </div>
          </div>
        )}
      </Loaded>
    </>
  )
}

function Figures({ resource }: { resource: Resource<ListedEnterprise> }) {
  return (
    <Loaded resource={resource} lines={2}>
      {(figures) => (
        <dl class="figures" aria-label={t('operator.enterprise.figures')}>
          <Figure
            title={t('operator.enterprise.readings')}
            value={formatWhole(figures.readingsToday)}
            used={figures.readingsToday}
            most={figures.readingsPerDay}
            mostText={figures.readingsPerDay === null ? undefined : formatWhole(figures.readingsPerDay)}
          />
          <Figure title={t('operator.enterprise.sensors')} value={formatWhole(figures.sensors)} />
          <Figure
            title={t('operator.enterprise.stored')}
            value={formatBytes(figures.storedBytes)}
            used={figures.storedBytes}
            most={figures.storedMb === null ? null : figures.storedMb * 2 ** 20}
            mostText={
              figures.storedMb === null ? t('operator.enterprise.serverLimit') : formatBytes(figures.storedMb * 2 ** 20)
            }
          />
          <Figure
            title={t('operator.enterprise.credits')}
            value={formatWhole(figures.creditsUsed)}
            used={figures.creditsUsed}
            most={figures.creditsPerMonth}
            mostText={
              figures.creditsPerMonth === null
                ? t('operator.enterprise.unlimited')
                : formatWhole(figures.creditsPerMonth)
            }
          />
          <Figure title={t('operator.enterprise.active')} value={<Age at={figures.lastActiveAt} />} />
        </dl>
      )}
    </Loaded>
  )
}

function Figure(props: {
  title: string
  value: preact.ComponentChild
  used?: number
  most?: number | null
  mostText?: string | undefined
}) {
  const share = props.most ? Math.min(1, (props.used ?? 0) / props.most) : undefined
  return (
    <div>
      <dt>{props.title}</dt>
      <dd class="number">{props.value}</dd>
      {props.mostText !== undefined && (
        <dd class="figure-limit weak">
          {t('operator.enterprise.of', { limit: props.mostText })}
          {share !== undefined && ` · ${formatPercent(share)}`}
        </dd>
      )}
      {share !== undefined && (
        <dd class={share >= 0.9 ? 'figure-bar figure-full' : 'figure-bar'} style={{ '--share': share }} />
      )}
    </div>
  )
}

const PAGES = [
  { path: '/', name: 'overview', icon: 'overview' },
  { path: '/sensors', name: 'sensors', icon: 'sensor' },
  { path: '/map', name: 'map', icon: 'map' },
  { path: '/zones', name: 'zones', icon: 'zones' },
  { path: '/tool-apis', name: 'toolApis', icon: 'toolApi' },
  { path: '/settings/members', name: 'members', icon: 'members' },
  { path: '/settings/applications', name: 'applications', icon: 'application' },
  { path: '/settings/usage', name: 'usage', icon: 'usage' },
  { path: '/settings/audit', name: 'audit', icon: 'audit' },
] as const

function OpenAs({ id }: { id: string }) {
  return (
    <section class="panel operator-open" aria-labelledby="open-as">
      <h2 id="open-as">{t('operator.enterprise.openAs')}</h2>
      <p class="weak">{t('operator.enterprise.openAsText')}</p>
      <div class="row">
        {PAGES.map(({ path, name, icon }) => (
          <a key={path} class="button" href={href(path, {}, { enterprise: id })}>
            <Icon name={icon} />
            <span>{t(`operator.enterprise.pages.${name}`)}</span>
          </a>
        ))}
      </div>
    </section>
  )
}

function Members({ id }: { id: string }) {
  const members = useResource(
    (signal) =>
      dataOf(
        api.GET('/manage/v1/enterprises/{id}/members', {
          params: { path: { id }, query: { limit: MAX_MEMBERS } },
          signal,
        }),
      ),
    [id],
  )
  return (
    <section class="panel stack" aria-labelledby="members">
      <h2 id="members">{t('operator.enterprise.members')}</h2>
      <Loaded resource={members} lines={3}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="weak">{t('operator.enterprise.noMembers')}</p>
          ) : (
            <ul class="operator-lines">
              {items.map((member) => (
                <li key={member.id}>
                  <bdi dir="ltr" class="cut" title={member.email}>
                    {member.email}
                  </bdi>
                  <span class="weak">{t(`accounts.members.roles.${member.role}`)}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <a href={href('/settings/members', {}, { enterprise: id })}>{t('operator.enterprise.manageMembers')}</a>
    </section>
  )
}

function Changes({ id, version }: { id: string; version: number }) {
  const changes = useResource(
    (signal) => dataOf(api.GET('/manage/v1/audit', { params: { query: { owner: id, limit: MAX_CHANGES } }, signal })),
    [id, version],
  )
  return (
    <section class="panel stack" aria-labelledby="changes">
      <h2 id="changes">{t('operator.enterprise.changes')}</h2>
      <Loaded resource={changes} lines={3}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="weak">{t('operator.enterprise.noChanges')}</p>
          ) : (
            <ul class="operator-lines">
              {items.map((change) => (
                <li key={change.id}>
                  <span class="operator-change">
                    <span class="operator-changed">
                      <span>
                        {actionName(change.action)} <span class="weak">· {kindName(change.subjectKind)}</span>
                      </span>
                      <bdi class="cut">{change.subjectName ?? ''}</bdi>
                    </span>
                    <span class="cut weak">
                      <Actor entry={change} />
                    </span>
                  </span>
                  <Age at={change.at} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  )
}
