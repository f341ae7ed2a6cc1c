/**
 * Observes the answers of ingestion: rhythms of sensors, accepted and refused readings with reasons, and readings for
 * live tails. An accepted call costs one look at its times and a few operations in memory.
 */
import { AppError } from '../../errors.ts'
import type { Batch, SensorProfile } from '../../ingest/batch.ts'
import type { Ingest } from '../../ingest/ingest.ts'
import type { ReadingsCall } from '../../ingest/validate.ts'
import type { ReadingTail } from '../stream/reading-tail.ts'
import type { Activity } from './activity.ts'
import { exampleOfBody, exampleOfValue, safeExample } from './refusal-example.ts'
import type { SensorRhythms } from './sensor-rhythms.ts'

export type Receipts = {
  /** Notes a call that was refused before its body was read. */
  refusedKey(profile: SensorProfile, code: string, token: string | undefined, nowMs: number): void
  /** Wraps the ingestion. */
  watch(ingest: Ingest): Ingest
}

export type ReceiptsDeps = { activity: Activity; rhythms: SensorRhythms; tail: ReadingTail }

// outcomes of ingest/batch.ts
const NEW = 0
const REFUSED = 2
/** Of parts of what was sent: the rest of the point is accepted, or the other value of the conflict is stored. */
const OF_PARTS: ReadonlySet<string> = new Set([
  'SENSOR_FIELD_TEXT',
  'SENSOR_READING_NO_TIME',
  'SENSOR_READING_CONFLICT',
])

export function createReceipts({ activity, rhythms, tail }: ReceiptsDeps): Receipts {
  function noteAccepted(profile: SensorProfile, batch: Batch, nowMs: number): void {
    const { count, outcomes, times } = batch
    let accepted = 0
    let newestMs = Number.NEGATIVE_INFINITY
    for (let i = 0; i < count; i++) {
      if (outcomes[i] === REFUSED) continue
      if (outcomes[i] === NEW) accepted++
      if ((times[i] as number) > newestMs) newestMs = times[i] as number
    }
    if (newestMs === Number.NEGATIVE_INFINITY) return
    // a duplicate is also a well-formed call of the sensor
    activity.accepted(profile, accepted, nowMs)
    if (accepted > 0) rhythms.note(profile.enterprise, profile.sensor, newestMs)
  }

  /** The body is parsed again only for an example, which is needed rarely. */
  function noteRefused({ profile, body, source, nowMs }: ReadingsCall, batch: Batch): void {
    const isWhole = batch.refused.length === batch.count && !batch.refused.every(({ reason }) => OF_PARTS.has(reason))
    const counts = new Map<string, number>()
    for (const { reason } of batch.refused) counts.set(reason, (counts.get(reason) ?? 0) + 1)
    let refusedIndexes: number[] | undefined
    const exampleOf = (reason: string): string => {
      refusedIndexes ??= Array.from(batch.outcomes.subarray(0, batch.count).keys()).filter(
        (i) => batch.outcomes[i] === REFUSED,
      )
      const number = batch.refused.findIndex((one) => one.reason === reason)
      const index = refusedIndexes[number]
      if (source === undefined) return exampleOfReading(body, index)
      const sent = source.sent(index ?? 0)
      const channel = reason === 'SENSOR_READING_UNKNOWN_CHANNEL' ? batch.refused[number]?.channel : undefined
      return channel === undefined || hasNames(sent) ? exampleOfSent(sent) : exampleOfValue({ channel, sent })
    }
    for (const [reason, count] of counts)
      activity.refused(profile, reason, count, nowMs, isWhole, () => exampleOf(reason))
  }

  function noteFailure(profile: SensorProfile, error: unknown, nowMs: number, body?: Uint8Array): void {
    // a failure of the server is unrelated to the sensor
    if (!(error instanceof AppError) || error.status >= 500) return
    activity.refused(profile, error.code, 1, nowMs, true, () => (body === undefined ? '' : exampleOfBody(body)))
  }

  return {
    refusedKey(profile, code, token, nowMs) {
      const isWrongKey = code === 'SENSOR_KEY_INVALID'
      // a stranger with a wrong key must not make a working sensor look refused
      const isWhole = !isWrongKey || !rhythms.isSending(profile.sensor, nowMs)
      activity.refused(profile, code, 1, nowMs, isWhole, () => (isWrongKey ? exampleOfKey(token) : ''))
    },
    watch: (ingest) => ({
      ...ingest,
      countCall(profile, nowMs, error) {
        noteFailure(profile, error, nowMs)
        return ingest.countCall(profile, nowMs, error)
      },
      async accept(call, render) {
        const { profile, body, nowMs } = call
        let publish: (() => void) | undefined
        try {
          const answer = await ingest.accept(call, (batch) => {
            noteAccepted(profile, batch, nowMs)
            if (batch.refused.length > 0 && call.isUpload !== true) noteRefused(call, batch)
            publish = tail.readingsOf(profile.sensor, batch)
            return render(batch)
          })
          publish?.()
          return answer
        } catch (error) {
          if (call.isUpload !== true) noteFailure(profile, error, nowMs, body)
          throw error
        }
      },
    }),
  }
}

function exampleOfReading(body: Uint8Array, index: number | undefined): string {
  try {
    const { readings } = JSON.parse(new TextDecoder().decode(body)) as { readings: unknown[] }
    return exampleOfValue(readings[index ?? 0])
  } catch {
    // invalid JSON is refused as a whole, so this text is close to the body
    return exampleOfBody(body)
  }
}

/** Whether the names of channels are as in a reading. A line or a record names them in another way, or only in part. */
const hasNames = (sent: unknown): boolean => typeof sent === 'object' && sent !== null && 'values' in sent

const exampleOfSent = (sent: unknown): string => (typeof sent === 'string' ? safeExample(sent) : exampleOfValue(sent))

/** Just enough to identify the key that a device uses. */
function exampleOfKey(token: string | undefined): string {
  if (token === undefined || token === '') return 'no key'
  return safeExample(token.length < 16 ? '…' : `…${token.slice(-4)}`)
}
