/**
 * Takes messages from the broker, sends their readings to the server in batches, and acknowledges each message once its
 * readings are durable there, or refused for good. Nothing is kept here: a message that is not acknowledged comes again.
 */
import type { Logger } from 'pino'
import type { BridgeConfig } from '../config/mqtt-bridge.ts'
import { MAX_READINGS_OF_MANY } from '../errors.ts'
import { createBackoff, sleep } from '../stores/backoff.ts'
import { type BrokerMessage, openBroker, TakenOver } from './broker.ts'
import { BrokenMessage, createMessageReader } from './messages.ts'
import { createDelivery } from './server.ts'

type Held = {
  id: number | undefined
  topic: string
  readings: readonly string[]
  characters: number
  broken: BrokenMessage | undefined
}

/** A fleet key may call 600 times a minute by default. */
const BATCH_EVERY_MS = 120
/** At most 3 bytes each: a body may have 5 MB by default. */
const BATCH_CHARACTERS = 1_500_000
/** Above it, no more messages are read from the broker. */
const HELD_CHARACTERS = 64_000_000
const HEALTH_EVERY_MS = 60_000
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 15_000
const TAKEN_OVER_PAUSE_MS = 60_000

/** @returns a function that stops the bridge, once the batch under way is durable or has failed */
export function startBridge(config: BridgeConfig, logger: Logger): () => Promise<void> {
  const read = createMessageReader(config)
  const stop = new AbortController()
  const backoff = createBackoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS)
  const state = { isConnected: false, held: 0 }
  const counts = { messages: 0, accepted: 0, duplicates: 0, failedCalls: 0 }
  /** What the server listed as refused, and broken messages, by reason. */
  const reasons: Record<string, number> = {}

  const count = (items: readonly { reason: string }[]): Record<string, number> => {
    const found: Record<string, number> = {}
    for (const { reason } of items) {
      found[reason] = (found[reason] ?? 0) + 1
      reasons[reason] = (reasons[reason] ?? 0) + 1
    }
    return found
  }

  const deliver = createDelivery({
    ...config,
    onDelivered({ accepted, duplicates, refused }) {
      counts.accepted += accepted
      counts.duplicates += duplicates
      const reasons = count(refused)
      const lost = refused.find(({ reason }) => reason !== 'SENSOR_READING_NO_TIME')
      if (lost !== undefined) logger.warn({ reasons, example: lost }, 'the server refused readings for good')
    },
    onRetry(why, afterMs) {
      counts.failedCalls++
      logger.warn(
        { why, afterMs },
        'the server did not take readings; they are sent again, and not acknowledged before',
      )
    },
    onUnreadable(readings, why) {
      count([{ reason: 'not_taken' }])
      logger.warn({ why, readings: readings.length }, 'the server cannot read a message, which is acknowledged')
    },
  })

  function hold({ id, topic, payload }: BrokerMessage): Held {
    counts.messages++
    try {
      const readings = read(topic, payload, Date.now())
      const characters = readings.reduce((sum, { length }) => sum + length + 1, 0)
      return { id, topic, readings, characters, broken: undefined }
    } catch (error) {
      if (!(error instanceof BrokenMessage)) throw error
      return { id, topic, readings: [], characters: 0, broken: error }
    }
  }

  function note(batch: readonly Held[]): void {
    const broken = batch.flatMap(({ topic, broken: error }) => (error === undefined ? [] : { topic, error }))
    const first = broken[0]
    if (first === undefined) return
    const example = { topic: first.topic, why: first.error.message }
    const found = count(broken.map(({ error }) => error))
    logger.warn({ reasons: found, example }, 'broken messages are acknowledged, and nothing of them is stored')
  }

  /** Bridges as long as a connection lasts. @returns why it ended */
  async function bridge(): Promise<Error> {
    const held: Held[] = []
    let characters = 0
    let wake = Promise.withResolvers<void>()
    let goOn: (() => void) | undefined
    const ended = new AbortController()
    const connection = openBroker({
      ...config,
      onMessage(message, next) {
        const one = hold(message)
        held.push(one)
        state.held++
        characters += one.characters
        wake.resolve()
        if (characters < HELD_CHARACTERS) next()
        else goOn = next
      },
      onSubscribed(hadSession) {
        state.isConnected = true
        backoff.reset()
        logger.info({ hadSession }, 'connected to the broker')
      },
    })
    const closed = connection.closed.finally(() => ended.abort())
    const end = AbortSignal.any([stop.signal, ended.signal])
    end.addEventListener('abort', () => wake.resolve())

    while (!end.aborted) {
      const startedMs = performance.now()
      const batch = held.splice(0, batchLength(held))
      if (batch.length === 0) {
        wake = Promise.withResolvers()
        await wake.promise
        continue
      }
      const isDone = await deliver(
        batch.map(({ readings }) => readings),
        end,
      )
      if (!isDone) break
      connection.acknowledge(batch.flatMap(({ id }) => id ?? []))
      note(batch)
      state.held -= batch.length
      characters -= batch.reduce((sum, one) => sum + one.characters, 0)
      goOn?.()
      goOn = undefined
      await sleep(startedMs + BATCH_EVERY_MS - performance.now(), end)
    }
    if (!ended.signal.aborted) await connection.end()
    state.isConnected = false
    state.held = 0
    return closed
  }

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      const why = await bridge()
      if (stop.signal.aborted) return
      const afterMs = why instanceof TakenOver ? TAKEN_OVER_PAUSE_MS : backoff.nextMs()
      logger.warn({ why: why.message, afterMs }, 'no connection to the broker')
      await (why instanceof TakenOver ? sleep(afterMs, stop.signal) : backoff.pause(stop.signal))
    }
  }

  const running = run()
  const health = setInterval(() => logger.info({ ...state, ...counts, reasons }, 'health'), HEALTH_EVERY_MS)
  return async () => {
    stop.abort()
    clearInterval(health)
    await running
    logger.info({ ...counts, reasons }, 'the bridge has stopped')
  }
}

/** How many of the messages fit into a call, at least one. */
function batchLength(held: readonly Held[]): number {
  let readings = 0
  let characters = 0
  const end = held.findIndex((one) => {
    readings += one.readings.length
    characters += one.characters
    return readings > MAX_READINGS_OF_MANY || characters > BATCH_CHARACTERS
  })
  return end < 0 ? held.length : Math.max(1, end)
}
