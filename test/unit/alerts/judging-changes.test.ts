/**
 * What happens between segments: the clock, and changes of rules, of sensors and of what they are.
 *
 * More than 400 lines, since all tests use one process and its small language of readings and findings.
 */
import { describe, expect, test } from 'bun:test'
import { JudgingState } from '../../../src/alerts/judging/judging-state.ts'
import type { WatchedRule, WatchedSensor } from '../../../src/alerts/protocol.ts'
import type { AlertRule } from '../../../src/alerts/rule.ts'
import { segmentOf } from '../../support/alerts/segments.ts'

const s = (seconds: number): number => seconds * 1_000
/** When the rules were made. */
const BEGIN = s(1_095)

const hot: AlertRule = {
  kind: 'threshold',
  conditions: [{ channel: 't', op: '>', value: 30 }],
  match: 'all',
  steps: [{ severity: 'critical', value: 50 }],
  forMs: 0,
  keepFiringMs: 0,
  maxGapMs: s(600),
  gap: 'reset',
  within: undefined,
  severity: 'warning',
}
const silent: AlertRule = { kind: 'silence', channel: undefined, forMs: s(60), severity: 'warning' }
const watched = (rule: AlertRule, changed: Partial<WatchedRule> = {}): WatchedRule =>
  ({ id: 'rule', enterprise: 1, sinceMs: BEGIN, layer: undefined, bufferM: 0, ...rule, ...changed }) as WatchedRule
const sensor = (changed: Partial<WatchedSensor> = {}): WatchedSensor => ({
  number: 1,
  enterprise: 1,
  channels: { t: 7 },
  rules: ['rule'],
  quietSinceMs: null,
  activeSinceMs: null,
  usualMs: 0,
  ...changed,
})

/** A process, and what it found, in the order in which it did. Times are in seconds. */
function start(rules: WatchedRule[], sensors: WatchedSensor[] = [sensor()], snapshot?: Buffer[]) {
  const found: string[] = []
  const state = new JudgingState('one', Number.NEGATIVE_INFINITY)
  const seconds = (ms: number): string => `${ms / 1_000}`
  state.reportTo({
    change(_, number, change) {
      const of = `${number} ${seconds(change.startedMs)}`
      if (change.type === 'firing')
        found.push(`${of} fires ${seconds(change.firedMs)} ${change.severity}${change.late ? ' late' : ''}`)
      else if (change.type === 'severity') found.push(`${of} ${change.previousSeverity} to ${change.severity}`)
      else found.push(`${of} ends ${seconds(change.resolvedMs)}`)
    },
    crossing: () => expect.unreachable('there is no zone'),
  })
  let version = 0
  let sequence = 0
  const setRules = (list: WatchedRule[], at = BEGIN): void => state.setRules(list, ++version, at)
  const setSensors = (list: WatchedSensor[], at = BEGIN, isComplete = false): void =>
    state.setSensors(list, isComplete, ++version, at)
  setRules(rules)
  if (snapshot !== undefined) state.load(snapshot)
  setSensors(sensors, BEGIN, true)
  return {
    state,
    setRules,
    setSensors,
    /** A call with one reading for each time; its values are of channel 7. */
    send(receivedS: number, points: Record<number, number>, number = 1, channel = 7) {
      const readings = Object.entries(points).map(([at, value]) => ({
        atMs: s(Number(at)),
        values: new Map([[channel, value]]),
        location: undefined,
      }))
      const bytes = segmentOf([{ sensor: number, receivedMs: s(receivedS), readings }])
      return state.judge([{ sequence: sequence++, bytes }], s(receivedS))
    },
    /** A call without segments. */
    tick(at: number): void {
      state.judge([], s(at))
      state.tick(s(at))
    },
    snapshot: () => Array.from(state.save(), (section) => Buffer.from(section)),
    /** What was found since the last call. */
    found: () => found.splice(0),
  }
}

describe('silence', () => {
  test('fires by the clock of the server when nothing newer came in, and ends with the next reading', () => {
    const { send, tick, found } = start([watched(silent)])
    send(1_100, { 1090: 1 })
    tick(1_160)
    expect(found()).toEqual([])
    tick(1_161)
    tick(1_162)
    expect(found()).toEqual(['1 1090 fires 1150 warning'])
    send(1_300, { 1290: 1 })
    tick(1_301)
    expect(found()).toEqual(['1 1090 ends 1290'])
  })

  test('a gap that only the next reading shows is late', () => {
    const { send, found } = start([watched(silent)])
    send(1_100, { 1000: 1, 1061: 1, 1100: 1 })
    expect(found()).toEqual(['1 1000 fires 1060 warning late', '1 1000 ends 1061'])
  })

  test('ends no earlier than it fired, though the reading was made in time', () => {
    const { send, tick, found } = start([watched(silent)])
    send(1_100, { 1100: 1 })
    tick(1_161)
    send(1_170, { 1130: 1 })
    expect(found()).toEqual(['1 1100 fires 1160 warning', '1 1100 ends 1160'])
  })

  test('counts from the creation of a rule when the sensor was silent before', () => {
    const { tick, found } = start([watched(silent)])
    tick(1_156)
    expect(found()).toEqual(['1 1095 fires 1155 warning'])
  })

  test('counts from the time at which a sensor joins a rule', () => {
    const { setSensors, tick, found } = start([watched(silent)], [])
    tick(2_000)
    setSensors([sensor()], s(2_000))
    setSensors([sensor({ number: 2, activeSinceMs: s(2_010) })], s(2_005))
    tick(2_061)
    expect(found()).toEqual(['1 2000 fires 2060 warning'])
    tick(2_071)
    expect(found()).toEqual(['2 2010 fires 2070 warning'])
  })

  test('a sensor that was off long ago joins an older rule without a silence', () => {
    const { setSensors, tick, send, found } = start([watched(silent)], [])
    tick(2_000)
    setSensors([sensor({ activeSinceMs: s(1_500) })], s(2_000))
    tick(2_001)
    expect(found()).toEqual([])
    send(2_030, { 2030: 1 })
    tick(2_091)
    expect(found()).toEqual(['1 2030 fires 2090 warning'])
  })

  test('time without a server does not count, by either clock', () => {
    const { state, send, tick, found } = start([watched(silent)])
    send(1_100, { 1100: 1 })
    state.downtimes = [[s(1_110), s(1_200)]]
    tick(1_250)
    send(1_250, { 1249: 1 })
    expect(found()).toEqual([])
    tick(1_311)
    expect(found()).toEqual(['1 1249 fires 1309 warning'])
  })

  test('none while the readings of the day are spent; all sensors count again afterwards', () => {
    const { state, send, tick, found } = start([watched(silent)])
    send(1_100, { 1100: 1 })
    state.spentDays = [
      { enterprise: 9, untilMs: [s(9_000)] },
      { enterprise: 1, untilMs: [s(500), s(1_500)] },
    ]
    tick(1_499)
    tick(1_560)
    expect(found()).toEqual([])
    tick(1_561)
    expect(found()).toEqual(['1 1500 fires 1560 warning'])
  })

  test('what only the next reading shows counts from the end of the spent day as well', () => {
    const { state, send, found } = start([watched(silent)])
    send(1_100, { 1100: 1 })
    state.spentDays = [{ enterprise: 1, untilMs: [s(1_500)] }]
    send(1_555, { 1555: 1 })
    expect(found()).toEqual([])
    state.spentDays = [{ enterprise: 1, untilMs: [s(1_500), s(1_700)] }]
    send(1_800, { 1800: 1 })
    expect(found()).toEqual(['1 1700 fires 1760 warning late', '1 1700 ends 1800'])
  })

  test('a silence that fires before the day is spent lasts until the next reading', () => {
    const { state, send, tick, found } = start([watched(silent)])
    send(1_100, { 1100: 1 })
    tick(1_161)
    state.spentDays = [{ enterprise: 1, untilMs: [s(1_500)] }]
    tick(1_600)
    send(1_650, { 1650: 1 })
    expect(found()).toEqual(['1 1100 fires 1160 warning', '1 1100 ends 1650'])
  })

  test('none while the sensor is quiet; it counts again afterwards', () => {
    const { setSensors, tick, send, found } = start([watched(silent)])
    send(1_100, { 1100: 1 })
    setSensors([sensor({ quietSinceMs: s(1_110) })], s(1_110))
    tick(1_500)
    expect(found()).toEqual([])
    setSensors([sensor({ activeSinceMs: s(1_500) })], s(1_501))
    tick(1_560)
    expect(found()).toEqual([])
    tick(1_561)
    expect(found()).toEqual(['1 1500 fires 1560 warning'])
  })

  test('a sensor that never sent anything is not silent, also after it was off, and counts from its first reading', () => {
    const unheard = sensor({ usualMs: null })
    const { state, setSensors, setRules, tick, send, found, snapshot } = start([watched(silent)], [unheard])
    tick(1_500)
    state.spentDays = [{ enterprise: 1, untilMs: [s(1_510)] }]
    setSensors([sensor({ usualMs: null, quietSinceMs: s(1_520) })], s(1_520))
    setSensors([sensor({ usualMs: null, activeSinceMs: s(1_530) })], s(1_530))
    tick(1_600)
    const again = start([watched(silent)], [unheard], snapshot())
    again.tick(1_700)
    expect(again.found()).toEqual([])
    send(1_700, { 1700: 1 })
    expect(found()).toEqual([])
    // the rule starts again before the sensor is read again
    setRules([watched(silent, { sinceMs: s(1_710) })], s(1_710))
    tick(1_771)
    expect(found()).toEqual(['1 1710 fires 1770 warning'])
  })

  test('the default of a new rule is ten times the interval that the sensor had before, until two calls show it', () => {
    const rule = watched(silent, { forMs: undefined } as Partial<WatchedRule>)
    const { send, tick, found } = start([rule], [sensor({ usualMs: s(3_600) })])
    tick(37_000)
    expect(found()).toEqual([])
    send(37_050, { 37050: 1 })
    tick(37_050 + 36_000)
    expect(found()).toEqual([])
    tick(37_051 + 36_000)
    expect(found()).toEqual(['1 37050 fires 73050 warning'])
    send(80_000, { 80000: 1 })
    send(80_010, { 80010: 1 })
    found()
    for (let at = 80_020; at < 80_100; at += 10) send(at, { [at]: 1 })
    tick(80_191)
    expect(found()).toEqual(['1 80090 fires 80190 warning'])
  })

  test('a new sensor is no longer quiet when it sends', () => {
    const { tick, send, found } = start([watched(silent)], [sensor({ quietSinceMs: s(1_000) })])
    tick(1_500)
    send(1_600, { 1600: 1 })
    expect(found()).toEqual([])
    tick(1_661)
    expect(found()).toEqual(['1 1600 fires 1660 warning'])
  })

  test('the default is ten times the interval between calls, by the newest reading of each', () => {
    const { tick, send, found } = start([watched(silent, { forMs: undefined } as Partial<WatchedRule>)])
    for (const at of [1_100, 1_110, 1_120, 1_130]) send(at, { [at - 4]: 1, [at - 2]: 1, [at]: 1 })
    tick(1_230)
    expect(found()).toEqual([])
    tick(1_231)
    expect(found()).toEqual(['1 1130 fires 1230 warning'])
  })

  test('a new process finds what the clock had shown, from the segments alone', () => {
    const one = start([watched(silent)])
    const snapshot = one.snapshot()
    one.send(1_100, { 1100: 1 })
    one.tick(1_161)
    one.send(1_170, { 1130: 1 })
    const again = start([watched(silent)], [sensor()], snapshot)
    again.send(1_100, { 1100: 1 })
    again.send(1_170, { 1130: 1 })
    expect(one.found()).toEqual(['1 1100 fires 1160 warning', '1 1100 ends 1160'])
    expect(again.found()).toEqual(['1 1100 fires 1160 warning late', '1 1100 ends 1160'])
  })

  test('waits for its schedule', () => {
    // 02:00 on Thursday, 1 January 1970
    const schedule = { tz: 'UTC', weekly: [{ days: ['thu'] as const, from: '02:00', to: '03:00' }] }
    const { tick, send, found } = start([watched({ ...silent, schedule })])
    send(1_100, { 1100: 1 })
    tick(7_200)
    expect(found()).toEqual([])
    tick(7_201)
    expect(found()).toEqual(['1 1100 fires 7200 warning'])
  })
})

describe('rules', () => {
  test('another meaning starts again, with readings that came in from then on', () => {
    const { setRules, send, found } = start([watched(hot)])
    send(1_100, { 1100: 40 })
    setRules([watched(hot, { sinceMs: s(1_110) })])
    send(1_109, { 1105: 41 })
    expect(found()).toEqual(['1 1100 fires 1100 warning'])
    send(1_120, { 1101: 42 })
    expect(found()).toEqual(['1 1101 fires 1101 warning'])
  })

  test('a new severity holds from the next alert on', () => {
    const { setRules, send, found } = start([watched(hot)])
    send(1_100, { 1100: 40 })
    setRules([watched(hot, { severity: 'info' })])
    send(1_110, { 1110: 60, 1111: 40, 1112: 0, 1113: 40 })
    expect(found()).toEqual([
      '1 1100 fires 1100 warning',
      '1 1100 warning to critical',
      '1 1100 critical to warning',
      '1 1100 ends 1112',
      '1 1113 fires 1113 info',
    ])
  })

  test('a deleted rule leaves others as they are', () => {
    const other = watched(hot, { id: 'other' })
    const both = sensor({ rules: ['other', 'rule'] })
    const { setRules, setSensors, send, found } = start([watched(hot), other], [both])
    send(1_100, { 1100: 40 })
    expect(found()).toHaveLength(2)
    setRules([watched(hot)])
    setSensors([sensor()])
    send(1_110, { 1110: 0 })
    expect(found()).toEqual(['1 1100 ends 1110'])
  })

  test('a rule may come before or after its sensors', () => {
    const { setRules, setSensors, send, found } = start([])
    setRules([watched(hot)])
    send(1_100, { 1100: 40 })
    setRules([watched(hot), watched(hot, { id: 'other' })])
    setSensors([sensor({ number: 2, rules: ['other'] })])
    send(1_110, { 1110: 40 }, 2)
    expect(found()).toEqual(['1 1100 fires 1100 warning', '2 1110 fires 1110 warning'])
  })
})

describe('sensors', () => {
  test('one that leaves and comes back starts again', () => {
    const { setSensors, send, found } = start([watched(hot)])
    send(1_100, { 1100: 40 })
    setSensors([sensor({ rules: [] })])
    send(1_110, { 1110: 0 })
    setSensors([sensor()])
    send(1_120, { 1120: 40 })
    expect(found()).toEqual(['1 1100 fires 1100 warning', '1 1120 fires 1120 warning'])
  })

  test('a complete list leaves out those that are no longer watched', () => {
    const { setSensors, send, found } = start([watched(hot)], [sensor(), sensor({ number: 2 })])
    setSensors([sensor({ number: 2 })], BEGIN, true)
    send(1_100, { 1100: 40 }, 1)
    send(1_100, { 1100: 40 }, 2)
    expect(found()).toEqual(['2 1100 fires 1100 warning'])
  })

  test('a channel that is removed and made again starts again', () => {
    const { setSensors, send, found } = start([watched(hot)], [sensor({ channels: {} })])
    setSensors([sensor()])
    send(1_100, { 1100: 40 })
    setSensors([sensor({ channels: { t: 8 } })])
    send(1_110, { 1110: 40 }, 1, 8)
    expect(found()).toEqual(['1 1100 fires 1100 warning', '1 1110 fires 1110 warning'])
  })

  test('one that was switched off starts again, also when earlier segments are judged again', () => {
    const one = start([watched(hot)])
    const snapshot = one.snapshot()
    one.send(1_100, { 1100: 40 })
    const active = sensor({ activeSinceMs: s(1_200) })
    one.setSensors([active])
    one.send(1_210, { 1210: 40 })
    const later = one.snapshot()
    one.send(1_220, { 1220: 0 })
    const expected = ['1 1100 fires 1100 warning', '1 1210 fires 1210 warning', '1 1210 ends 1220']
    expect(one.found()).toEqual(expected)
    const again = start([watched(hot)], [active], snapshot)
    again.send(1_100, { 1100: 40 })
    again.send(1_210, { 1210: 40 })
    again.send(1_220, { 1220: 0 })
    expect(again.found()).toEqual(expected)
    const end = start([watched(hot)], [active], later)
    end.send(1_220, { 1220: 0 })
    expect(end.found()).toEqual([])
  })
})

test('states are unknown before the first reading, and begin at the onset', () => {
  const rule = watched(hot, { forMs: s(10) } as Partial<WatchedRule>)
  const { state, send } = start([rule])
  const now = () => state.stateOf('rule', 1)
  expect(now()?.state).toBe('unknown')
  send(1_100, { 1100: 0, 1101: 0 })
  expect(now()).toEqual({ state: 'ok', sinceMs: s(1_100) })
  send(1_102, { 1102: 40, 1103: 40 })
  expect(now()).toEqual({ state: 'pending', sinceMs: s(1_102) })
  send(1_112, { 1112: 40 })
  expect(now()).toEqual({ state: 'firing', sinceMs: s(1_102) })
  send(1_113, { 1113: 0 })
  expect(now()).toEqual({ state: 'ok', sinceMs: s(1_113) })
  expect(state.stateOf('rule', 2)).toBeUndefined()
  expect(state.stateOf('other', 1)).toBeUndefined()
})

test('states are unknown while a sensor is off, and until it sends again', () => {
  const both = { rules: ['rule', 'silent'] }
  const { state, setSensors, send, tick } = start([watched(hot), watched(silent, { id: 'silent' })], [sensor(both)])
  const now = () => ['rule', 'silent'].map((rule) => state.stateOf(rule, 1)?.state)
  send(1_100, { 1100: 40 })
  tick(1_161)
  expect(now()).toEqual(['firing', 'firing'])
  setSensors([sensor({ ...both, quietSinceMs: s(1_200) })], s(1_200))
  expect(now()).toEqual(['unknown', 'unknown'])
  setSensors([sensor({ ...both, activeSinceMs: s(1_210) })], s(1_210))
  expect(now()).toEqual(['unknown', 'unknown'])
  send(1_220, { 1220: 40 })
  expect(now()).toEqual(['firing', 'ok'])
})

test('late readings are reported with the time that they span', () => {
  const { send } = start([watched(hot), watched(silent, { id: 'silent' })], [sensor({ rules: ['rule', 'silent'] })])
  expect(send(1_100, { 1100: 1 })).toEqual([])
  expect(send(1_101, { 1050: 1, 1060: 1, 1101: 1 })).toEqual([
    { sensor: 1, rules: ['rule', 'silent'], firstMs: s(1_050), lastMs: s(1_060) },
  ])
})

describe('a rule whose judging throws', () => {
  const within = watched({ ...hot, within: 'inside' } as AlertRule, { id: 'within', layer: 'lay_1' })
  const both = sensor({ rules: ['rule', 'within'] })
  const broken = (error: Error) => () => ({
    around: () => {
      throw error
    },
    idOf: () => 'none',
  })
  const located = (sequence: number, atS: number, value: number) => ({
    sequence,
    bytes: segmentOf([
      {
        sensor: 1,
        receivedMs: s(atS),
        readings: [{ atMs: s(atS), values: new Map([[7, value]]), location: [3, 4] as const }],
      },
    ]),
  })

  test('is given up, also after a restart, and other rules are judged', () => {
    const one = start([watched(hot), within], [both])
    one.state.setPlaces(broken(new TypeError('no such place')))
    one.state.judge([located(1, 1_100, 40), located(2, 1_101, 20)], BEGIN)
    expect(one.found()).toEqual(['1 1100 fires 1100 warning', '1 1100 ends 1101'])
    expect(one.state.givenUp()).toEqual([{ rule: 'within', why: 'no such place' }])
    expect(one.state.again('within', 1)).toBeUndefined()

    const two = start([watched(hot), within], [both], one.snapshot())
    const whole = { around: () => ({ inside: [1], near: [] }), idOf: () => 'none' }
    two.state.setPlaces(() => whole)
    two.state.judge([located(3, 1_102, 40)], BEGIN)
    expect(two.found()).toEqual(['1 1102 fires 1102 warning'])
    expect(two.state.givenUp()).toEqual(one.state.givenUp())
    // another sensor begins with the same shape, and this one goes
    two.setSensors([{ ...both, number: 2 }, sensor({ rules: [] })])
    expect(two.state.givenUp().length).toBe(1)

    two.setSensors([both])
    two.setRules([watched(hot), { ...within, sinceMs: BEGIN + 1 }])
    expect(two.state.givenUp()).toEqual([])
    two.state.setPlaces(() => whole)
    two.state.judge([located(4, 1_103, 40)], BEGIN)
    expect(two.found()).toContain('1 1103 fires 1103 warning')
  })

  test('fails the call when memory or a file is the reason', () => {
    for (const error of [new RangeError('out of memory'), Object.assign(new Error('full'), { code: 'ENOSPC' })]) {
      const one = start([watched(hot), within], [both])
      one.state.setPlaces(broken(error))
      expect(() => one.state.judge([located(1, 1_100, 40)], BEGIN)).toThrow(error.message)
      expect(one.state.givenUp()).toEqual([])
    }
  })
})
