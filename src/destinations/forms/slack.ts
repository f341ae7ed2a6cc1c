/**
 * A message for Slack's incoming webhooks, with at most 40,000 characters
 * (https://api.slack.com/changelog/2018-04-truncating-really-long-messages). &, < and > are all that Slack reads as control
 * characters (https://api.slack.com/reference/surfaces/formatting#escaping).
 */
import { bytesOf, type WebhookMessage, wordsOf } from './words.ts'

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

export function slackBody(message: WebhookMessage): Uint8Array {
  const { title, facts, lines, link } = wordsOf(message)
  const text = [title, ...facts.map(({ label, value }) => `${label}: ${value}`), ...lines].map(escaped)
  // | would end the address
  if (link !== undefined) text.push(`<${escaped(link).replaceAll('|', '%7C')}|Open>`)
  return bytesOf({ text: text.join('\n') })
}
