/** Checks of a rule's fields that need no store. Each fault names its field, and what is allowed there. */
import { type FieldError, fieldError } from '../errors.ts'
import type { FieldText } from '../field-texts/bilingual.ts'
import { fieldText } from '../field-texts/field-text.ts'
import {
  type RuleDefinition,
  type RuleKind,
  type RuleSchedule,
  SEVERITIES,
  type Severity,
  type ZoneEventKind,
} from '../stores/postgres/alerts/rule-schema.ts'
import { isTimeZone } from '../time-zone.ts'
import { type Domain, isSatisfiable } from './satisfiable.ts'

export const LIMITS = {
  /** 31 days. */
  seconds: 2_678_400,
  note: 2_000,
  /** Sensors that a rule names. */
  sensors: 1_000,
  conditions: 8,
  steps: 2,
  windows: 28,
  /** Of `minReadings`. */
  readings: 1_000,
  bufferM: 10_000,
} as const

const FIELDS = {
  threshold: ['conditions', 'match', 'steps', 'forSeconds', 'keepFiringSeconds', 'maxGapSeconds', 'gap', 'within'],
  silence: ['channel', 'forSeconds'],
  change: ['channel', 'withinSeconds', 'by', 'direction'],
  zone: ['layerId', 'when', 'dwellSeconds', 'minReadings', 'minSeconds', 'bufferM'],
} as const satisfies Record<RuleKind, readonly (keyof KindFields)[]>
const REQUIRED = {
  threshold: ['conditions'],
  silence: [],
  change: ['channel', 'withinSeconds', 'by', 'direction'],
  zone: ['layerId', 'when'],
} as const satisfies Record<RuleKind, readonly (keyof KindFields)[]>
const KIND_FIELDS = new Set(Object.values(FIELDS).flat())

/** Fields of all kinds. */
export type KindFields = RuleDefinition & { layerId?: string | null; when?: ZoneEventKind | null }

type Condition = NonNullable<RuleDefinition['conditions']>[number]
type Comparable = Pick<Condition, 'op' | 'clearValue'> & { value: number }
/** @param field below `where` */
type Report = (field: string, rule: string, text: FieldText) => void

/** @param where the path of the rule @param sent fields of any kind */
export function foreignFields(where: string, kind: RuleKind, sent: object): FieldError[] {
  const foreign = Object.keys(sent).filter(
    (field) => KIND_FIELDS.has(field as keyof KindFields) && !(FIELDS[kind] as readonly string[]).includes(field),
  )
  return foreign.map((field) => {
    const kinds = (Object.keys(FIELDS) as RuleKind[]).filter((one) =>
      (FIELDS[one] as readonly string[]).includes(field),
    )
    return fieldError(`${where}.${field}`, 'forbidden', fieldText('ofRuleKinds', { kinds: kinds.join(', ') }))
  })
}

/** @param fields with their defaults, of `kind` alone */
export function fieldFaults(
  where: string,
  { kind, severity, schedule }: { kind: RuleKind; severity: Severity; schedule: RuleSchedule | null },
  fields: KindFields,
): FieldError[] {
  const faults: FieldError[] = []
  const report: Report = (field, rule, text) => faults.push(fieldError(`${where}.${field}`, rule, text))
  for (const field of REQUIRED[kind]) if (fields[field] == null) report(field, 'required', fieldText('required'))
  if (kind === 'silence' && fields.forSeconds === 0) report('forSeconds', 'minimum', fieldText('atLeast', { least: 1 }))
  if (kind === 'zone') checkDwell(fields, report)
  for (const [i, condition] of (fields.conditions ?? []).entries()) checkClear(condition, `conditions.${i}`, report)
  if (faults.length === 0) checkSteps(severity, fields, report)
  if (schedule !== null) checkSchedule(schedule, report)
  return faults
}

function checkDwell({ when, dwellSeconds }: KindFields, report: Report): void {
  if (when === 'dwell' && dwellSeconds == null)
    report('dwellSeconds', 'required', fieldText('requiredWhen', { field: 'when', value: 'dwell' }))
  if (when !== 'dwell' && dwellSeconds != null)
    report('dwellSeconds', 'forbidden', fieldText('allowedWhen', { field: 'when', value: 'dwell' }))
}

const ORDERED = '>, >=, <, <='
const isOrdered = ({ op }: Pick<Condition, 'op'>): boolean => op !== '=' && op !== '!='
const isUpward = ({ op }: Pick<Condition, 'op'>): boolean => op === '>' || op === '>='

function checkClear({ value, clearValue, ...condition }: Condition, field: string, report: Report): void {
  if (clearValue === undefined) return
  const at = `${field}.clearValue`
  if (!isOrdered(condition)) report(at, 'forbidden', fieldText('allowedWhen', { field: `${field}.op`, value: ORDERED }))
  else if (isUpward(condition) && clearValue > Number(value))
    report(at, 'clearValue', fieldText('atMost', { most: Number(value) }))
  else if (!isUpward(condition) && clearValue < Number(value))
    report(at, 'clearValue', fieldText('atLeast', { least: Number(value) }))
}

/** A step is worse than the one before, has a farther value, and does not clear before the rule does. */
function checkSteps(severity: Severity, { conditions = [], steps = [] }: KindFields, report: Report): void {
  const [condition, second] = conditions
  if (steps.length === 0 || condition === undefined) return
  if (second !== undefined) report('steps', 'forbidden', fieldText('oneCondition'))
  else if (!isOrdered(condition))
    report('steps', 'forbidden', fieldText('allowedWhen', { field: 'conditions.0.op', value: ORDERED }))
  else checkStepsOf(condition, severity, steps, report)
}

function checkStepsOf(
  condition: Condition,
  severity: Severity,
  steps: NonNullable<RuleDefinition['steps']>,
  report: Report,
): void {
  let before: Comparable & { severity: Severity } = { ...condition, value: Number(condition.value), severity }
  const { clearValue: end = before.value } = before
  for (const [i, step] of steps.entries()) {
    const worse = SEVERITIES.slice(SEVERITIES.indexOf(before.severity) + 1)
    if (!worse.includes(step.severity))
      report(
        `steps.${i}.severity`,
        'worse',
        worse.length === 0
          ? fieldText('noneWorse', { severity: before.severity })
          : fieldText('worse', { severity: before.severity, values: worse.join(', ') }),
      )
    const isUp = isUpward(condition)
    if (isUp ? step.value <= before.value : step.value >= before.value)
      report(
        `steps.${i}.value`,
        'farther',
        isUp ? fieldText('moreThan', { limit: before.value }) : fieldText('lessThan', { limit: before.value }),
      )
    const [least, most] = isUp ? [end, step.value] : [step.value, end]
    if (step.clearValue !== undefined && (step.clearValue < least || step.clearValue > most))
      report(`steps.${i}.clearValue`, 'clearValue', fieldText('between', { least, most }))
    before = { ...before, ...step }
  }
}

function checkSchedule({ tz, weekly }: RuleSchedule, report: Report): void {
  if (!isTimeZone(tz)) report('schedule.tz', 'timeZone', fieldText('timeZone'))
  for (const [i, { from, to }] of weekly.entries())
    if (from === to) report(`schedule.weekly.${i}.to`, 'differs', fieldText('differsFrom', { field: 'from' }))
}

/** Names of the channels of a rule, each with its field. */
export function channelsOf({ conditions = [], channel }: RuleDefinition): { field: string; channel: string }[] {
  const named = conditions.map((condition, i) => ({ field: `conditions.${i}.channel`, channel: condition.channel }))
  return channel == null ? named : [...named, { field: 'channel', channel }]
}

/**
 * Checks what a rule says about its channels.
 * @param domains of the channels of the targeted sensors, by name; undefined while no sensor is targeted
 * @param known names for the text of the fault
 */
export function channelFaults(
  where: string,
  definition: RuleDefinition,
  domains: ReadonlyMap<string, Domain> | undefined,
  known: readonly string[],
): FieldError[] {
  const faults: FieldError[] = []
  const report: Report = (field, rule, text) => faults.push(fieldError(`${where}.${field}`, rule, text))
  if (domains !== undefined)
    for (const { field, channel } of channelsOf(definition))
      if (!domains.has(channel))
        report(
          field,
          'exists',
          known.length === 0
            ? fieldText('channelOfTargets')
            : fieldText('channelOfTargetsWith', { channels: known.join(', ') }),
        )
  const { conditions = [], match, channel, by } = definition
  // only changes have `by`
  if (by !== undefined && channel != null && domains?.get(channel) === 'boolean')
    report('channel', 'measurement', fieldText('notYesNo'))
  for (const [i, condition] of conditions.entries())
    checkYesNo(condition, domains?.get(condition.channel), `conditions.${i}`, report)
  if (faults.length > 0 || match !== 'all') return faults
  for (const [name, own] of Map.groupBy(conditions, (condition) => condition.channel)) {
    const comparisons = own.map(({ op, value }) => ({ op, value: Number(value) }))
    if (!isSatisfiable(comparisons, domains?.get(name) ?? 'number'))
      report('conditions', 'contradiction', fieldText('contradiction', { channel: name }))
  }
  return faults
}

function checkYesNo({ value, ...condition }: Condition, domain: Domain | undefined, field: string, report: Report) {
  const isYesNo = domain === 'boolean' || typeof value === 'boolean'
  if (!isYesNo) return
  if (domain !== undefined && domain !== 'boolean')
    report(`${field}.value`, 'number', fieldText('mustBe', { kind: fieldText('number') }))
  else if (value !== true && value !== false && value !== 0 && value !== 1)
    report(`${field}.value`, 'boolean', fieldText('mustBe', { kind: fieldText('trueOrFalse') }))
  else if (isOrdered(condition)) report(`${field}.op`, 'enum', fieldText('yesNoOperator'))
}
