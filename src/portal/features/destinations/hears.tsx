/** The destinations that get the alerts of a rule. */
import { useResource } from '../../api/resource.ts'
import { href } from '../../shell/router.ts'
import { formatList } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Loaded } from '../../ui/states.tsx'
import { type Rule, SEVERITIES, type Severity } from '../rules/rule-data.ts'
import { type Destination, formName, loadDestinations } from './destination-data.ts'

const rank = (severity: Severity): number => SEVERITIES.indexOf(severity)

function gets({ enabled, events, ruleIds, minSeverity }: Destination, { id, severity, steps = [] }: Rule): boolean {
  const worst = Math.max(...[severity, ...steps.map((step) => step.severity)].map(rank))
  return (
    enabled &&
    events.includes('alert.firing') &&
    (ruleIds.length === 0 || ruleIds.includes(id)) &&
    (minSeverity === null || worst >= rank(minSeverity))
  )
}

export function Hears({ rule }: { rule: Rule }) {
  const destinations = useResource(loadDestinations, [rule.id])
  return (
    <section>
      <h2>{t('destinations.hears')}</h2>
      <Loaded resource={destinations} lines={1}>
        {(all) => {
          const own = all.filter((destination) => gets(destination, rule))
          if (own.length === 0)
            return (
              <p class="weak">
                {t('destinations.hearsNone')} <a href={href('/settings/destinations')}>{t('destinations.title')}</a>
              </p>
            )
          return (
            <ul>
              {own.map((destination) => (
                <li key={destination.id}>
                  <a href={href('/settings/destinations/:id', { id: destination.id })}>
                    <bdi>{destination.name}</bdi>
                  </a>{' '}
                  <span class="weak">
                    {formName(destination)}
                    {destination.tags.length > 0 &&
                      ` · ${t('destinations.hearsTagged', { tags: formatList(destination.tags) })}`}
                  </span>
                </li>
              ))}
            </ul>
          )
        }}
      </Loaded>
    </section>
  )
}
