/**
 * Sends the mails of destinations and to people. Every instance takes what is due, with a lease: if an instance dies,
 * another one sends the mail again, so an address may get it twice.
 */
import type { Mail } from '../../access/mail/mail.ts'
import { isolated } from '../../placeholders.ts'
import { sleep } from '../../stores/backoff.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import type { Database } from '../../stores/postgres/client.ts'
import {
  type DueMail,
  endMail,
  LEASE_S,
  type MailEnd,
  releaseMail,
  takeMails,
} from '../../stores/postgres/destinations/mail-queue.ts'
import {
  endPersonalMail,
  type PersonalMail,
  takePersonalMail,
} from '../../stores/postgres/destinations/personal-mails.ts'
import type { AttemptKind } from '../deliver.ts'
import { GIVE_UP_AFTER_MS, nextAttemptAt } from '../retry.ts'
import { eventMail, type MailContent, personMail, plain } from './event-mail.ts'
import { unsubscribePath } from './mail-links.ts'
import { MAIL_WORDS } from './mail-words.ts'
import { type SensorCurve, sensorCurve } from './sensor-curve.ts'

export type MailerOptions = {
  db: Database
  clickhouse: ClickHouse
  mail: Mail
  /** The server's secret, which signs links. */
  secret: string
  /** DELIVERY_TIME_SCALE */
  timeScale: number
  publicUrl: string
  onAttempt(outcome: AttemptKind): void
  onError(error: unknown): void
}

export type Mailer = { stop(): Promise<void> }

/** As many mails at the same time as there are connections. */
const MAILS = 2
const LOOK_MS = 1_000
const CURVES = 3
const ANSWER_CHARACTERS = 1_000
const AUTOMATIC = { 'Auto-Submitted': 'auto-generated' }

type Failed = { isPermanent: boolean; statusCode: number | null; failure: string | null; answer: string | null }

export function startMailer(options: MailerOptions): Mailer {
  const { db, clickhouse, mail, secret, timeScale, publicUrl, onAttempt, onError } = options
  const stopping = new AbortController()
  const { signal } = stopping

  async function curvesOf({ enterpriseId, events }: DueMail): Promise<Map<number, SensorCurve>> {
    const curves = new Map<number, SensorCurve>()
    for (const [i, event] of events.slice(0, CURVES).entries()) {
      // a mail without its picture is better than none
      const curve = await sensorCurve(db, clickhouse, enterpriseId, event).catch(onError)
      if (curve !== undefined) curves.set(i, curve)
    }
    return curves
  }

  async function contentOf(due: DueMail): Promise<MailContent & { headers: Record<string, string> }> {
    const { language, destinationName, events, addressId } = due
    const words = MAIL_WORDS[language]
    const url = publicUrl + unsubscribePath(addressId, secret)
    const content = eventMail({
      language,
      title: destinationName,
      events,
      curves: await curvesOf(due),
      foot: { text: words.why(isolated(plain(destinationName))), link: { words: words.stop, url } },
    })
    const headers = {
      ...AUTOMATIC,
      'List-Unsubscribe': `<${url}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    }
    return { ...content, headers }
  }

  async function sendDue(due: DueMail): Promise<void> {
    const beganMs = performance.now()
    const facts = () => ({ durationMs: Math.round(performance.now() - beganMs) })
    // events that are gone by now are not sent
    if (due.events.length === 0)
      return endMail(db, due, { ...NO_ANSWER, ...facts(), status: 'failed', next: undefined, giveUpAfterMs: Infinity })
    let end: MailEnd
    try {
      const content = await contentOf(due)
      const answer = await mail.deliver({ to: due.email, ...content })
      end = {
        statusCode: Number(answer.slice(0, 3)),
        failure: null,
        answer: shown(answer),
        ...facts(),
        status: 'delivered',
      }
    } catch (error) {
      if (signal.aborted) return releaseMail(db, due)
      const { isPermanent, ...failed } = failureOf(error)
      // the owner sees what the receiver said, the operator the rest
      if (failed.answer === null) onError(error)
      const attempts = { count: due.attempts, firstAt: new Date(due.firstAttemptMs), lastAt: new Date() }
      const next = isPermanent ? undefined : nextAttemptAt(attempts, timeScale, Math.random)
      end = { ...failed, ...facts(), status: 'failed', next, giveUpAfterMs: GIVE_UP_AFTER_MS / timeScale }
    }
    onAttempt(end.status === 'delivered' ? 'delivered' : end.statusCode === null ? 'unreachable' : 'refused')
    await store(() => endMail(db, due, end), beganMs)
  }

  async function sendToPerson(own: PersonalMail): Promise<void> {
    const { email, type, data, attempts, storedMs } = own
    const storedAt = new Date(storedMs)
    let next: Date | undefined
    try {
      const content = personMail({ type, timestamp: storedAt.toISOString(), data }, `${publicUrl}/portal`)
      await mail.deliver({ to: email, ...content, headers: AUTOMATIC })
    } catch (error) {
      onError(error)
      const all = { count: attempts, firstAt: storedAt, lastAt: new Date() }
      next = failureOf(error).isPermanent ? undefined : nextAttemptAt(all, timeScale, Math.random)
    }
    await endPersonalMail(db, own, next)
  }

  /** Tries for as long as the lease lasts, since the mail would be sent again otherwise. */
  async function store(end: () => Promise<void>, beganMs: number): Promise<void> {
    for (;;)
      try {
        return await end()
      } catch (error) {
        if (signal.aborted || performance.now() > beganMs + LEASE_S * 1_000) throw error
        onError(error)
        await sleep(LOOK_MS, signal)
      }
  }

  /** @returns whether there was anything to send */
  async function sendNext(): Promise<boolean> {
    const [due] = await takeMails(db, { limit: 1, publicUrl })
    if (due !== undefined) await sendDue(due)
    const own = await takePersonalMail(db)
    if (own !== undefined) await sendToPerson(own)
    return due !== undefined || own !== undefined
  }

  async function work(): Promise<void> {
    while (!signal.aborted) {
      const isBusy = await sendNext().catch((error: unknown) => {
        onError(error)
        return false
      })
      if (!isBusy) await sleep(LOOK_MS, signal)
    }
  }

  const working = Promise.all(Array.from({ length: MAILS }, work))
  return {
    async stop() {
      stopping.abort()
      await working
    },
  }
}

const NO_ANSWER = { statusCode: null, failure: null, answer: null }
const shown = (answer: string): string => answer.slice(0, ANSWER_CHARACTERS)

/** Only what a mail server says about this recipient or this mail is final; all else may be different later. */
export function failureOf(error: unknown): Failed {
  const { code, command, responseCode, response } = error as {
    code?: string
    command?: string
    responseCode?: number
    response?: string
  }
  const isOfMail = command === 'RCPT TO' || command === 'DATA'
  if (responseCode !== undefined && isOfMail)
    return {
      isPermanent: responseCode >= 500 && responseCode !== 503,
      statusCode: responseCode,
      failure: null,
      answer: shown(response ?? ''),
    }
  const failure =
    code === 'ETIMEDOUT' ? 'timeout' : code === 'ETLS' ? 'tls' : code === 'EAUTH' ? 'sign-in' : 'unreachable'
  return { isPermanent: false, statusCode: responseCode ?? null, failure, answer: null }
}
