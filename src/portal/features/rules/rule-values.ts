/** The input of the form of rules: its fields as people type them, the checks, and the rule that is sent. */
import { timeZone } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import type { PickedSensor } from '../sensors/sensor-picker.tsx'
import { durationText, secondsIn } from './durations.ts'
import { numberIn } from './numbers.ts'
import {
  type Kind,
  type Operator,
  type Rule,
  type RuleFields,
  SEVERITIES,
  type Severity,
  type When,
  type Window,
} from './rule-data.ts'

export const MAX_CONDITIONS = 8
export const MAX_STEPS = 2
export const MAX_WINDOWS = 21
const MAX_SECONDS = 31 * 86_400
const MAX_BUFFER_M = 10_000

export type ConditionValues = { channel: string; op: Operator; value: string; clearValue: string }
export type StepValues = { severity: Severity; value: string; clearValue: string }

/** Durations and numbers are texts; an empty one is the default. */
export type RuleValues = {
  name: string
  kind: Kind
  severity: Severity
  note: string
  enabled: boolean
  targets: 'all' | 'chosen'
  sensors: PickedSensor[]
  tags: string[]
  hasSchedule: boolean
  tz: string
  windows: Window[]
  conditions: ConditionValues[]
  match: 'all' | 'any'
  steps: StepValues[]
  hold: string
  keepFiring: string
  maxGap: string
  gap: 'reset' | 'hold'
  withinLayer: string
  withinWhen: 'inside' | 'outside'
  silentChannel: string
  silentFor: string
  channel: string
  direction: 'up' | 'down' | 'both'
  by: string
  changeWithin: string
  layerId: string
  when: When
  dwell: string
  minReadings: string
  minSpan: string
  bufferM: string
}

export const NO_CONDITION: ConditionValues = { channel: '', op: '>', value: '', clearValue: '' }
export const WORK_DAYS: Window = { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '08:00', to: '18:00' }

export const newRule = (): RuleValues => ({
  name: '',
  kind: 'threshold',
  severity: 'warning',
  note: '',
  enabled: true,
  targets: 'all',
  sensors: [],
  tags: [],
  hasSchedule: false,
  tz: timeZone.value,
  windows: [WORK_DAYS],
  conditions: [NO_CONDITION],
  match: 'all',
  steps: [],
  hold: '',
  keepFiring: '',
  maxGap: '',
  gap: 'reset',
  withinLayer: '',
  withinWhen: 'inside',
  silentChannel: '',
  silentFor: '',
  channel: '',
  direction: 'both',
  by: '',
  changeWithin: '',
  layerId: '',
  when: 'enter',
  dwell: '',
  minReadings: '',
  minSpan: '',
  bufferM: '',
})

const text = (value: number | boolean | null | undefined): string => (value == null ? '' : String(value))
const duration = (seconds: number | null | undefined): string => (seconds ? durationText(seconds) : '')

export function valuesOf(rule: Rule, sensors: PickedSensor[]): RuleValues {
  return {
    ...newRule(),
    name: rule.name,
    kind: rule.kind,
    severity: rule.severity,
    note: rule.note ?? '',
    enabled: rule.enabled,
    targets: rule.sensorIds === 'all' ? 'all' : 'chosen',
    sensors,
    tags: rule.tags,
    ...(rule.schedule && { hasSchedule: true, tz: rule.schedule.tz, windows: rule.schedule.weekly }),
    conditions: (rule.conditions ?? []).map(({ channel, op, value, clearValue }) => ({
      channel,
      op,
      value: text(value),
      clearValue: text(clearValue),
    })),
    match: rule.match ?? 'all',
    steps: (rule.steps ?? []).map(({ severity, value, clearValue }) => ({
      severity,
      value: text(value),
      clearValue: text(clearValue),
    })),
    hold: rule.kind === 'threshold' ? duration(rule.forSeconds) : '',
    keepFiring: duration(rule.keepFiringSeconds),
    maxGap: duration(rule.maxGapSeconds),
    gap: rule.gap ?? 'reset',
    withinLayer: rule.within?.layerId ?? '',
    withinWhen: rule.within?.when ?? 'inside',
    silentChannel: rule.kind === 'silence' ? (rule.channel ?? '') : '',
    silentFor: rule.kind === 'silence' ? duration(rule.forSeconds) : '',
    channel: rule.kind === 'change' ? (rule.channel ?? '') : '',
    direction: rule.direction ?? 'both',
    by: text(rule.by),
    changeWithin: duration(rule.withinSeconds),
    layerId: rule.layerId ?? '',
    when: rule.when ?? 'enter',
    dwell: duration(rule.dwellSeconds),
    minReadings: rule.minReadings === 1 ? '' : text(rule.minReadings),
    minSpan: duration(rule.minSeconds),
    bufferM: rule.bufferM === 0 ? '' : text(rule.bufferM),
  }
}

/** Messages by the API's names of the fields, for example `conditions.0.value`. */
export type Faults = Record<string, string>

/** @param isBoolean whether a channel has yes and no only */
export function checkedRule(
  values: RuleValues,
  isBoolean: (channel: string) => boolean,
): { rule: RuleFields; faults: Faults } {
  const faults: Faults = {}
  const fault = (field: string, message: string): void => {
    faults[field] ??= message
  }
  function number(field: string, typed: string): number {
    const found = numberIn(typed)
    if (found === undefined) fault(field, t('rules.wrong.number'))
    return found ?? 0
  }
  /** @returns undefined for an empty one */
  function seconds(field: string, typed: string, { isNeeded = false, least = 1 } = {}): number | undefined {
    if (typed.trim() === '') {
      if (isNeeded) fault(field, t('rules.wrong.durationMissing'))
      return undefined
    }
    const found = secondsIn(typed)
    if (found === undefined) fault(field, t('rules.wrong.duration'))
    else if (found < least || found > MAX_SECONDS) fault(field, t('rules.wrong.durationRange'))
    return found
  }

  if (values.name.trim() === '') fault('name', t('rules.wrong.name'))
  const isChosen = values.targets === 'chosen'
  if (isChosen && values.sensors.length + values.tags.length === 0) fault('sensorIds', t('rules.wrong.targets'))
  const common: RuleFields = {
    name: values.name.trim(),
    kind: values.kind,
    severity: values.severity,
    note: values.note.trim(),
    enabled: values.enabled,
    sensorIds: isChosen ? values.sensors.map(({ id }) => id) : 'all',
    tags: isChosen ? values.tags : [],
    schedule: values.hasSchedule ? { tz: values.tz.trim(), weekly: values.windows } : null,
  }
  if (values.hasSchedule) {
    if (!isZone(values.tz.trim())) fault('schedule.tz', t('rules.wrong.zone'))
    for (const [i, { days, from, to }] of values.windows.entries())
      if (days.length === 0) fault(`schedule.weekly.${i}`, t('rules.wrong.days'))
      else if (!isTime(from) || !(isTime(to) || to === '24:00')) fault(`schedule.weekly.${i}`, t('rules.wrong.time'))
      else if (from === to) fault(`schedule.weekly.${i}`, t('rules.wrong.sameTime'))
  }

  switch (values.kind) {
    case 'threshold':
      return { rule: { ...common, ...threshold() }, faults }
    case 'silence': {
      const forSeconds = seconds('forSeconds', values.silentFor)
      const channel = values.silentChannel || null
      return { rule: { ...common, channel, forSeconds: forSeconds ?? null }, faults }
    }
    case 'change': {
      if (values.channel === '') fault('channel', t('rules.wrong.channel'))
      else if (isBoolean(values.channel)) fault('channel', t('rules.wrong.yesNo'))
      const by = number('by', values.by)
      if (by <= 0) fault('by', t('rules.wrong.positive'))
      const withinSeconds = seconds('withinSeconds', values.changeWithin, { isNeeded: true }) ?? 0
      return { rule: { ...common, channel: values.channel, direction: values.direction, by, withinSeconds }, faults }
    }
    case 'zone':
      return { rule: { ...common, ...zone() }, faults }
  }

  function threshold(): Partial<RuleFields> {
    const conditions = values.conditions.map((condition, i) => {
      const { channel, op } = condition
      if (channel === '') fault(`conditions.${i}.channel`, t('rules.wrong.channel'))
      if (isBoolean(channel)) return { channel, op, value: condition.value !== 'false' }
      const value = number(`conditions.${i}.value`, condition.value)
      if (condition.clearValue.trim() === '' || !isOrdered(op)) return { channel, op, value }
      const clearValue = number(`conditions.${i}.clearValue`, condition.clearValue)
      if (isBeyond(op, clearValue, value)) fault(`conditions.${i}.clearValue`, t(`rules.wrong.clear.${sideOf(op)}`))
      return { channel, op, value, clearValue }
    })
    const [first] = values.conditions
    const op = first?.op ?? '>'
    const hasSteps = mayHaveSteps(values, isBoolean)
    let before = { severity: values.severity, value: numberIn(first?.value ?? '') ?? 0 }
    const steps = (hasSteps ? values.steps : []).map((step, i) => {
      const value = number(`steps.${i}.value`, step.value)
      if (!isBeyond(op, value, before.value)) fault(`steps.${i}.value`, t(`rules.wrong.step.${sideOf(op)}`))
      if (SEVERITIES.indexOf(step.severity) <= SEVERITIES.indexOf(before.severity))
        fault(`steps.${i}.severity`, t('rules.wrong.stepSeverity'))
      before = { severity: step.severity, value }
      if (step.clearValue.trim() === '') return { severity: step.severity, value }
      const clearValue = number(`steps.${i}.clearValue`, step.clearValue)
      if (isBeyond(op, clearValue, value)) fault(`steps.${i}.clearValue`, t(`rules.wrong.clear.${sideOf(op)}`))
      return { severity: step.severity, value, clearValue }
    })
    return {
      conditions,
      match: values.match,
      steps,
      forSeconds: seconds('forSeconds', values.hold, { least: 0 }) ?? 0,
      keepFiringSeconds: seconds('keepFiringSeconds', values.keepFiring, { least: 0 }) ?? 0,
      maxGapSeconds: seconds('maxGapSeconds', values.maxGap) ?? null,
      gap: values.gap,
      within: values.withinLayer === '' ? null : { layerId: values.withinLayer, when: values.withinWhen },
    }
  }

  function zone(): Partial<RuleFields> {
    if (values.layerId === '') fault('layerId', t('rules.wrong.layer'))
    const minReadings = values.minReadings.trim() === '' ? 1 : number('minReadings', values.minReadings)
    if (!Number.isInteger(minReadings) || minReadings < 1) fault('minReadings', t('rules.wrong.whole'))
    const bufferM = values.bufferM.trim() === '' ? 0 : number('bufferM', values.bufferM)
    if (bufferM < 0 || bufferM > MAX_BUFFER_M) fault('bufferM', t('rules.wrong.buffer', { most: MAX_BUFFER_M }))
    const dwellSeconds = values.when === 'dwell' ? seconds('dwellSeconds', values.dwell, { isNeeded: true }) : undefined
    return {
      layerId: values.layerId,
      when: values.when,
      ...(dwellSeconds !== undefined && { dwellSeconds }),
      minReadings,
      minSeconds: seconds('minSeconds', values.minSpan, { least: 0 }) ?? 0,
      bufferM,
    }
  }
}

/** Whether a value can be beyond another, so that clear values and steps have a meaning. */
export const isOrdered = (op: Operator): boolean => op !== '=' && op !== '!='
const sideOf = (op: Operator): 'above' | 'below' => (op === '>' || op === '>=' ? 'above' : 'below')
const isBeyond = (op: Operator, value: number, other: number): boolean =>
  sideOf(op) === 'above' ? value > other : value < other

/** Steps make one condition worse in stages. */
export function mayHaveSteps({ conditions }: RuleValues, isBoolean: (channel: string) => boolean): boolean {
  const [first] = conditions
  return conditions.length === 1 && first !== undefined && isOrdered(first.op) && !isBoolean(first.channel)
}

const isTime = (typed: string): boolean => /^([01]\d|2[0-3]):[0-5]\d$/.test(typed)

function isZone(name: string): boolean {
  try {
    return name !== '' && new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}
