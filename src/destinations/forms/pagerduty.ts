/**
 * An event of PagerDuty's Events API v2 (https://developer.pagerduty.com/docs/ZG9jOjExMDI5NTgw-events-api-v2-overview): a summary of at most
 * 1,024 characters, an event of at most 512 kB. It has no groups, since each alert is resolved by its own event.
 */
import { bytesOf, nameIn, titleOf, type WebhookEvent, wordsOf } from './words.ts'

const EVENT_BYTES = 512_000
const SEVERITIES = ['critical', 'error', 'warning', 'info']

export function pagerDutyBody(event: WebhookEvent, routingKey: string): Uint8Array {
  const { id, type, timestamp, data } = event
  const isAlert = type === 'alert.firing' || type === 'alert.resolved'
  const key = { routing_key: routingKey, dedup_key: isAlert ? String(data.id) : id }
  if (type === 'alert.resolved') return bytesOf({ ...key, event_action: 'resolve' })
  const { facts, link } = wordsOf(event)
  const trigger = (custom_details: object) =>
    bytesOf({
      ...key,
      event_action: 'trigger',
      client: 'Groundwave',
      ...(link !== undefined && { client_url: link, links: [{ href: link, text: 'Open' }] }),
      payload: {
        summary: titleOf(event),
        source: nameIn(event, 'sensorName') ?? 'Groundwave',
        // events without a severity are for attention, not for an emergency
        severity: SEVERITIES.find((severity) => severity === data.severity) ?? 'warning',
        timestamp,
        class: type,
        custom_details,
      },
    })
  const whole = trigger(data)
  return whole.length <= EVENT_BYTES
    ? whole
    : trigger(Object.fromEntries(facts.map(({ label, value }) => [label, value])))
}
