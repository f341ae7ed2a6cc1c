/** What a rule would have done in the last 7 days, before it is saved. */
import { useState } from 'preact/hooks'
import { useResource } from '../../../api/resource.ts'
import { formatDuration, formatValue } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { warningsInLanguage } from '../../../text/warnings.ts'
import { Button } from '../../../ui/button.tsx'
import { PlainTable, ROWS_ON_PHONE } from '../../../ui/plain-table.tsx'
import { Failure, Skeleton } from '../../../ui/states.tsx'
import { Moment } from '../moment.tsx'
import { type Episode, mainChannel, previewRule, type RuleFields, sensorNames } from '../rule-data.ts'
import type { Names } from '../sentence.ts'

const RANGE_MS = 7 * 86_400_000
const SHOWN = 10

export function PreviewPart(props: { rule: RuleFields; known: Names; isComplete: () => boolean }) {
  const [asked, setAsked] = useState<{ rule: RuleFields; text: string } | undefined>(undefined)
  // a rule without a name can be tried
  const rule = { ...props.rule, name: props.rule.name || t('rules.newTitle') }
  const text = JSON.stringify({ ...rule, name: '', note: '', enabled: true })
  return (
    <section class="rule-preview" aria-label={t('rules.preview.title')}>
      <h2>{t('rules.preview.title')}</h2>
      <p class="weak">{t('rules.preview.text')}</p>
      <div class="row">
        <Button
          icon="history"
          onClick={() => {
            if (props.isComplete()) setAsked({ rule, text })
          }}
        >
          {t('rules.preview.run')}
        </Button>
        {asked !== undefined && asked.text !== text && <span class="weak">{t('rules.preview.old')}</span>}
      </div>
      {asked !== undefined && <Outcome key={asked.text} rule={asked.rule} known={props.known} />}
    </section>
  )
}

async function tried(rule: RuleFields, signal: AbortSignal) {
  const nowMs = Date.now()
  const { episodes, warnings, warningsAr } = await previewRule(rule, nowMs - RANGE_MS, nowMs, signal)
  const counts = new Map<string, number>()
  for (const { sensorId } of episodes) counts.set(sensorId, (counts.get(sensorId) ?? 0) + 1)
  const bySensor = [...counts].sort(([, a], [, b]) => b - a).slice(0, SHOWN)
  const first = episodes.toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt)).slice(0, SHOWN)
  const names = await sensorNames([...bySensor.map(([id]) => id), ...first.map(({ sensorId }) => sensorId)], signal)
  return { count: episodes.length, bySensor, first, names, warnings: warningsInLanguage(warnings, warningsAr) }
}

function Outcome({ rule, known }: { rule: RuleFields; known: Names }) {
  const channel = mainChannel(rule)
  const unit = channel === undefined ? null : known.unitOf(channel)
  const outcome = useResource((signal) => tried(rule, signal), [])
  const data = outcome.data.value
  const error = outcome.error.value
  if (error !== undefined) return <Failure error={error} onRetry={outcome.reload} />
  if (data === undefined) return <Skeleton lines={3} />
  const name = (id: string) => <bdi class="cut">{data.names.get(id) ?? id}</bdi>
  return (
    <div class="stack" aria-live="polite">
      <p class="rule-count" data-testid="preview-count">
        {data.count === 0 ? t('rules.preview.none') : t('rules.preview.count', { count: data.count })}
      </p>
      {data.warnings.map((text) => (
        <p key={text} class="weak">
          {text}
        </p>
      ))}
      {data.count > 0 && (
        <>
          <PlainTable
            label={t('rules.preview.sensors')}
            kind={ROWS_ON_PHONE}
            rows={data.bySensor}
            keyOf={([id]) => id}
            columns={[
              [t('rules.episode.sensor'), ([id]) => name(id), { isName: true }],
              [t('rules.preview.times'), ([, count]) => count, { kind: 'number number-cell' }],
            ]}
          />
          <PlainTable
            label={t('rules.preview.first', { count: data.first.length })}
            kind={ROWS_ON_PHONE}
            rows={data.first}
            keyOf={({ sensorId, startedAt }) => `${sensorId} ${startedAt}`}
            columns={[
              [t('rules.episode.sensor'), ({ sensorId }) => name(sensorId), { isName: true }],
              [t('rules.episode.fired'), ({ firedAt }) => <Moment at={firedAt} />],
              [t('rules.episode.ended'), (episode) => <End {...episode} />],
              [t('rules.episode.value'), ({ value }) => formatValue(value, unit), { kind: 'number number-cell' }],
            ]}
          />
        </>
      )}
    </div>
  )
}

function End({ resolvedAt, firedAt }: Episode) {
  if (resolvedAt === null) return <>{t('rules.episode.openThen')}</>
  return (
    <>
      <Moment at={resolvedAt} />{' '}
      <span class="weak">{formatDuration(Date.parse(resolvedAt) - Date.parse(firedAt))}</span>
    </>
  )
}
