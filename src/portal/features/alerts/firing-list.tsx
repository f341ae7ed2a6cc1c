/** The first of what fires now, the worst on top: for the overview. */
import { href } from '../../shell/router.ts'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import type { Alert, AlertGroup, Firing, Severity } from './alert-data.ts'
import { AlertName } from './parts.tsx'
import { SeverityWord } from './severity.tsx'

const SHOWN = 5

export function FiringList({ firing }: { firing: Firing }) {
  if (firing.counts.firing === 0) return null
  const groups = firing.sections.flatMap(({ severity, page }) =>
    page.groups
      .toSorted((a, b) => Date.parse(a.firstFiredAt) - Date.parse(b.firstFiredAt))
      .map((group) => ({ severity, group, first: page.items.find(({ ruleId }) => ruleId === group.ruleId) })),
  )
  return (
    <section aria-labelledby="overview-alerts">
      <h2 id="overview-alerts">{t('alerts.title')}</h2>
      <ul class="alert-list">
        {groups.slice(0, SHOWN).map((one) => (
          <Group key={`${one.severity} ${one.group.ruleId}`} {...one} />
        ))}
      </ul>
      <a href={href('/alerts')}>{t('alerts.allFiring', { count: firing.counts.firing })}</a>
    </section>
  )
}

function Group({ severity, group, first }: { severity: Severity; group: AlertGroup; first: Alert | undefined }) {
  return (
    <li>
      <SeverityWord severity={severity} />
      {group.count === 1 && first !== undefined ? (
        <AlertName alert={first} />
      ) : (
        <div class="alert-name">
          <a class="cut" dir="auto" href={href('/alerts')}>
            <bdi>{first?.ruleName ?? t('alerts.deletedRule')}</bdi>
          </a>
          <span class="weak">{t('alerts.several', { count: group.count })}</span>
        </div>
      )}
      <Age at={group.count === 1 && first !== undefined ? first.startedAt : group.firstFiredAt} />
    </li>
  )
}
