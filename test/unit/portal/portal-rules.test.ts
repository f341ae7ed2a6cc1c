/** Rules in the portal: durations as people write them, the checks of the form, and rules in words. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'

const PORTAL = join(import.meta.dir, '../../../src/portal')

type Values = Record<string, unknown> & { conditions: object[]; steps: object[] }
type Rule = Record<string, unknown>
type Portal = {
  language: { value: string }
  secondsIn: (text: string) => number | undefined
  durationText: (seconds: number) => string
  durationWords: (seconds: number) => string
  newRule: () => Values
  valuesOf: (rule: object, sensors: object[]) => Values
  checkedRule: (
    values: Values,
    isBoolean: (channel: string) => boolean,
  ) => { rule: Rule; faults: Record<string, string> }
  sentencesOf: (rule: object, names: object) => string[]
  loadTexts: () => Promise<void>
}
let portal: Portal

async function speak(language: 'en' | 'ar'): Promise<void> {
  portal.language.value = language
  await portal.loadTexts()
}

// other files of the process share the portal's modules, and read pages in Arabic
afterAll(() => speak('ar'))
beforeAll(async () => {
  // the page's globals that the portal reads when it starts
  const page = {
    document: { documentElement: { lang: 'en', dataset: {} }, addEventListener: () => undefined },
    navigator: { languages: ['en'] },
    location: { origin: 'http://localhost', pathname: '/portal', search: '' },
    history: { state: null },
  }
  for (const [name, value] of Object.entries(page))
    if (!(name in globalThis) || name === 'document') Object.assign(globalThis, { [name]: value })
  // by paths that the compiler does not follow: it checks the browser's code with other libraries
  const files = ['shell/preferences.ts', 'text/text.ts'].map((file) => join(PORTAL, file))
  const own = ['durations.ts', 'rule-values.ts', 'sentence.ts'].map((file) => join(PORTAL, 'features/rules', file))
  portal = Object.assign({}, ...(await Promise.all([...files, ...own].map((file) => import(file)))))
  await speak('en')
}, 60_000)

describe('durations', () => {
  const WRITTEN: [text: string, seconds: number | undefined][] = [
    ['5 min', 300],
    ['2 h', 7_200],
    ['90s', 90],
    ['1 h 30 min', 5_400],
    ['1.5 hours', 5_400],
    ['31 d', 2_678_400],
    ['٥ دقائق', 300],
    ['1 ساعة و 30 دقيقة', 5_400],
    ['0 s', 0],
    ['5', undefined],
    ['min', undefined],
    ['5 parsecs', undefined],
    ['-5 min', undefined],
    ['0.5 s', undefined],
    ['', undefined],
  ]
  test.each(WRITTEN)('%p is read', (text, seconds) => {
    expect(portal.secondsIn(text)).toBe(seconds)
  })

  test('the text of a field is read back, in both languages', async () => {
    for (const language of ['en', 'ar'] as const) {
      await speak(language)
      for (const seconds of [0, 1, 59, 60, 61, 3_599, 3_600, 5_400, 86_399, 86_400, 90_061, 2_678_400])
        expect(portal.secondsIn(portal.durationText(seconds))).toBe(seconds)
    }
    await speak('en')
    expect([portal.durationText(5_400), portal.durationWords(5_400)]).toEqual([
      '1 h 30 min',
      '1\u00a0hour 30\u00a0minutes',
    ])
  })
})

const isBoolean = (channel: string): boolean => channel === 'open'
const condition = (changed: object) => ({ channel: 'temperature', op: '>', value: '70', clearValue: '', ...changed })
const threshold = (changed: object = {}, first: object = {}): Values => ({
  ...portal.newRule(),
  name: 'Too warm',
  conditions: [condition(first)],
  ...changed,
})
const faultsOf = (values: Values): string[] => Object.keys(portal.checkedRule(values, isBoolean).faults)

describe('the form', () => {
  test('a rule is sent as the API names its fields, and read back as it was typed', () => {
    const typed = threshold(
      {
        hold: '5 min',
        keepFiring: '1 h',
        maxGap: '10 min',
        withinLayer: 'lay_1',
        withinWhen: 'outside',
        steps: [{ severity: 'critical', value: '90.5', clearValue: '' }],
        hasSchedule: true,
        tz: 'Europe/Berlin',
        targets: 'chosen',
        sensors: [{ id: 'sen_1', name: 'Store' }],
        tags: ['cold'],
      },
      { clearValue: '65' },
    )
    const { rule, faults } = portal.checkedRule(typed, isBoolean)
    expect(faults).toEqual({})
    expect(rule).toEqual({
      name: 'Too warm',
      kind: 'threshold',
      severity: 'warning',
      note: '',
      enabled: true,
      sensorIds: ['sen_1'],
      tags: ['cold'],
      schedule: {
        tz: 'Europe/Berlin',
        weekly: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '08:00', to: '18:00' }],
      },
      conditions: [{ channel: 'temperature', op: '>', value: 70, clearValue: 65 }],
      match: 'all',
      steps: [{ severity: 'critical', value: 90.5 }],
      forSeconds: 300,
      keepFiringSeconds: 3_600,
      maxGapSeconds: 600,
      gap: 'reset',
      within: { layerId: 'lay_1', when: 'outside' },
    })
    const stored = { ...rule, id: 'rul_1', createdAt: '', updatedAt: '' }
    expect(portal.valuesOf(stored, [{ id: 'sen_1', name: 'Store' }])).toEqual(typed)
  })

  test('each fault is at its field', () => {
    const zone = { ...portal.newRule(), name: 'Yard', kind: 'zone' }
    const change = { ...portal.newRule(), name: 'Fast', kind: 'change' }
    const step = (changed: object) => [{ severity: 'critical', value: '80', clearValue: '', ...changed }]
    const window = { days: ['mon'], from: '08:00', to: '18:00' }
    const WRONG: [values: Values, fields: string[]][] = [
      [threshold({ name: ' ' }), ['name']],
      [threshold({}, { channel: '' }), ['conditions.0.channel']],
      [threshold({}, { value: 'warm' }), ['conditions.0.value']],
      [threshold({}, { clearValue: '71' }), ['conditions.0.clearValue']],
      [threshold({}, { op: '<', clearValue: '69' }), ['conditions.0.clearValue']],
      [threshold({ hold: '5' }), ['forSeconds']],
      [threshold({ hold: '32 d' }), ['forSeconds']],
      [threshold({ maxGap: '0 s' }), ['maxGapSeconds']],
      [threshold({ targets: 'chosen' }), ['sensorIds']],
      [threshold({ steps: step({ value: '60' }) }), ['steps.0.value']],
      [threshold({ steps: step({ severity: 'warning' }) }), ['steps.0.severity']],
      [threshold({ steps: step({ clearValue: '81' }) }), ['steps.0.clearValue']],
      [threshold({ hasSchedule: true, tz: 'Mars/Olympus' }), ['schedule.tz']],
      [threshold({ hasSchedule: true, tz: 'UTC', windows: [{ ...window, days: [] }] }), ['schedule.weekly.0']],
      [threshold({ hasSchedule: true, tz: 'UTC', windows: [{ ...window, to: '08:00' }] }), ['schedule.weekly.0']],
      [threshold({ hasSchedule: true, tz: 'UTC', windows: [{ ...window, from: '8' }] }), ['schedule.weekly.0']],
      [change, ['channel', 'by', 'withinSeconds']],
      [{ ...change, channel: 'open', by: '1', changeWithin: '1 h' }, ['channel']],
      [{ ...change, channel: 'temperature', by: '0', changeWithin: '1 h' }, ['by']],
      [zone, ['layerId']],
      [{ ...zone, layerId: 'lay_1', when: 'dwell' }, ['dwellSeconds']],
      [{ ...zone, layerId: 'lay_1', minReadings: '1.5', bufferM: '10001' }, ['minReadings', 'bufferM']],
    ]
    for (const [values, fields] of WRONG) expect(faultsOf(values)).toEqual(fields)
    expect(faultsOf({ ...portal.newRule(), name: 'Quiet', kind: 'silence' })).toEqual([])
  })

  test('a yes/no channel is compared with yes or no', () => {
    const { rule, faults } = portal.checkedRule(threshold({}, { channel: 'open', op: '=', value: 'false' }), isBoolean)
    expect([rule.conditions, faults]).toEqual([[{ channel: 'open', op: '=', value: false }], {}])
  })
})

test('a rule in words says when it fires and ends, where, when, and for which sensors', async () => {
  const names = { unitOf: () => '°C', layerOf: () => 'Yard' }
  const rule = {
    kind: 'threshold',
    sensorIds: 'all',
    tags: [],
    match: 'any',
    conditions: [
      { channel: 'temperature', op: '>', value: 70, clearValue: 65 },
      { channel: 'inlet', op: '<=', value: -5 },
    ],
    forSeconds: 100,
    within: { layerId: 'lay_1', when: 'inside' },
  }
  const plain = (texts: string[]): string[] =>
    texts.map((text) => text.replaceAll(/[\u2066-\u2069]/g, '').replaceAll('\u00a0', ' '))
  expect(plain(portal.sentencesOf(rule, names))).toEqual([
    'Fires when temperature is above 70 °C or inlet is -5 °C or less, for at least 1 minute 40 seconds.',
    'Ends when temperature is 65 °C or less.',
    'Counts only while the sensor is inside Yard.',
    'Watches: All sensors.',
  ])
  await speak('ar')
  const [first] = plain(portal.sentencesOf(rule, names))
  expect(first).toBe(
    'يُرفع تنبيه عندما تكون temperature أعلى من 70 °C أو تكون inlet ‎-5 °C أو أقل، لمدة لا تقل عن دقيقة و40 ثانية.',
  )
  await speak('en')
})
