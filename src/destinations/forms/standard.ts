/** The body of Standard Webhooks, whose id stands in a header: the event itself. */
import { bytesOf, isGroup, type WebhookMessage } from './words.ts'

const GROUP_EVENTS = 100

export function standardBody(message: WebhookMessage): Uint8Array {
  const { type, timestamp, data } = message
  if (!isGroup(message)) return bytesOf({ type, timestamp, data })
  const { ruleId, count, events } = message.data
  return bytesOf({ type, timestamp, data: { ruleId, count, events: events.slice(0, GROUP_EVENTS).map(publicPart) } })
}

const publicPart = ({ id, type, timestamp, data }: WebhookMessage) => ({ id, type, timestamp, data })
