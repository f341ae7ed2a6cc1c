/**
 * "Alert me above this line": a line on the charts of a sensor, with the episodes that it would have had in the shown
 * time. Each movement asks for a preview; the one before is aborted.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { ApiError } from '../../api/client.ts'
import { randomId } from '../../shell/random-id.ts'
import { href, navigate } from '../../shell/router.ts'
import { enterpriseId } from '../../shell/session.ts'
import { formatValue, plainText } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import type { Span } from '../../ui/chart/chart.tsx'
import type { ChartChannel } from '../../ui/chart/chart-data.ts'
import type { MovedLine } from '../../ui/chart/chart-line.tsx'
import { lengthOf, type Range } from '../../ui/chart/range.ts'
import { attempt, FormFailure } from '../../ui/failure-text.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { keepDraft } from '../../ui/form.ts'
import { notify } from '../../ui/toasts.tsx'
import { DurationField } from './form/duration-field.tsx'
import { newRuleDraft } from './new-rule.tsx'
import { createRule, type Episode, previewRule } from './rule-data.ts'
import { checkedRule, newRule, type RuleValues } from './rule-values.ts'

const SETTLE_MS = 200
const LONGEST_MS = 31 * 86_400_000

type Watched = {
  sensor: { id: string; name: string }
  channels: readonly ChartChannel[]
  range: Range
  /** The newest value of a channel, at which the line begins. */
  newestOf: (channel: string) => number | undefined
}
type Line = { channel: string; side: 'above' | 'below'; value: string; hold: string }

/** The line on the chart and the bar above it, while it is open. */
export type AlertLine = { isOpen: boolean; open: () => void; bar: preact.ComponentChildren } & {
  line: MovedLine | undefined
  spans: readonly Span[] | undefined
}

export function useAlertLine({ sensor, channels, range, newestOf }: Watched): AlertLine {
  const numbers = channels.filter(({ measurement }) => measurement !== 'boolean')
  const [line, setLine] = useState<Line | undefined>(undefined)
  const change = (changed: Partial<Line>): void => setLine((before) => before && { ...before, ...changed })
  const unit = numbers.find(({ name }) => name === line?.channel)?.unit ?? null
  const values = line === undefined ? undefined : valuesOf(line, sensor, unit)
  const { rule, faults } = values === undefined ? {} : checkedRule(values, () => false)
  const preview = usePreview(faults !== undefined && Object.keys(faults).length === 0 ? rule : undefined, range)
  const spans = useMemo(
    () => preview.episodes?.map((episode) => spanOf(episode, line?.channel ?? '')),
    [preview.episodes],
  )
  const start = (channel: string): string => String(Number((newestOf(channel) ?? 0).toPrecision(3)))
  const number = Number(line?.value.replace(',', '.'))

  return {
    isOpen: line !== undefined,
    open() {
      const [first] = numbers
      if (first !== undefined) setLine({ channel: first.name, side: 'above', value: start(first.name), hold: '' })
    },
    line:
      line === undefined || line.value.trim() === '' || !Number.isFinite(number)
        ? undefined
        : { channel: line.channel, value: number, unit, onMove: (value) => change({ value: String(value) }) },
    spans,
    bar: line !== undefined && values !== undefined && rule !== undefined && faults !== undefined && (
      <LineBar
        line={line}
        unit={unit}
        channels={numbers}
        values={values}
        faults={faults}
        preview={preview}
        onChange={(changed) =>
          change({ ...changed, ...(changed.channel !== undefined && { value: start(changed.channel) }) })
        }
        onClose={() => setLine(undefined)}
      />
    ),
  }
}

function valuesOf(line: Line, sensor: Watched['sensor'], unit: string | null): RuleValues {
  const value = formatValue(Number(line.value.replace(',', '.')), unit)
  const name = plainText(t(`rules.line.${line.side}`, { channel: line.channel, value }))
  return {
    ...newRule(),
    name: `${sensor.name}: ${name}`.slice(0, 200),
    targets: 'chosen',
    sensors: [sensor],
    conditions: [{ channel: line.channel, op: line.side === 'above' ? '>' : '<', value: line.value, clearValue: '' }],
    hold: line.hold,
  }
}

const spanOf = ({ startedAt, resolvedAt, severity, value }: Episode, channel: string): Span => ({
  fromMs: Date.parse(startedAt),
  toMs: resolvedAt === null ? null : Date.parse(resolvedAt),
  kind: severity,
  text: `${t('rules.sensorStates.firing')} ${value === null ? '' : formatValue(value)}`,
  channels: [channel],
})

type Shown = { episodes: Episode[] | undefined; error: ApiError | undefined; isLoading: boolean; isLong: boolean }

/** @param rule undefined while its fields are at fault */
function usePreview(rule: ReturnType<typeof checkedRule>['rule'] | undefined, range: Range): Shown {
  const [shown, setShown] = useState<Omit<Shown, 'isLong'>>({ episodes: undefined, error: undefined, isLoading: false })
  const isLong = lengthOf(range) > LONGEST_MS
  const text = rule === undefined || isLong ? undefined : JSON.stringify({ ...rule, name: '' })
  const sent = useRef(rule)
  sent.current = rule
  useEffect(() => {
    if (text === undefined) {
      setShown({ episodes: undefined, error: undefined, isLoading: false })
      return
    }
    const abort = new AbortController()
    setShown((before) => ({ ...before, isLoading: true }))
    const timer = setTimeout(() => {
      const toMs = range.preset === undefined ? range.toMs : Date.now()
      previewRule(sent.current as NonNullable<typeof rule>, toMs - lengthOf(range), toMs, abort.signal).then(
        ({ episodes }) => setShown({ episodes, error: undefined, isLoading: false }),
        (error: unknown) => {
          if (abort.signal.aborted) return
          const failure = error instanceof ApiError ? error : new ApiError(0, 'UNEXPECTED', String(error))
          setShown({ episodes: undefined, error: failure, isLoading: false })
        },
      )
    }, SETTLE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [text, range])
  return { ...shown, isLong }
}

function LineBar(props: {
  line: Line
  unit: string | null
  channels: readonly ChartChannel[]
  values: RuleValues
  faults: Record<string, string>
  preview: Shown
  onChange: (change: Partial<Line>) => void
  onClose: () => void
}) {
  const { line, unit, values, faults, preview, onChange } = props
  const key = useMemo(randomId, [JSON.stringify(values)])
  const isWrong = Object.keys(faults).length > 0

  async function save(): Promise<void> {
    await attempt(async () => {
      const made = await createRule(checkedRule(values, () => false).rule, key)
      notify(t('rules.line.created'), {
        link: { href: href('/rules/:id', { id: made.id }), text: t('rules.line.show') },
      })
      props.onClose()
    })
  }
  function openForm(): void {
    keepDraft(newRuleDraft(enterpriseId.peek() as string), values)
    navigate('/rules/new')
  }

  return (
    <section class="panel alert-line" aria-label={t('rules.line.title')}>
      <div class="alert-line-head">
        <h2>{t('rules.line.title')}</h2>
        <span class="weak">{t('rules.line.keys')}</span>
        <IconButton icon="close" label={t('rules.line.close')} onClick={props.onClose} />
      </div>
      <div class="alert-line-fields">
        <SelectField
          label={t('rules.line.channel')}
          value={line.channel}
          options={props.channels.map(({ name }) => ({ value: name, label: name }))}
          onChange={(channel) => onChange({ channel })}
        />
        <SelectField
          label={t('rules.line.side')}
          value={line.side}
          options={(['above', 'below'] as const).map((value) => ({ value, label: t(`rules.line.sides.${value}`) }))}
          onChange={(side) => onChange({ side })}
        />
        <TextField
          label={unit === null ? t('rules.line.value') : t('rules.line.valueIn', { unit })}
          dir="ltr"
          value={line.value}
          onInput={(value) => onChange({ value })}
          error={faults['conditions.0.value']}
        />
        <DurationField
          label={t('rules.line.hold')}
          value={line.hold}
          onInput={(hold) => onChange({ hold })}
          error={faults.forSeconds}
        />
      </div>
      <p class="rule-count" aria-live="polite" aria-busy={preview.isLoading} data-testid="line-count">
        {preview.isLong
          ? t('rules.line.long')
          : preview.episodes === undefined
            ? '\u00a0'
            : preview.episodes.length === 0
              ? t('rules.line.none')
              : t('rules.line.count', { count: preview.episodes.length })}
      </p>
      <FormFailure error={preview.error} />
      <div class="row">
        <Button kind="main" disabled={isWrong} onClick={save}>
          {t('rules.line.save')}
        </Button>
        <Button onClick={openForm}>{t('rules.line.more')}</Button>
      </div>
    </section>
  )
}
