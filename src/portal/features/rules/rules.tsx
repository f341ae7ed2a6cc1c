/** All rules: what they say, which sensors they watch, whether they are on, and how many sensors fire now. */
import { useResource } from '../../api/resource.ts'
import { useLive } from '../../live.ts'
import { addressWith, href, queryValue } from '../../shell/router.ts'
import { enterpriseId, may } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { Chips } from '../../ui/chips.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { PlainTable, ROWS_ON_PHONE } from '../../ui/plain-table.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { firesAlerts, KINDS, loadFiring, loadRules, type Rule } from './rule-data.ts'
import { RuleSwitch } from './rule-switch.tsx'
import { mainSentence, targetWords } from './sentence.ts'
import { useSurroundings } from './surroundings.ts'

async function load(signal: AbortSignal) {
  const [rules, firing] = await Promise.all([loadRules(signal), loadFiring(signal)])
  return { rules, firing }
}

export function RulesPage() {
  const rules = useResource(load, [enterpriseId.value])
  useLive({ refresh: () => rules.reload() }, [])
  return (
    <>
      <PageHead title={t('rules.title')}>
        {may.value.administer && (
          <a class="button button-main" href={href('/rules/new')}>
            <Icon name="add" />
            <span>{t('rules.create')}</span>
          </a>
        )}
      </PageHead>
      <Loaded resource={rules}>
        {({ rules: all, firing }) =>
          all.length === 0 ? (
            <Empty title={t('rules.empty')} text={t('rules.emptyText')} docs={t('frame.docs')}>
              {may.value.administer ? (
                <a class="button button-main" href={href('/rules/new')}>
                  {t('rules.create')}
                </a>
              ) : (
                <p>{t('sensors.askAdministrator')}</p>
              )}
            </Empty>
          ) : (
            <RuleList all={all} firing={firing} onChanged={() => rules.reload()} />
          )
        }
      </Loaded>
    </>
  )
}

function RuleList(props: { all: Rule[]; firing: ReadonlyMap<string, number>; onChanged: () => void }) {
  const { all, firing } = props
  const known = useSurroundings()
  const kind = queryValue('kind')
  // rules that fire, then the others by name
  const shown = all
    .filter((rule) => kind === undefined || rule.kind === kind)
    .sort((a, b) => (firing.get(b.id) ?? 0) - (firing.get(a.id) ?? 0) || a.name.localeCompare(b.name))
  return (
    <div class="stack">
      <Chips
        label={t('rules.kind')}
        chips={KINDS.map((one) => ({
          id: one,
          label: t(`rules.kinds.${one}`),
          href: addressWith({ kind: kind === one ? undefined : one }),
          isOn: kind === one,
          count: all.filter((rule) => rule.kind === one).length,
        }))}
      />
      <PlainTable
        label={t('rules.title')}
        kind={`${ROWS_ON_PHONE} rule-list`}
        rows={shown}
        keyOf={({ id }) => id}
        columns={[
          [
            t('rules.name'),
            (rule) => (
              <>
                <a href={href('/rules/:id', { id: rule.id })}>
                  <bdi>{rule.name}</bdi>
                </a>
                <span class="rule-sentence weak">
                  {rule.layerUsable === false ? t('zones.unusable') : mainSentence(rule, known)}
                </span>
              </>
            ),
            { isName: true },
          ],
          [
            t('rules.severity'),
            (rule) => (firesAlerts(rule) ? t(`alerts.severities.${rule.severity}`) : <span class="weak">–</span>),
          ],
          [t('rules.watches'), (rule) => targetWords(rule), { kind: 'rule-targets' }],
          [
            t('rules.firing'),
            (rule) => {
              if (!firesAlerts(rule)) return <span class="weak">–</span>
              const { id } = rule
              const count = firing.get(id) ?? 0
              if (count === 0) return <span class="weak">{t('rules.none')}</span>
              return <a href={href('/alerts', {}, { rule: id })}>{t('rules.firingCount', { count })}</a>
            },
          ],
          [t('rules.state'), (rule) => <RuleSwitch rule={rule} onChanged={() => props.onChanged()} />],
        ]}
      />
    </div>
  )
}
