/** A rule in sentences: the first says when it fires, the others what else holds. */
import { formatChoice, formatList, formatValue } from '../../text/format.ts'
import { formatLength } from '../../text/measures.ts'
import { locale, t } from '../../text/text.ts'
import { durationWords } from './durations.ts'
import { type Condition, type Operator, type RuleFields, type Schedule, WEEKDAYS, type Weekday } from './rule-data.ts'

/** What the sentences name: units of channels, and names of layers. */
export type Names = { unitOf: (channel: string) => string | null; layerOf: (id: string) => string }

export const COMPARISONS = {
  '>': 'above',
  '>=': 'atLeast',
  '<': 'below',
  '<=': 'atMost',
  '=': 'equal',
  '!=': 'unequal',
} as const satisfies Record<Operator, string>

export function sentencesOf(rule: RuleFields, names: Names): string[] {
  return [mainSentence(rule, names), ...details(rule, names), ...schedules(rule.schedule ?? undefined), targets(rule)]
}

const conditionWords = ({ channel, op, value }: Condition, { unitOf }: Names): string =>
  t(`rules.says.${COMPARISONS[op]}`, { channel, value: formatValue(value, unitOf(channel)) })

export function mainSentence(rule: RuleFields, names: Names): string {
  const zone = names.layerOf(rule.layerId ?? '')
  const duration = rule.forSeconds ? durationWords(rule.forSeconds) : ''
  const channel = rule.channel ?? ''
  switch (rule.kind) {
    case 'threshold': {
      const words = (rule.conditions ?? []).map((condition) => conditionWords(condition, names))
      const conditions = rule.match === 'any' ? formatChoice(words) : formatList(words)
      return duration === ''
        ? t('rules.says.threshold', { conditions })
        : t('rules.says.thresholdFor', { conditions, duration })
    }
    case 'silence':
      if (channel === '') return duration === '' ? t('rules.says.silenceUsual') : t('rules.says.silence', { duration })
      return duration === ''
        ? t('rules.says.channelSilenceUsual', { channel })
        : t('rules.says.channelSilence', { channel, duration })
    case 'change':
      return t(`rules.says.change.${rule.direction ?? 'both'}`, {
        channel,
        value: formatValue(rule.by ?? 0, names.unitOf(channel)),
        duration: durationWords(rule.withinSeconds ?? 0),
      })
    case 'zone':
      return rule.when === 'dwell'
        ? t('rules.says.zone.dwell', { zone, duration: durationWords(rule.dwellSeconds ?? 0) })
        : t(`rules.says.zone.${rule.when ?? 'enter'}`, { zone })
  }
}

function details(rule: RuleFields, names: Names): string[] {
  const [first] = rule.conditions ?? []
  const found: string[] = []
  for (const step of rule.steps ?? [])
    if (first !== undefined) {
      const condition = conditionWords({ channel: first.channel, op: first.op, value: step.value }, names)
      found.push(t('rules.says.step', { severity: t(`alerts.severities.${step.severity}`), condition }))
    }
  for (const { channel, op, clearValue } of rule.conditions ?? [])
    if (clearValue != null) {
      const side = op === '>' || op === '>=' ? 'below' : 'above'
      found.push(t(`rules.says.clears.${side}`, { channel, value: formatValue(clearValue, names.unitOf(channel)) }))
    }
  if (rule.keepFiringSeconds) found.push(t('rules.says.keep', { duration: durationWords(rule.keepFiringSeconds) }))
  if (rule.kind === 'threshold' && rule.forSeconds) {
    if (rule.gap === 'hold') found.push(t('rules.says.gapHold'))
    else if (rule.maxGapSeconds) found.push(t('rules.says.gap', { duration: durationWords(rule.maxGapSeconds) }))
  }
  if (rule.within) found.push(t(`rules.says.within.${rule.within.when}`, { zone: names.layerOf(rule.within.layerId) }))
  if ((rule.minReadings ?? 1) > 1) found.push(t('rules.says.minReadings', { count: rule.minReadings ?? 1 }))
  if (rule.minSeconds) found.push(t('rules.says.minSpan', { duration: durationWords(rule.minSeconds) }))
  if (rule.bufferM) found.push(t('rules.says.buffer', { length: formatLength(rule.bufferM) }))
  return found
}

const MONDAY_MS = Date.UTC(2024, 0, 1)
const DAY_MS = 86_400_000

export const dayName = (day: Weekday, weekday: 'short' | 'long' = 'short'): string =>
  new Intl.DateTimeFormat(locale.value, { weekday, timeZone: 'UTC' }).format(MONDAY_MS + WEEKDAYS.indexOf(day) * DAY_MS)

function schedules(schedule: Schedule | undefined): string[] {
  if (schedule === undefined) return []
  const windows = schedule.weekly.map(({ days, from, to }) =>
    t('rules.says.window', { days: formatList(days.map((day) => dayName(day))), from, to }),
  )
  return [t('rules.says.schedule', { windows: formatList(windows), zone: schedule.tz })]
}

function targets({ sensorIds, tags }: RuleFields): string {
  return t('rules.says.targets', { targets: targetWords({ sensorIds, tags }) })
}

/** Which sensors a rule watches, in a few words. */
export function targetWords({ sensorIds, tags }: Pick<RuleFields, 'sensorIds' | 'tags'>): string {
  if (sensorIds === 'all') return t('zones.allSensors')
  const parts = [
    ...(tags.length > 0 ? [t('rules.tagged', { tags: formatList(tags) })] : []),
    ...(sensorIds.length > 0 ? [t('zones.sensorCount', { count: sensorIds.length })] : []),
  ]
  return formatList(parts)
}
