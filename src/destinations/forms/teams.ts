/**
 * A message for workflows and incoming webhooks of Microsoft Teams, with at most 28 kB
 * (https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook). Names stand in
 * RichTextBlocks, since a TextBlock and a Fact would read them as Markdown
 * (https://learn.microsoft.com/adaptive-cards/create/textfeatures).
 */
import { bytesOf, type WebhookMessage, wordsOf } from './words.ts'

const BOLD = { weight: 'Bolder' }
const run = (text: string, style: object = {}) => ({ type: 'TextRun', text, ...style })
const line = (...inlines: object[]) => ({ type: 'RichTextBlock', inlines })

export function teamsBody(message: WebhookMessage): Uint8Array {
  const { title, facts, lines, link } = wordsOf(message)
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.2',
    // what a client without this version shows
    fallbackText: title,
    body: [
      line(run(title, { ...BOLD, size: 'Medium' })),
      ...facts.map(({ label, value }) => line(run(`${label}: `, BOLD), run(value))),
      ...lines.map((text) => line(run(text))),
    ],
    ...(link !== undefined && { actions: [{ type: 'Action.OpenUrl', title: 'Open', url: link }] }),
  }
  const contentType = 'application/vnd.microsoft.card.adaptive'
  return bytesOf({ type: 'message', attachments: [{ contentType, contentUrl: null, content }] })
}
