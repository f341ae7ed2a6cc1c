/**
 * The slow reference for alert rules against examples that were worked out by hand from the text of the design:
 * threshold rules.
 */
import { describe, expect, test } from 'bun:test'
import {
  places,
  position,
  readings,
  s,
  series,
  type Threshold,
  threshold,
  times,
} from '../../support/alerts/examples.ts'
import { episodesOf, type RefReading, type RefRule } from '../../support/alerts/reference.ts'

describe('partial readings', () => {
  const both = threshold({
    conditions: [
      { channel: 'a', op: '>', value: 10 },
      { channel: 'b', op: '<', value: 5 },
    ],
  })

  test('a reading without a named channel does not count, also for gaps', () => {
    // the step of `t` from 0 to 150 is a gap, although `other` arrived at 75
    const list = readings([0, { t: 31 }], [75, { other: 1 }], [150, { t: 31 }], [200, { t: 31 }])
    expect(times(threshold({ forMs: s(50) }), list)).toEqual([[150, 200, null]])
    // a reading of `other` alone neither fires nor resolves
    expect(times(threshold(), readings([0, { other: 99 }], [10, { t: 31 }], [20, { other: 0 }]))).toEqual([
      [10, 10, null],
    ])
  })

  test('channels may arrive apart', () => {
    const list = readings([0, { a: 11 }], [40, { b: 4 }], [80, { a: 9 }])
    expect(times(both, list)).toEqual([[40, 40, 80]])
  })

  test('a value older than the maximum gap is unknown and does not hold', () => {
    // at 100 `a` is exactly 100 s old and known, at 101 it is older
    expect(times(both, readings([0, { a: 11 }], [100, { b: 4 }]))).toEqual([[100, 100, null]])
    expect(times(both, readings([0, { a: 11 }], [101, { b: 4 }]))).toEqual([])
    expect(times({ ...both, gap: 'hold' }, readings([0, { a: 11 }], [101, { b: 4 }]))).toEqual([[101, 101, null]])
  })

  test('while firing, a condition keeps its state, however old its value is', () => {
    const list = readings([0, { a: 11, b: 4 }], [60, { b: 4 }], [120, { b: 4 }])
    expect(times(both, list)).toEqual([[0, 0, null]])
    expect(times(both, [...list, ...readings([180, { a: 9 }])])).toEqual([[0, 0, 180]])
  })

  test('an unknown channel does not hold, with "!=" either', () => {
    const rule = threshold({ conditions: [...both.conditions, { channel: 'c', op: '!=', value: 1 }] })
    expect(times(rule, readings([0, { a: 11, b: 4 }], [10, { c: 0 }]))).toEqual([[10, 10, null]])
  })

  test('values are the newest ones when the rule fires, of any age', () => {
    const any = { ...both, match: 'any' as const }
    const valuesOf = (list: RefReading[]) => episodesOf(any, list, undefined, 0).map(({ values }) => values)
    expect(valuesOf(readings([0, { b: 7 }], [50, { a: 11, other: 3 }], [60, { a: 12 }]))).toEqual([{ a: 11, b: 7 }])
    expect(valuesOf(readings([0, { b: 7 }], [150, { a: 11 }]))).toEqual([{ a: 11, b: 7 }])
  })
})

describe('usual interval', () => {
  // without maxGapMs the maximum gap is 3 times the interval
  const rule = (...channels: string[]): Threshold => {
    const { maxGapMs: _, ...rest } = threshold({ forMs: s(1) })
    return { ...rest, conditions: channels.map((channel) => ({ channel, op: '>', value: 30 })) }
  }
  const at = (...list: number[]) => series(...list.map((time): [number, number] => [time, 31]))

  test('is 300 s while there is none', () => {
    expect(times(rule('t'), at(0, 900))).toEqual([[0, 900, null]])
    expect(times(rule('t'), at(0, 901))).toEqual([])
  })

  test('is the lower median: 10 of the intervals 10, 10, 40, 50', () => {
    // before 110: 0, 10, 20, 60, 110; the next step may take 30
    const list = (last: number): RefReading[] => [
      ...series([0, 0], [10, 0], [20, 0], [60, 0], [110, 31]),
      ...at(110 + last),
    ]
    expect(times(rule('t'), list(30))).toEqual([[110, 140, null]])
    expect(times(rule('t'), list(31))).toEqual([])
  })

  test('is taken before the reading judged', () => {
    // at 35 the only interval is 10 (0, 10), so the step of 25 is none; at 65 the intervals are 10 and 25: 10 again
    expect(times(rule('t'), series([0, 0], [10, 31], [35, 31]))).toEqual([[10, 35, null]])
    expect(times(rule('t'), series([0, 0], [10, 31], [41, 31], [71, 31]))).toEqual([[41, 71, null]])
  })

  test('knows the last 8 intervals alone', () => {
    // 100 s apart three times, then 10 s eight times: 0, 100, 200, 300, 310, …, 380; the next step may take 30
    const eight = [310, 320, 330, 340, 350, 360, 370].map((time): [number, number] => [time, 0])
    const list = (last: number): RefReading[] =>
      series([0, 0], [100, 0], [200, 0], [300, 0], ...eight, [380, 31], [last, 31])
    expect(times(rule('t'), list(410))).toEqual([[380, 410, null]])
    expect(times(rule('t'), list(411))).toEqual([])
    // 10 s nine times, then 100 s four times: the last 8 are 10, 10, 10, 10, 100, 100, 100, 100, lower median 10
    const ten = [0, 10, 20, 30, 40, 50, 60, 70, 80, 90].map((time): [number, number] => [time, 0])
    const slow = (count: number, last: number): RefReading[] => [
      ...series(...ten),
      ...series(
        ...Array.from({ length: count }, (_, i): [number, number] => [90 + (i + 1) * 100, i + 1 === count ? 31 : 0]),
      ),
      ...at(last),
    ]
    expect(times(rule('t'), slow(4, 490 + 31))).toEqual([])
    // the interval before these 8 would make it 100
    const ninth = [0, 100, 110, 120, 130, 140, 240, 340, 440].map((time): [number, number] => [time, 0])
    expect(times(rule('t'), series(...ninth, [540, 31], [571, 31]))).toEqual([])
    // with a fifth one the lower median is 100
    expect(times(rule('t'), slow(5, 590 + 300))).toEqual([[590, 890, null]])
    expect(times(rule('t'), slow(5, 590 + 301))).toEqual([])
  })

  test('is at least 5 s', () => {
    expect(times(rule('t'), series([0, 0], [1, 0], [2, 31], [17, 31]))).toEqual([[2, 17, null]])
    expect(times(rule('t'), series([0, 0], [1, 0], [2, 31], [18, 31]))).toEqual([])
  })

  test('is the longest of several channels', () => {
    // `t` every 10 s, `u` every 40 s: 120 s
    const list = (last: number): RefReading[] =>
      readings(
        [0, { t: 0, u: 31 }],
        [10, { t: 0 }],
        [20, { t: 0 }],
        [30, { t: 0 }],
        [40, { t: 31, u: 31 }],
        [last, { t: 31, u: 31 }],
      )
    expect(times(rule('t', 'u'), list(160))).toEqual([[40, 160, null]])
    expect(times(rule('t', 'u'), list(161))).toEqual([])
  })
})

describe('pending and firing', () => {
  const rule = threshold({ forMs: s(120) })

  test('fires at the first reading with enough covered time since the onset', () => {
    // covered: 60 at 70, 110 at 120, 170 at 180
    expect(times(rule, series([0, 30], [10, 31], [70, 32], [120, 33], [180, 34], [190, 30]))).toEqual([[10, 180, 190]])
    // exactly 120
    expect(times(rule, series([10, 31], [70, 32], [130, 33]))).toEqual([[10, 130, null]])
  })

  test('for 0 s: at the onset', () => {
    expect(times(threshold(), series([0, 30], [10, 31], [20, 30], [30, 31]))).toEqual([
      [10, 10, 20],
      [30, 30, null],
    ])
  })

  test('a reading that does not hold ends pending, and clear values have no say', () => {
    const list = series([0, 31], [60, 29], [120, 31], [180, 31], [240, 31])
    const cleared = { ...rule, conditions: [{ channel: 't', op: '>' as const, value: 30, clearValue: 25 }] }
    expect(times(cleared, list)).toEqual([[120, 240, null]])
  })

  test('reset: the reading after a gap is a new onset', () => {
    // 0 to 100 is a step, 100 to 201 a gap
    const list = series([0, 31], [100, 31], [201, 31], [261, 31], [320, 31], [322, 31])
    expect(times(rule, list)).toEqual([[201, 322, null]])
  })

  test('hold: onset and sum stay, and the gap adds nothing', () => {
    // covered: 100 at 100, still 100 at 201, 119 at 220, 120 at 221
    const list = series([0, 31], [100, 31], [201, 31], [220, 31], [221, 31])
    expect(times({ ...rule, gap: 'hold' }, list)).toEqual([[0, 221, null]])
  })

  test('a gap never ends a firing alert, and no clock does', () => {
    expect(times(threshold(), series([0, 31], [5_000, 31], [9_000, 30]))).toEqual([[0, 0, 9_000]])
    expect(times(rule, series([0, 31], [100, 31]), undefined, 9_000)).toEqual([])
  })

  test('after the end a new onset is needed', () => {
    const list = series([0, 31], [60, 31], [120, 31], [130, 30], [140, 31], [200, 31], [260, 31])
    expect(times(rule, list)).toEqual([
      [0, 120, 130],
      [140, 260, null],
    ])
  })

  test.each([
    ['>', [0, 0, 1]],
    ['>=', [0, 1, 1]],
    ['<', [1, 0, 0]],
    ['<=', [1, 1, 0]],
    ['=', [0, 1, 0]],
    ['!=', [1, 0, 1]],
  ] as const)('%s at 29, 30 and 31', (op, expected) => {
    const of = threshold({ conditions: [{ channel: 't', op, value: 30 }] })
    expect([29, 30, 31].map((value) => times(of, series([0, value])).length)).toEqual([...expected])
  })
})

describe('clearing', () => {
  const hot = { channel: 't', op: '>' as const, value: 30, clearValue: 28 }

  test('a condition continues until its clear value, where it has ended', () => {
    const rule = threshold({ conditions: [hot] })
    expect(times(rule, series([0, 31], [10, 29], [20, 28.1], [30, 28], [40, 29], [50, 31]))).toEqual([
      [0, 0, 30],
      [50, 50, null],
    ])
    const orEqual = threshold({ conditions: [{ ...hot, op: '>=' }] })
    expect(times(orEqual, series([0, 30], [10, 29], [20, 28]))).toEqual([[0, 0, 20]])
    const cold = threshold({ conditions: [{ channel: 't', op: '<', value: 5, clearValue: 7 }] })
    expect(times(cold, series([0, 4], [10, 6.9], [20, 7]))).toEqual([[0, 0, 20]])
  })

  test('the default is the value of the condition', () => {
    expect(times(threshold(), series([0, 31], [10, 30]))).toEqual([[0, 0, 10]])
    // 30 holds again at once, since it begins `>= 30`
    const orEqual = threshold({ conditions: [{ channel: 't', op: '>=', value: 30 }] })
    expect(times(orEqual, series([0, 30], [10, 30], [20, 29]))).toEqual([[0, 0, 20]])
  })

  test('what never held does not keep an "any" alert; what began while firing does', () => {
    const rule = threshold({ match: 'any', conditions: [hot, { channel: 'u', op: '>', value: 50, clearValue: 40 }] })
    // `u` is beyond its clear value, but was never above 50
    expect(times(rule, readings([0, { t: 31, u: 45 }], [10, { t: 27, u: 45 }]))).toEqual([[0, 0, 10]])
    // `u` was above 50 at 10, and 45 keeps it until 40
    const began = readings([0, { t: 31, u: 45 }], [10, { t: 27, u: 51 }], [20, { u: 45 }], [30, { u: 40 }])
    expect(times(rule, began)).toEqual([[0, 0, 30]])
    // `u` was above 50 before the rule fired, and between its values when it fired
    const before = readings([0, { u: 51 }], [10, { t: 31, u: 45 }], [20, { t: 27, u: 45 }])
    expect(times({ ...rule, forMs: s(10) }, before)).toEqual([[0, 10, 20]])
  })

  test('without a new value a condition keeps its state', () => {
    const rule = threshold({ conditions: [hot, { channel: 'u', op: '>', value: 50 }] })
    // 29 was seen at 10; the readings at 20 and 30 have no `t`
    const list = readings([0, { t: 31, u: 51 }], [10, { t: 29 }], [20, { u: 52 }], [30, { u: 53 }], [40, { u: 50 }])
    expect(times(rule, list)).toEqual([[0, 0, 40]])
  })

  test('an old value continues at a later one above its clear value', () => {
    // `t` is 110 s old at 110; at 120 it is 29, above its clear value
    const rule = threshold({ conditions: [hot, { channel: 'u', op: '>', value: 50 }], keepFiringMs: s(20) })
    const list = readings([0, { t: 31, u: 51 }], [60, { u: 51 }], [110, { u: 51 }], [120, { t: 29, u: 51 }])
    expect(times(rule, [...list, ...readings([140, { u: 51 }])])).toEqual([[0, 0, null]])
  })
})

describe('keepFiringSeconds', () => {
  const rule = threshold({ keepFiringMs: s(60) })

  test('resolves at the first reading that does not hold and is 60 s after the first one that did not', () => {
    expect(times(rule, series([0, 31], [10, 30], [69, 30], [71, 30]))).toEqual([[0, 0, 71]])
    expect(times(rule, series([0, 31], [10, 30], [70, 30]))).toEqual([[0, 0, 70]])
    // gaps count
    expect(times(rule, series([0, 31], [10, 30], [500, 30]))).toEqual([[0, 0, 500]])
  })

  test('a reading that holds in between forgets the first one', () => {
    const list = series([0, 31], [10, 30], [60, 31], [80, 30], [130, 30], [140, 30])
    expect(times(rule, list)).toEqual([[0, 0, 140]])
    // it also holds later than 60 s after: the alert is the same
    expect(times(rule, series([0, 31], [10, 30], [90, 31]))).toEqual([[0, 0, null]])
  })

  test('a value between clear value and value does not begin to hold again', () => {
    const conditions = [{ channel: 't', op: '>' as const, value: 30, clearValue: 28 }]
    expect(times({ ...rule, conditions }, series([0, 31], [10, 27], [40, 29], [70, 29]))).toEqual([[0, 0, 70]])
  })
})

describe('steps', () => {
  const rule = threshold({
    severity: 'info',
    steps: [
      { severity: 'warning', value: 40, clearValue: 38 },
      { severity: 'critical', value: 50 },
    ],
  })
  const severities = (of: RefRule, list: RefReading[]) =>
    episodesOf(of, list, undefined, 0).map((alert) => [
      alert.severity,
      ...alert.severities.map(({ at, severity }) => `${at / 1_000} ${severity}`),
    ])

  test('the severity is the highest step firing, and the highest reached once resolved', () => {
    const list = series([0, 31], [10, 41], [20, 51], [30, 50], [40, 39], [50, 38], [60, 30])
    expect(times(rule, list)).toEqual([[0, 0, 60]])
    expect(severities(rule, list)).toEqual([
      ['critical', '0 info', '10 warning', '20 critical', '30 warning', '50 info'],
    ])
  })

  test('an alert may begin with a higher step and skip one', () => {
    const list = series([0, 45], [10, 51], [20, 31], [30, 51], [40, 0])
    expect(severities(rule, list)).toEqual([['critical', '0 warning', '10 critical', '20 info', '30 critical']])
  })

  test('each step has the times of the rule: pending, gaps and keepFiringSeconds', () => {
    // `info` pending since 0; `warning` since 20, 60 s covered at 80, not above 38 first at 90, ended at 120
    const slow = { ...rule, forMs: s(60), keepFiringMs: s(30) }
    const list = series([0, 31], [20, 41], [60, 41], [80, 41], [90, 35], [119, 35], [120, 35], [130, 30], [160, 30])
    expect(times(slow, list)).toEqual([[0, 60, 160]])
    expect(severities(slow, list)).toEqual([['warning', '60 info', '80 warning', '120 info']])
  })
})

describe('within', () => {
  const place = places(['I', 'O'])
  const inside = threshold({ within: { when: 'inside' } })
  const outside = threshold({ within: { when: 'outside' } })

  test('is one more condition, by the newest location, and a location alone counts', () => {
    const list = [position(0, 1, { t: 31 }), ...series([10, 31]), position(20, 0), ...series([30, 31]), position(40, 1)]
    expect(times(inside, list, place)).toEqual([[20, 20, 40]])
    expect(times(outside, list, place)).toEqual([
      [0, 0, 20],
      [40, 40, null],
    ])
  })

  test('is "and" with "any" too', () => {
    const any = {
      ...inside,
      match: 'any' as const,
      conditions: [...inside.conditions, { channel: 'u', op: '>' as const, value: 1 }],
    }
    expect(times(any, [position(0, 1, { u: 2 }), position(10, 0, { t: 0 })], place)).toEqual([[10, 10, null]])
  })

  test('a location that is unknown or too old does not hold, and changes nothing while firing', () => {
    expect(times(outside, series([0, 31]), place)).toEqual([])
    // 100 s old at 100, 110 s at 110
    const list = [position(0, 0, { t: 30 }), ...series([100, 31], [110, 31])]
    expect(times(inside, list, place)).toEqual([[100, 100, null]])
    const late = [position(0, 0, { t: 30 }), ...series([90, 30], [110, 31])]
    expect(times(inside, late, place)).toEqual([])
    expect(times({ ...inside, gap: 'hold' }, late, place)).toEqual([[110, 110, null]])
  })

  test('is for the layer as a whole', () => {
    const two = places(['OI', 'IO', 'OO'])
    const list = [position(0, 0, { t: 31 }), position(10, 1), position(20, 2)]
    expect(times(inside, list, two)).toEqual([[0, 0, 20]])
  })
})
