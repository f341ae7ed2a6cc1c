/** Silences that hold now or later, with their ends. */
import { useState } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import { now } from '../../shell/clock.ts'
import { may } from '../../shell/session.ts'
import { formatList, formatSpan } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { attempt } from '../../ui/failure-text.tsx'
import { PlainTable, ROWS_ON_PHONE } from '../../ui/plain-table.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { notify } from '../../ui/toasts.tsx'
import { Actor } from '../console/audit/actor.tsx'
import { endSilence, loadSilences, type Silence } from './alert-data.ts'
import { useAlertChanges } from './live-alerts.ts'
import { type Rule, rulesById } from './rule-data.ts'
import { sensorNames } from './sensor-table.ts'
import { SilenceDialog } from './silence-dialog.tsx'

const NAMED = 3

async function load(signal: AbortSignal) {
  const [silences, rules] = await Promise.all([loadSilences(signal), rulesById(signal)])
  const ids = [...new Set(silences.flatMap(({ sensorIds }) => sensorIds.slice(0, NAMED)))]
  return { silences, rules, sensors: await sensorNames(ids, signal) }
}

export function SilencesTab() {
  const data = useResource(load, [])
  const [isMaking, setMaking] = useState(false)
  useAlertChanges(() => data.reload())
  const create = may.value.administer && (
    <Button kind="main" icon="silence" onClick={() => setMaking(true)}>
      {t('alerts.silences.create')}
    </Button>
  )
  return (
    <Loaded resource={data}>
      {({ silences, rules, sensors }) => (
        <>
          {silences.length === 0 ? (
            <Empty title={t('alerts.silences.none')} text={t('alerts.silences.noneText')}>
              {create || <p>{t('sensors.askAdministrator')}</p>}
            </Empty>
          ) : (
            <>
              <div class="alert-bar">
                <p class="weak">{t('alerts.silences.text')}</p>
                {create}
              </div>
              <SilenceTable silences={silences} rules={rules} sensors={sensors} onEnded={() => data.reload()} />
            </>
          )}
          {isMaking && (
            <SilenceDialog
              target={{ sensors: [], ruleIds: [] }}
              onDone={() => {
                setMaking(false)
                data.reload()
              }}
              onClose={() => setMaking(false)}
            />
          )}
        </>
      )}
    </Loaded>
  )
}

export async function end(id: string, onEnded: () => void): Promise<void> {
  if (!(await attempt(() => endSilence(id)))) return
  notify(t('alerts.silences.ended'))
  onEnded()
}

/** The first names of a target, and how many more there are. */
function targetText(ids: readonly string[], nameOf: (id: string) => string): string {
  const rest = ids.length - NAMED
  return formatList([
    ...ids.slice(0, NAMED).map((id) => nameOf(id)),
    ...(rest > 0 ? [t('alerts.silences.of', { count: rest })] : []),
  ])
}

function SilenceTable(props: {
  silences: readonly Silence[]
  rules: ReadonlyMap<string, Rule>
  sensors: ReadonlyMap<string, string>
  onEnded: () => void
}) {
  const { rules, sensors } = props
  return (
    <PlainTable
      label={t('alerts.silences.title')}
      kind={ROWS_ON_PHONE}
      rows={props.silences}
      keyOf={({ id }) => id}
      columns={[
        [
          t('alerts.silences.target'),
          ({ sensorIds, ruleIds, tags }) => (
            <>
              {sensorIds.length > 0 && (
                <div>
                  <span class="weak">{t('alerts.silences.kinds.sensors')}</span>{' '}
                  {targetText(sensorIds, (id) => sensors.get(id) ?? t('alerts.deletedSensor'))}
                </div>
              )}
              {ruleIds.length > 0 && (
                <div>
                  <span class="weak">{t('alerts.silences.kinds.rules')}</span>{' '}
                  {targetText(ruleIds, (id) => rules.get(id)?.name ?? t('alerts.deletedRule'))}
                </div>
              )}
              {tags.length > 0 && (
                <div>
                  <span class="weak">{t('alerts.silences.kinds.tags')}</span> {targetText(tags, (tag) => tag)}
                </div>
              )}
            </>
          ),
          { isName: true },
        ],
        [
          t('alerts.silences.state'),
          ({ from }) => t(Date.parse(from) > now.value ? 'alerts.silences.planned' : 'alerts.silences.active'),
        ],
        [
          t('alerts.silences.period'),
          ({ from, to }) => <bdi class="number">{formatSpan(Date.parse(from), Date.parse(to))}</bdi>,
        ],
        [t('alerts.silences.reason'), ({ comment }) => <bdi>{comment === '' ? '–' : comment}</bdi>],
        [t('alerts.silences.madeBy'), ({ createdBy }) => <Actor entry={{ actor: createdBy, actorName: null }} />],
        [
          t('alerts.columns.actions'),
          ({ id }) =>
            may.value.administer && (
              <Button kind="quiet" onClick={() => end(id, props.onEnded)}>
                {t('alerts.silences.end')}
              </Button>
            ),
          { isTitleHidden: true },
        ],
      ]}
    />
  )
}
