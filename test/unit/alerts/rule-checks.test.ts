/** Checks of a rule's fields: which values are refused, and how the fault is named. */
import { describe, expect, test } from 'bun:test'
import { channelFaults, fieldFaults, foreignFields, type KindFields } from '../../../src/alerts/rule-checks.ts'
import type { Domain } from '../../../src/alerts/satisfiable.ts'
import type { FieldError } from '../../../src/errors.ts'
import type { RuleKind, RuleSchedule, Severity } from '../../../src/stores/postgres/alerts/rule-schema.ts'

const named = (faults: FieldError[]): string[] => faults.map(({ field, rule }) => `${field} ${rule}`)
const faultsOf = (
  kind: RuleKind,
  fields: KindFields,
  { severity = 'warning', schedule = null }: { severity?: Severity; schedule?: RuleSchedule | null } = {},
): string[] => named(fieldFaults('body', { kind, severity, schedule }, fields))
type Condition = NonNullable<KindFields['conditions']>[number]
const above = (value: number, more: Partial<Condition> = {}): Condition => ({ channel: 'a', op: '>', value, ...more })

test('a field of another kind is refused with the kinds that have it', () => {
  expect(named(foreignFields('body', 'silence', { channel: 'a', forSeconds: 1, name: 'x' }))).toEqual([])
  const faults = foreignFields('body', 'zone', { layerId: 'lay', forSeconds: 5, by: 1 })
  expect(named(faults)).toEqual(['body.forSeconds forbidden', 'body.by forbidden'])
  expect(faults[0]?.message).toBe('is allowed only for rules of kind threshold, silence')
})

test('each kind requires its fields', () => {
  expect(faultsOf('threshold', {})).toEqual(['body.conditions required'])
  expect(faultsOf('silence', {})).toEqual([])
  expect(faultsOf('change', { channel: null })).toEqual([
    'body.channel required',
    'body.withinSeconds required',
    'body.by required',
    'body.direction required',
  ])
  expect(faultsOf('zone', {})).toEqual(['body.layerId required', 'body.when required'])
  expect(faultsOf('silence', { forSeconds: 0 })).toEqual(['body.forSeconds minimum'])
})

test('the time of a dwell is required for a dwell, and refused otherwise', () => {
  const zone = { layerId: 'lay', when: 'dwell' } as const
  expect(faultsOf('zone', zone)).toEqual(['body.dwellSeconds required'])
  expect(faultsOf('zone', { ...zone, dwellSeconds: 60 })).toEqual([])
  expect(faultsOf('zone', { ...zone, when: 'inside', dwellSeconds: 60 })).toEqual(['body.dwellSeconds forbidden'])
})

test.each<[Condition['op'], clearValue: number, isAllowed: boolean]>([
  ['>', 29, true],
  ['>', 30, true],
  ['>', 31, false],
  ['>=', 31, false],
  ['<', 31, true],
  ['<', 30, true],
  ['<', 29, false],
  ['<=', 29, false],
  ['=', 30, false],
  ['!=', 30, false],
])('the clear value of a 30 with %s may be %p: %p', (op, clearValue, isAllowed) => {
  const conditions = [above(1), above(30, { op, clearValue })]
  expect(faultsOf('threshold', { conditions }).map((fault) => fault.split(' ')[0])).toEqual(
    isAllowed ? [] : ['body.conditions.1.clearValue'],
  )
})

describe('steps', () => {
  const steps = (
    given: KindFields['steps'] & object,
    { severity = 'info', conditions = [above(70)] }: { severity?: Severity; conditions?: Condition[] } = {},
  ) => faultsOf('threshold', { conditions, steps: given }, { severity })

  test('are worse and farther, one after the other', () => {
    const two = [
      { severity: 'warning', value: 80 },
      { severity: 'critical', value: 90 },
    ] as const
    expect(steps([...two])).toEqual([])
    expect(steps([...two].reverse())).toEqual(['body.steps.1.severity worse', 'body.steps.1.value farther'])
    expect(steps([...two], { severity: 'warning' })).toEqual(['body.steps.0.severity worse'])
    expect(steps([two[1]], { severity: 'critical' })).toEqual(['body.steps.0.severity worse'])
    expect(steps([{ severity: 'warning', value: 70 }])).toEqual(['body.steps.0.value farther'])
    const below = { conditions: [above(10, { op: '<=' })] }
    expect(steps([{ severity: 'warning', value: 5 }], below)).toEqual([])
    expect(steps([{ severity: 'warning', value: 15 }], below)).toEqual(['body.steps.0.value farther'])
  })

  test('are for one condition with an order', () => {
    const one = [{ severity: 'warning', value: 80 }] as const
    expect(steps([...one], { conditions: [above(1), above(2)] })).toEqual(['body.steps forbidden'])
    expect(steps([...one], { conditions: [above(1, { op: '=' })] })).toEqual(['body.steps forbidden'])
  })

  test.each([
    [64, false],
    [65, true],
    [80, true],
    [81, false],
  ])('clear at %p: %p, between the clear value of the rule and their own value', (clearValue, isAllowed) => {
    const conditions = [above(70, { clearValue: 65 })]
    const faults = steps([{ severity: 'warning', value: 80, clearValue }], { conditions })
    expect(faults).toEqual(isAllowed ? [] : ['body.steps.0.clearValue clearValue'])
    const mirrored = [above(-70, { op: '<', clearValue: -65 })]
    const others = steps([{ severity: 'warning', value: -80, clearValue: -clearValue }], { conditions: mirrored })
    expect(others).toEqual(faults)
  })
})

test('a schedule has a time zone of IANA, and windows with a length', () => {
  const schedule = (tz: string, from = '08:00', to = '18:00') =>
    faultsOf('silence', {}, { schedule: { tz, weekly: [{ days: ['mon'], from, to }] } })
  expect(schedule('Asia/Riyadh')).toEqual([])
  expect(schedule('Asia/Riyadh', '22:00', '06:00')).toEqual([])
  expect(schedule('Asia/Riyadh', '00:00', '24:00')).toEqual([])
  expect(schedule('Asia/Riyadh', '08:00', '08:00')).toEqual(['body.schedule.weekly.0.to differs'])
  for (const tz of ['Mars/Olympus', '+03:00', ' UTC']) expect(schedule(tz)).toEqual(['body.schedule.tz timeZone'])
})

describe('channels', () => {
  const domains = (given: Record<string, Domain>): Map<string, Domain> => new Map(Object.entries(given))
  const faults = (conditions: Condition[], given?: Map<string, Domain>, match: 'all' | 'any' = 'all') =>
    named(channelFaults('body', { conditions, match }, given, []))

  test('must be known, unless no sensor is targeted', () => {
    const found = channelFaults('body', { conditions: [above(1)] }, domains({}), ['b', 'c'])
    expect(named(found)).toEqual(['body.conditions.0.channel exists'])
    expect(found[0]?.message).toContain('b, c')
    expect(faults([above(1)])).toEqual([])
    expect(named(channelFaults('body', { channel: 'x' }, domains({}), []))).toEqual(['body.channel exists'])
  })

  test('of yes and no take = and != with true and false', () => {
    const yesNo = domains({ a: 'boolean' })
    for (const value of [true, false, 0, 1]) expect(faults([above(0, { op: '=', value })], yesNo)).toEqual([])
    expect(faults([above(0, { op: '!=', value: true })], yesNo)).toEqual([])
    expect(faults([above(1)], yesNo)).toEqual(['body.conditions.0.op enum'])
    expect(faults([above(0, { op: '=', value: 2 })], yesNo)).toEqual(['body.conditions.0.value boolean'])
    expect(faults([above(0, { op: '=', value: true })], domains({ a: 'number' }))).toEqual([
      'body.conditions.0.value number',
    ])
    expect(faults([above(0, { value: true })])).toEqual(['body.conditions.0.op enum'])
    const change = { channel: 'a', withinSeconds: 1, by: 1, direction: 'up' } as const
    expect(named(channelFaults('body', change, yesNo, []))).toEqual(['body.channel measurement'])
  })

  test('with conditions that contradict each other are refused, also among others', () => {
    const contradicting = [above(5), above(9, { channel: 'b' }), above(3, { op: '<' })]
    expect(faults(contradicting)).toEqual(['body.conditions contradiction'])
    expect(faults(contradicting, undefined, 'any')).toEqual([])
    expect(faults([above(5), above(3, { op: '<', channel: 'b' })])).toEqual([])
  })
})
