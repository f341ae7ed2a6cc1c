/** Sends readings to the server until each is durable there, or refused for good. */
import { createBackoff, sleep } from '../stores/backoff.ts'

/** A reading that the server does not store, as it answers. */
export type Refused = { reason: string; sensor: string | null; at?: unknown; channel?: string }

export type Delivered = { accepted: number; duplicates: number; refused: readonly Refused[] }

export type ServerOptions = {
  serverUrl: string
  fleetKey: string
  /** Called for each answer to a batch, or a part of it. */
  onDelivered(delivered: Delivered): void
  /** Called with why an attempt failed, and when the same batch is sent again. */
  onRetry(why: string, afterMs: number): void
  /** Called with a message that the server can never read. */
  onUnreadable(readings: readonly string[], why: string): void
}

/**
 * @param messages the readings of each message
 * @returns whether all of them are durable or refused for good; false if `stop` was aborted before
 */
export type Deliver = (messages: readonly (readonly string[])[], stop: AbortSignal) => Promise<boolean>

type Answer =
  | { outcome: 'delivered'; delivered: Delivered }
  /** `isFinal`: the server itself says so, and not a proxy before it. */
  | { outcome: 'unreadable'; isFinal: boolean; why: string }
  | { outcome: 'failed'; why: string; retryAfterMs: number | undefined }

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 15_000
const TIMEOUT_MS = 30_000
/** The body itself is at fault. Everything else can pass: a key is renewed, a limit ends, a proxy is repaired. */
const UNREADABLE = new Set([400, 413, 415, 422])

export function createDelivery(options: ServerOptions): Deliver {
  const { onDelivered, onRetry, onUnreadable } = options

  async function deliver(messages: readonly (readonly string[])[], stop: AbortSignal): Promise<boolean> {
    // a message that comes twice in a batch would be listed as refused
    const readings = [...new Set(messages.flat())]
    if (readings.length === 0) return true
    const backoff = createBackoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS)
    while (!stop.aborted) {
      const answer = await send(options, `{"readings":[${readings.join(',')}]}`)
      if (answer.outcome === 'delivered') {
        onDelivered(answer.delivered)
        return true
      }
      if (answer.outcome === 'unreadable') {
        // one message must not keep the others from being stored
        if (messages.length > 1) {
          const half = messages.length >> 1
          return (await deliver(messages.slice(0, half), stop)) && (await deliver(messages.slice(half), stop))
        }
        if (answer.isFinal) {
          onUnreadable(readings, answer.why)
          return true
        }
      }
      const retryAfterMs = answer.outcome === 'failed' ? answer.retryAfterMs : undefined
      onRetry(answer.why, retryAfterMs ?? backoff.nextMs())
      await (retryAfterMs === undefined ? backoff.pause(stop) : sleep(retryAfterMs, stop))
    }
    return false
  }

  return deliver
}

/** What of an answer is shown in the log. */
const SHOWN_CHARACTERS = 300

async function send({ serverUrl, fleetKey }: ServerOptions, body: string): Promise<Answer> {
  let response: Response
  let text: string
  try {
    response = await fetch(`${serverUrl}/ingest/readings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${fleetKey}`, 'content-type': 'application/json' },
      body,
      // the key is for this address only
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    text = await response.text()
  } catch (error) {
    return { outcome: 'failed', why: error instanceof Error ? error.message : String(error), retryAfterMs: undefined }
  }
  const envelope = envelopeIn(text)
  if (response.status === 200 && envelope?.code === 'SENSOR_READINGS_RESULT') {
    const { accepted, duplicates, refused } = envelope.data as { accepted: []; duplicates: []; refused: Refused[] }
    return { outcome: 'delivered', delivered: { accepted: accepted.length, duplicates: duplicates.length, refused } }
  }
  const why = `${response.status} ${envelope?.code ?? text.slice(0, SHOWN_CHARACTERS)}`
  if (UNREADABLE.has(response.status)) return { outcome: 'unreadable', isFinal: envelope?.ok === false, why }
  const retryAfterS = Number(response.headers.get('retry-after') ?? Number.NaN)
  return { outcome: 'failed', why, retryAfterMs: retryAfterS > 0 ? retryAfterS * 1_000 : undefined }
}

type Envelope = { ok: boolean; code: string; data: unknown }

/** The server's answer; undefined for a text that is none. */
function envelopeIn(text: string): Envelope | undefined {
  try {
    const value = JSON.parse(text) as Partial<Envelope> | null
    return typeof value?.ok === 'boolean' && typeof value.code === 'string' ? (value as Envelope) : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
