/** Bodies of all forms, against the public schemas of their receivers and with names as long and as hostile as can be. */
import { describe, expect, test } from 'bun:test'
import { AdaptiveCard, type RichTextBlock, SerializationContext, type TextRun, Versions } from 'adaptivecards'
import Ajv from 'ajv'
import { pagerDutyBody } from '../../../src/destinations/forms/pagerduty.ts'
import { slackBody } from '../../../src/destinations/forms/slack.ts'
import { standardBody } from '../../../src/destinations/forms/standard.ts'
import { teamsBody } from '../../../src/destinations/forms/teams.ts'
import type { EventGroup, WebhookEvent, WebhookMessage } from '../../../src/destinations/forms/words.ts'

const textOf = (body: Uint8Array): string => new TextDecoder('utf-8', { fatal: true }).decode(body)

const LINK = 'https://groundwave.example/alerts/alr_1?a=1&b=|2'
const FIRING: WebhookEvent = {
  id: 'evt_1',
  type: 'alert.firing',
  timestamp: '2026-03-01T12:00:05.250Z',
  data: {
    id: 'alr_1',
    ruleId: 'rul_1',
    ruleName: 'High water',
    sensorId: 'sen_1',
    sensorName: 'Gauge 7',
    severity: 'critical',
    firedAt: '2026-03-01T12:00:00.000Z',
    resolvedAt: null,
    value: 4.2,
    values: { level: 4.2 },
    late: true,
    silenced: false,
    sequence: 3,
    link: LINK,
  },
}
const RESOLVED: WebhookEvent = { ...FIRING, id: 'evt_2', type: 'alert.resolved' }
const FINISHED: WebhookEvent = {
  ...FIRING,
  id: 'evt_3',
  type: 'job.finished',
  data: { jobId: 'job_1', status: 'done' },
}
const UNKNOWN: WebhookEvent = { ...FIRING, id: 'evt_4', type: 'later.added', data: {} }

const groupOf = (events: readonly WebhookEvent[], count = events.length): EventGroup => ({
  id: 'evt_9',
  type: 'group',
  timestamp: '2026-03-01T12:00:15.000Z',
  data: { ruleId: 'rul_1', count, events },
})

/** Names that are as large as can be in each form: in UTF-8, in JSON, escaped for Slack; and control characters of all. */
const HOSTILE_NAMES = [
  '🌊'.repeat(5_000),
  '"\\'.repeat(5_000),
  '&<>'.repeat(5_000),
  '\u0000\n\u2028'.repeat(5_000),
  'عدّاد'.repeat(5_000),
  '\ud800'.repeat(5_000),
  '<!channel> <https://evil.example|Open> *bold* `x`\n> Resolved: all is well',
  '[Open](https://evil.example) **bold** {{DATE(2026-03-01T12:00:00Z)}} <at>all</at>',
]
const hostile = (name: string): WebhookEvent => {
  const fields = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`${'field'.repeat(9)}${i}`, name]))
  return { ...FIRING, data: { ...FIRING.data, ruleName: name, sensorName: name, ...fields } }
}
const MESSAGES: readonly WebhookMessage[] = [
  FIRING,
  RESOLVED,
  FINISHED,
  UNKNOWN,
  groupOf([FIRING, RESOLVED]),
  groupOf(Array(500).fill(FIRING)),
  ...HOSTILE_NAMES.flatMap((name) => [hostile(name), groupOf(Array(100).fill(hostile(name)), 40_000)]),
]

describe('standard', () => {
  test('the body is the event, whose id stands in the header', () => {
    const { id: _, ...body } = FIRING
    expect(JSON.parse(textOf(standardBody(FIRING)))).toEqual(body)
    expect(Object.keys(JSON.parse(textOf(standardBody(FIRING))))).toEqual(['type', 'timestamp', 'data'])
  })

  test('a group has the number of its events, and the first 100', () => {
    const events = Array.from({ length: 140 }, (_, i) => ({ ...FIRING, id: `evt_${i}` }))
    expect(JSON.parse(textOf(standardBody(groupOf(events))))).toEqual({
      type: 'group',
      timestamp: '2026-03-01T12:00:15.000Z',
      data: { ruleId: 'rul_1', count: 140, events: events.slice(0, 100) },
    })
  })
})

describe('Slack', () => {
  const slackText = (message: WebhookMessage): string => {
    const body = JSON.parse(textOf(slackBody(message)))
    expect(Object.keys(body)).toEqual(['text'])
    return body.text
  }

  test('the text names rule and sensor, says what happened, and has the link', () => {
    expect(slackText(FIRING).split('\n')).toEqual([
      'Alert: High water, Gauge 7',
      'Rule name: High water',
      'Sensor name: Gauge 7',
      'Severity: critical',
      'Fired at: 2026-03-01T12:00:00.000Z',
      'Value: 4.2',
      'Late: Yes',
      '<https://groundwave.example/alerts/alr_1?a=1&amp;b=%7C2|Open>',
    ])
    expect(slackText(FINISHED)).toBe('Job finished\nStatus: done')
    expect(slackText(UNKNOWN)).toBe('later.added')
  })

  test('a group has a line for each of its first ten events', () => {
    expect(
      slackText(groupOf([FIRING, RESOLVED]))
        .split('\n')
        .slice(0, 3),
    ).toEqual(['2 events: High water', 'Alert: High water, Gauge 7', 'Resolved: High water, Gauge 7'])
    expect(
      slackText(groupOf(Array(500).fill(FIRING)))
        .split('\n')
        .slice(10, 12),
    ).toEqual(['Alert: High water, Gauge 7', 'and 490 more'])
    expect(slackText(groupOf([]))).toBe('0 events: rul_1')
  })

  test('no name makes a mention, a link or a line, and no text has more than 40,000 characters', () => {
    for (const message of MESSAGES) {
      const text = slackText(message)
      expect([...text].length).toBeLessThanOrEqual(40_000)
      const ofNames = text.replace(/\n<https:\/\/groundwave\.example\/[^<>|]*\|Open>$/, '')
      expect(ofNames).not.toMatch(/[<>]|&(?!(amp|lt|gt);)/)
      expect(ofNames).not.toMatch(/^(&gt;|Resolved: all)/m)
    }
  })
})

describe('Teams', () => {
  function cardOf(message: WebhookMessage) {
    const bytes = teamsBody(message)
    const { type, attachments } = JSON.parse(textOf(bytes))
    expect([type, attachments.length, attachments[0].contentType, attachments[0].contentUrl]).toEqual([
      'message',
      1,
      'application/vnd.microsoft.card.adaptive',
      null,
    ])
    const card = new AdaptiveCard()
    const context = new SerializationContext(Versions.v1_2)
    card.parse(attachments[0].content, context)
    const faults = Array.from({ length: context.eventCount }, (_, i) => context.getEventAt(i).message)
    const lines = Array.from({ length: card.getItemCount() }, (_, i) => {
      const block = card.getItemAt(i) as RichTextBlock
      return Array.from({ length: block.getInlineCount() }, (_, j) => (block.getInlineAt(j) as TextRun).text).join('')
    })
    const links = Array.from({ length: card.getActionCount() }, (_, i) => card.getActionAt(i)?.toJSON())
    return {
      bytes,
      faults,
      lines,
      links,
      kinds: new Set(attachments[0].content.body.map((one: { type: string }) => one.type)),
    }
  }

  test("Microsoft's reader finds the title, the facts and the link", () => {
    const { faults, lines, links } = cardOf(FIRING)
    expect(faults).toEqual([])
    expect(lines).toEqual([
      'Alert: High water, Gauge 7',
      'Rule name: High water',
      'Sensor name: Gauge 7',
      'Severity: critical',
      'Fired at: 2026-03-01T12:00:00.000Z',
      'Value: 4.2',
      'Late: Yes',
    ])
    expect(links).toEqual([{ type: 'Action.OpenUrl', title: 'Open', url: LINK }])
    expect(cardOf(groupOf([FIRING, RESOLVED])).lines).toEqual([
      '2 events: High water',
      'Alert: High water, Gauge 7',
      'Resolved: High water, Gauge 7',
    ])
  })

  test('every message is a correct card below 21 kB, where receivers begin to refuse, without an element that reads Markdown', () => {
    for (const message of MESSAGES) {
      const { bytes, faults, kinds } = cardOf(message)
      expect(faults).toEqual([])
      expect([...kinds]).toEqual(['RichTextBlock'])
      expect(bytes.length).toBeLessThan(21_000)
    }
  })

  test('a link of another kind is left out', () => {
    for (const link of ['javascript:alert(1)', 'ftp://a.example/', '', 7, null, 'https://'])
      expect(cardOf({ ...FIRING, data: { ...FIRING.data, link } }).links).toEqual([])
  })
})

/** The body of POST /enqueue, from PagerDuty's OpenAPI document (PagerDuty/api-schema, reference/events-v2), and its limits. */
const PAGERDUTY_SCHEMA = {
  type: 'object',
  properties: {
    routing_key: { type: 'string' },
    event_action: { enum: ['trigger', 'acknowledge', 'resolve'] },
    dedup_key: { type: 'string', minLength: 1, maxLength: 255 },
    client: { type: 'string' },
    client_url: { type: 'string' },
    links: {
      type: 'array',
      items: { type: 'object', properties: { href: { type: 'string' }, text: { type: 'string' } }, required: ['href'] },
    },
    payload: {
      type: 'object',
      properties: {
        summary: { type: 'string', minLength: 1, maxLength: 1_024 },
        timestamp: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z$' },
        severity: { enum: ['critical', 'warning', 'error', 'info'] },
        source: { type: 'string', minLength: 1 },
        component: { type: 'string' },
        group: { type: 'string' },
        class: { type: 'string' },
        custom_details: { type: 'object' },
      },
      required: ['summary', 'severity', 'source'],
      additionalProperties: false,
    },
  },
  required: ['routing_key', 'event_action'],
  additionalProperties: false,
}

describe('PagerDuty', () => {
  const KEY = '0123456789abcdef0123456789abcdef'
  const isEvent = new Ajv().compile(PAGERDUTY_SCHEMA)
  function pageOf(event: WebhookEvent) {
    const bytes = pagerDutyBody(event, KEY)
    const page = JSON.parse(textOf(bytes))
    expect([isEvent(page), isEvent.errors]).toEqual([true, null])
    return { bytes, page }
  }

  test('a firing alert triggers, and its end resolves, by the id of the alert', () => {
    expect(pageOf(FIRING).page).toEqual({
      routing_key: KEY,
      dedup_key: 'alr_1',
      event_action: 'trigger',
      client: 'Groundwave',
      client_url: LINK,
      links: [{ href: LINK, text: 'Open' }],
      payload: {
        summary: 'Alert: High water, Gauge 7',
        source: 'Gauge 7',
        severity: 'critical',
        timestamp: '2026-03-01T12:00:05.250Z',
        class: 'alert.firing',
        custom_details: FIRING.data,
      },
    })
    expect(pageOf(RESOLVED).page).toEqual({ routing_key: KEY, dedup_key: 'alr_1', event_action: 'resolve' })
  })

  test('any other event triggers by its own id', () => {
    const { page } = pageOf(FINISHED)
    expect([page.event_action, page.dedup_key, page.payload.source, page.payload.severity]).toEqual([
      'trigger',
      'evt_3',
      'Groundwave',
      'warning',
    ])
  })

  test('long names are cut with an ellipsis, and an event beyond 512 kB has its facts in place of its data', () => {
    for (const name of HOSTILE_NAMES) {
      const { bytes, page } = pageOf(hostile(name))
      expect(bytes.length).toBeLessThanOrEqual(512_000)
      if (name.length > 300 && !name.startsWith('\u0000')) expect(page.payload.summary).toMatch(/^Alert: .+…, .+…$/u)
    }
    expect(pageOf(hostile('\n\u0000')).page.payload).toMatchObject({ summary: 'Alert', source: 'Groundwave' })
    const { page } = pageOf(hostile('🌊'.repeat(5_000)))
    expect(Object.keys(page.payload.custom_details).length).toBe(12)
    expect(page.payload.custom_details.Severity).toBe('critical')
  })
})
