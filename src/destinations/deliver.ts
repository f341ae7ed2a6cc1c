/**
 * Delivers events to the destinations of enterprises. Every instance takes deliveries that are due, with a lease: if an
 * instance dies, another one makes the attempt again, so a receiver may get an event twice, with the same id.
 */
import type { Postgres } from '../stores/postgres/client.ts'
import {
  type AttemptEnd,
  type EndedAttempt,
  endAttempts,
  releaseDelivery,
} from '../stores/postgres/destinations/attempt-ends.ts'
import { type DueDelivery, LEASE_S, takeDeliveries } from '../stores/postgres/destinations/delivery-queue.ts'
import { type DestinationSecrets, openSecrets, validSecrets } from './destination-secrets.ts'
import { pagerDutyBody } from './forms/pagerduty.ts'
import { slackBody } from './forms/slack.ts'
import { standardBody } from './forms/standard.ts'
import { teamsBody } from './forms/teams.ts'
import type { WebhookEvent } from './forms/words.ts'
import { GIVE_UP_AFTER_MS, nextAttemptAt } from './retry.ts'
import { type Outcome, sendWebhook } from './send.ts'
import { signedHeaders } from './signature.ts'
import type { Allow } from './targets.ts'

/** `internal`: the server could not make the attempt. */
export type AttemptKind = 'delivered' | 'refused' | 'unreachable' | 'internal'

export type DeliveryOptions = {
  postgres: Pick<Postgres, 'db' | 'listen'>
  /** The server's secret, with which secrets of destinations are encrypted. */
  secret: string
  allow: Allow
  /** DELIVERY_TIME_SCALE */
  timeScale: number
  /** The address of the server in links. */
  publicUrl: string
  /** Whether ingestion needs the processor. */
  isBusy(): boolean
  onAttempt(outcome: AttemptKind): void
  onError(error: unknown): void
}

/** `internal`: the server could not make the attempt. */
type AttemptOutcome = Outcome | { kind: 'failed'; reason: 'internal'; durationMs: number }

export type Deliveries = { stop(): Promise<void> }

const LOOK_MS = 1_000
/** From a look to the next one after an attempt, since the next one of its subject may begin, and after new deliveries. */
const SOON_MS = 30
/** Beside ingestion at full speed: a look costs as much as many attempts. */
const BUSY_MS = 100
/** Attempts of this instance at the same time. */
const MAX_ATTEMPTS = 64
const LONGEST_RETRY_AFTER_MS = 6 * 3_600_000
const GONE = 410

export function startDeliveries(options: DeliveryOptions): Deliveries {
  const { postgres, secret, allow, timeScale, publicUrl, isBusy, onAttempt, onError } = options
  const { db } = postgres
  const stopping = new AbortController()
  const { signal } = stopping
  const underWay = new Set<Promise<void>>()
  /** Attempts whose ends the next look stores together. */
  const ended: (EndedAttempt & { untilMs: number })[] = []
  let looking: Promise<void> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  /** When the last look ended, and when the next one begins. */
  let lookedMs = Number.NEGATIVE_INFINITY
  let dueMs = Number.POSITIVE_INFINITY
  /** Whether something may have become due during a look. */
  let isWanted = false

  /** A look a while after the last one has more to do at once. */
  function lookSoon(): void {
    lookIn(Math.max(0, lookedMs + (isBusy() ? BUSY_MS : SOON_MS) - performance.now()))
  }

  /** Only ever earlier than planned: attempts that end all the time must not put a look off. */
  function lookIn(ms: number): void {
    isWanted ||= looking !== undefined
    const atMs = performance.now() + ms
    if (signal.aborted || looking !== undefined || atMs >= dueMs) return
    clearTimeout(timer)
    dueMs = atMs
    timer = setTimeout(() => {
      dueMs = Number.POSITIVE_INFINITY
      isWanted = false
      looking = look()
    }, ms)
  }

  async function look(): Promise<void> {
    try {
      await storeEnds()
      const limit = MAX_ATTEMPTS - underWay.size
      // without a free attempt, the end of one begins the next look
      if (limit === 0) return
      const { deliveries, isMore } = await takeDeliveries(db, { limit, timeScale, publicUrl, bodyOf: lastingBody })
      isWanted ||= isMore
      for (const delivery of deliveries) {
        const attempt: Promise<void> = make(delivery)
          .catch(onError)
          .finally(() => {
            underWay.delete(attempt)
            lookSoon()
          })
        underWay.add(attempt)
      }
    } catch (error) {
      onError(error)
    } finally {
      looking = undefined
      lookedMs = performance.now()
      if (isWanted) lookSoon()
      else lookIn(LOOK_MS)
    }
  }

  /** Tries for as long as the lease lasts: otherwise the receiver would get the event again, and its connection stay taken. */
  async function storeEnds(): Promise<void> {
    const given = ended.splice(0)
    if (given.length === 0) return
    let left: readonly EndedAttempt[] = given
    try {
      left = await endAttempts(db, given)
    } finally {
      ended.unshift(...given.filter((one) => left.includes(one) && performance.now() < one.untilMs))
    }
  }

  async function make(delivery: DueDelivery): Promise<void> {
    let outcome: AttemptOutcome
    try {
      outcome = await attempt(delivery)
    } catch (error) {
      if (signal.aborted) return releaseDelivery(db, delivery)
      // such as a secret that the server cannot decrypt any more: tried again like a failure of the receiver
      onError(error)
      outcome = { kind: 'failed', reason: 'internal', durationMs: 0 }
    }
    onAttempt(kindOf(outcome))
    ended.push({ delivery, end: endOf(delivery, outcome), untilMs: performance.now() + LEASE_S * 1_000 })
  }

  async function attempt(delivery: DueDelivery): Promise<Outcome> {
    const { destinationId, sealedSecrets, eventId: id, url } = delivery
    const secrets = openSecrets(destinationId, sealedSecrets, secret)
    const body = bodyOf(delivery, secrets)
    const at = new Date()
    const signed = { id, at, body, secrets: validSecrets(secrets, at.getTime()), privateKey: secrets.privateKey }
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': 'Groundwave',
      ...secrets.headers,
      ...signedHeaders(signed),
    }
    return sendWebhook({ url, headers, body, allow, signal })
  }

  function endOf({ attempts: count, firstAttemptMs }: DueDelivery, outcome: AttemptOutcome): AttemptEnd {
    const { durationMs } = outcome
    const isAnswer = outcome.kind === 'answered'
    const statusCode = isAnswer ? outcome.statusCode : null
    const facts = {
      statusCode,
      failure: isAnswer ? null : outcome.reason,
      answer: isAnswer ? outcome.answer : null,
      durationMs,
    }
    if (statusCode !== null && isSuccess(statusCode)) return { ...facts, status: 'delivered' }
    const [firstAt, lastAt] = [new Date(firstAttemptMs), new Date()]
    const retryAfterMs = isAnswer ? outcome.retryAfterMs : undefined
    const isGone = statusCode === GONE
    const next = isGone ? undefined : nextAttemptAt({ count, firstAt, lastAt, retryAfterMs }, timeScale, Math.random)
    const notBefore =
      retryAfterMs === undefined
        ? undefined
        : new Date(lastAt.getTime() + Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS))
    return { ...facts, status: 'failed', next, notBefore, isGone, giveUpAfterMs: GIVE_UP_AFTER_MS / timeScale }
  }

  // without it, new deliveries wait for the next look
  postgres.listen('deliveries', lookSoon, onError)
  lookIn(0)
  return {
    async stop() {
      stopping.abort()
      clearTimeout(timer)
      await looking
      await Promise.all(underWay)
      await storeEnds().catch(onError)
    },
  }
}

const isSuccess = (statusCode: number): boolean => statusCode >= 200 && statusCode < 300

function kindOf(outcome: AttemptOutcome): AttemptKind {
  if (outcome.kind === 'answered') return isSuccess(outcome.statusCode) ? 'delivered' : 'refused'
  return outcome.reason === 'internal' ? 'internal' : 'unreachable'
}

/** What all attempts send. With a routing key it is not kept, and a test has kept its event. */
const lastingBody = (delivery: DueDelivery): Uint8Array | null =>
  delivery.format === 'pagerduty' || delivery.event === null ? null : FORMS[delivery.format](delivery.event)

function bodyOf(delivery: DueDelivery, { routingKey = '' }: DestinationSecrets): Uint8Array {
  const { format, body, type } = delivery
  if (format === 'pagerduty') return pagerDutyBody(eventOf(delivery), routingKey)
  return body === null || type === 'destination.test' ? FORMS[format](eventOf(delivery)) : body
}

const FORMS = { standard: standardBody, slack: slackBody, teams: teamsBody } as const

function eventOf({ id, eventId, event, body }: DueDelivery): WebhookEvent {
  if (event !== null) return event
  if (body === null) throw new Error(`the event of the delivery ${id} is gone`)
  return { ...(JSON.parse(new TextDecoder().decode(body)) as Omit<WebhookEvent, 'id'>), id: eventId }
}
