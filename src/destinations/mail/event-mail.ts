/** A mail about events: as text, and as HTML without anything that is loaded from elsewhere. */
import type { ComposedMail } from '../../access/mail/mail.ts'
import { isolated } from '../../placeholders.ts'
import type { Language } from '../../stores/postgres/destinations/addresses.ts'
import { HEIGHT, WIDTH } from './curve.ts'
import { FIELDS, HEADINGS, MAIL_WORDS, type MailWords, VALUES } from './mail-words.ts'
import type { SensorCurve } from './sensor-curve.ts'

export type ShownEvent = { type: string; timestamp: string; data: Readonly<Record<string, unknown>> }

/** Events with all that they say; those that follow have a line each. */
const IN_FULL = 5
const LINES = 100
const NAME_CHARACTERS = 200
const DIRECTIONS: Record<Language, 'ltr' | 'rtl'> = { en: 'ltr', ar: 'rtl' }

const escaped = (text: string): string => Bun.escapeHTML(text)
const timeOf = (time: string | Date): string => `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** One line. Marks of direction would change the text around a name. */
export function plain(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g, '')
  const characters = [...line.trim()]
  return characters.length <= NAME_CHARACTERS
    ? characters.join('')
    : `${characters.slice(0, NAME_CHARACTERS - 1).join('')}…`
}

/** In a subject, where some programs show the marks. */
const unmarked = (text: string): string => text.replace(/[\u2068\u2069]/g, '')

const nameIn = ({ data }: ShownEvent, field: string): string => {
  const name = data[field]
  return typeof name === 'string' ? plain(name) : ''
}

function titleOf(event: ShownEvent, language: Language): string {
  const heading = HEADINGS[event.type]?.[language] ?? plain(event.type)
  const names = [nameIn(event, 'ruleName'), nameIn(event, 'sensorName')].filter((name) => name !== '')
  return names.length === 0 ? heading : `${heading}: ${names.map(isolated).join(language === 'ar' ? '، ' : ', ')}`
}

function factsOf({ data }: ShownEvent, language: Language): { label: string; value: string }[] {
  return Object.entries(FIELDS).flatMap(([field, label]) => {
    const value = data[field]
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return []
    const word = VALUES[field]?.[String(value)]?.[language]
    const text = word ?? (field === 'at' || field.endsWith('At') ? timeOf(String(value)) : plain(String(value)))
    return text === '' ? [] : [{ label: label[language], value: text }]
  })
}

function linkOf({ data }: ShownEvent): string | undefined {
  const { link } = data
  return typeof link === 'string' && /^https?:\/\//.test(link) && URL.canParse(link) ? new URL(link).href : undefined
}

const style = {
  body: 'margin:0;padding:24px;background:#f5f7f6;color:#1b2421;font:15px/1.6 "IBM Plex Sans","IBM Plex Sans Arabic","Segoe UI",Tahoma,Arial,sans-serif',
  card: 'max-width:600px;margin:0 auto;padding:24px;background:#ffffff;border:1px solid #d9dfdd;border-radius:8px',
  title: 'margin:0 0 8px;font-size:18px',
  label: 'padding:2px 0;padding-inline-end:16px;color:#55625d;vertical-align:top;white-space:nowrap',
  button:
    'display:inline-block;margin:12px 0 0;padding:8px 16px;background:#1f6f5c;color:#ffffff;border-radius:6px;text-decoration:none',
  small: 'margin:4px 0 0;color:#55625d;font-size:13px',
  rule: 'margin:20px 0;border:0;border-top:1px solid #d9dfdd',
}

export type MailContent = Omit<ComposedMail, 'to' | 'headers'>

/** @param foot lines below the events, and a link of the last one @param curves of the events in full, by their place */
export type EventMail = {
  language: Language
  /** Of the subject, where there are several events. */
  title: string
  events: readonly ShownEvent[]
  curves: ReadonlyMap<number, SensorCurve>
  foot: { text: string; link?: { words: string; url: string } }
}

export function eventMail({ language, title, events, curves, foot }: EventMail): MailContent {
  const words = MAIL_WORDS[language]
  const full = events.slice(0, IN_FULL).map((event, i) => blockOf(event, language, words, curves.get(i), `curve-${i}`))
  const brief = events.slice(IN_FULL, LINES).map((event) => lineOf(event, language))
  const left = events.length - Math.min(events.length, LINES)
  const more = left > 0 ? words.more(left) : ''
  const [first] = events
  const only = events.length === 1 && first !== undefined
  const severity = only ? VALUES.severity?.[String(first.data.severity)]?.[language] : undefined
  const text = [...full.map((block) => block.text), brief.map((line) => line.text).join('\n'), more, footText(foot)]
  return {
    subject: only
      ? `${severity === undefined ? '' : `[${severity}] `}${unmarked(titleOf(first, language))}`
      : `${words.events(events.length)}: ${plain(title)}`,
    text: `${text.filter((part) => part !== '').join('\n\n')}\n`,
    html: `<!doctype html>
<html lang="${language}" dir="${DIRECTIONS[language]}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body dir="${DIRECTIONS[language]}" style='${style.body}'><div style="${style.card}">
${full.map((block) => block.html).join(`<hr style="${style.rule}">\n`)}
${brief.length === 0 ? '' : `<hr style="${style.rule}"><ul style="padding-inline-start:20px">${brief.map((line) => `<li>${line.html}</li>`).join('\n')}</ul>`}
${more === '' ? '' : `<p>${escaped(more)}</p>`}
<hr style="${style.rule}">${footHtml(foot)}
</div></body></html>
`,
    pictures: [...curves].map(([i, { png }]) => ({ name: `curve-${i}`, png })),
  }
}

function blockOf(
  event: ShownEvent,
  language: Language,
  words: MailWords,
  curve: SensorCurve | undefined,
  picture: string,
): { text: string; html: string } {
  const [title, facts, link] = [titleOf(event, language), factsOf(event, language), linkOf(event)]
  const caption =
    curve &&
    words.curve(
      isolated(plain(curve.unit === null ? curve.channel : `${curve.channel} (${curve.unit})`)),
      isolated(timeOf(curve.from)),
      isolated(timeOf(curve.to)),
      String(curve.lowest),
      String(curve.highest),
    )
  const lines = [title, ...facts.map(({ label, value }) => `${label}: ${isolated(value)}`), caption ?? '', link ?? '']
  const rows = facts.map(
    ({ label, value }) =>
      `<tr><td style="${style.label}">${escaped(label)}</td><td><bdi>${escaped(value)}</bdi></td></tr>`,
  )
  const image =
    caption === undefined
      ? ''
      : `<p style="margin:12px 0 0"><img src="cid:${picture}" alt="${escaped(caption)}" width="${WIDTH / 2}" height="${HEIGHT / 2}" style="max-width:100%;height:auto;border:1px solid #d9dfdd"></p><p style="${style.small}">${escaped(caption)}</p>`
  const button =
    link === undefined ? '' : `<p><a href="${escaped(link)}" style="${style.button}">${escaped(words.open)}</a></p>`
  return {
    text: lines.filter((line) => line !== '').join('\n'),
    html: `<h1 style="${style.title}">${escaped(title)}</h1><table role="presentation">${rows.join('')}</table>${image}${button}\n`,
  }
}

function lineOf(event: ShownEvent, language: Language): { text: string; html: string } {
  const [title, link] = [titleOf(event, language), linkOf(event)]
  const time = timeOf(typeof event.data.at === 'string' ? event.data.at : event.timestamp)
  const name = link === undefined ? escaped(title) : `<a href="${escaped(link)}">${escaped(title)}</a>`
  return { text: `${title} · ${isolated(time)}`, html: `${name} · <bdi>${time}</bdi>` }
}

const footText = ({ text, link }: EventMail['foot']): string =>
  link === undefined ? text : `${text}\n${link.words}: ${link.url}`
const footHtml = ({ text, link }: EventMail['foot']): string =>
  `<p style="${style.small}">${escaped(text)}${link === undefined ? '' : ` <a href="${escaped(link.url)}">${escaped(link.words)}</a>`}</p>`

/** A mail to a person, whose language is not known. */
export function personMail(event: ShownEvent, portalUrl: string): MailContent {
  const parts = (['en', 'ar'] as const).map((language) => {
    const words = MAIL_WORDS[language]
    const linked = { ...event, data: { link: portalUrl, ...event.data } }
    const foot = { text: words.personal }
    const { text, html } = blockOf(linked, language, words, undefined, '')
    return {
      subject: unmarked(titleOf(event, language)),
      text: `${text}\n\n${footText(foot)}`,
      html: `<div lang="${language}" dir="${DIRECTIONS[language]}">${html}${footHtml(foot)}</div>`,
    }
  })
  return {
    subject: parts.map(({ subject }) => subject).join(' · '),
    text: `${parts.map(({ text }) => text).join('\n\n\n')}\n`,
    html: `<!doctype html>
<html><head><meta charset="utf-8"></head><body style='${style.body}'><div style="${style.card}">
${parts.map(({ html }) => html).join(`<hr style="${style.rule}">\n`)}
</div></body></html>
`,
  }
}
