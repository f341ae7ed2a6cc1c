/** Messages between instances through Redis: configuration changes, and requests to load the log into ClickHouse. */
import { createBatcher } from '../batcher.ts'
import type { RedisClient } from './client.ts'

const CHANGE = 'gw:change'
const FLUSH = 'gw:flush'
const DONE = 'gw:done:'
/** How long a change waits for the acknowledgements of all instances. */
const CHANGE_TIMEOUT_MS = 2_000

/** How long calls are collected for one barrier. */
const BARRIER_BATCH_MS = 3

type Question = { from: string; id: string; content?: unknown }

/**
 * How long to wait after Redis lost its memory until every disconnected instance has loaded its log: such an instance
 * accepts no readings meanwhile, and loads within half a second.
 */
const SETTLE_MS = 2_000

// When the current memory of Redis began, which a separate key records, and how many milliseconds ago that was.
const AGE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('SET', KEYS[1], string.format('%.0f', now), 'NX')
local born = redis.call('GET', KEYS[1])
return {born, string.format('%.0f', now - tonumber(born))}
`

export type Messages = {
  subscribe(listener: MessageListener): void
  /**
   * To be called once, with what resolves when all that this instance has logged is in ClickHouse. Other instances that
   * ask earlier wait: an instance that has not opened its log does not know what is in it.
   */
  answerFlush(flush: () => Promise<void>): void
  /** Resolves once every instance, including this one, has handled the change. */
  publishChange(change: object): Promise<void>
  /** Resolves once every instance has loaded all rows that it had logged when this was called. */
  loadedEverywhere(): Promise<void>
  /**
   * Resolves once every instance has loaded all rows that it had logged before Redis' memory began; readings accepted
   * since then are in that memory.
   */
  loadedBeforeMemory(): Promise<void>
}

export type MessageListener = {
  changed(change: unknown): void
  /** Messages may have been missed. */
  reconnected(): void
}

/** @param instanceId unique among the instances */
export async function joinInstances(
  client: RedisClient,
  instanceId: string,
  timeoutMs: number,
  onError: (error: unknown) => void,
): Promise<Messages> {
  const { redis, subscriber } = client
  redis.defineCommand('gwAge', { lua: AGE, numberOfKeys: 1 })
  const age = redis as unknown as { gwAge(key: string): Promise<[born: string, ageMs: string]> }
  const listeners: MessageListener[] = []
  const flush = Promise.withResolvers<() => Promise<void>>()
  const waiting = new Map<string, () => void>()

  async function answer(channel: string, { from, id, content }: Question): Promise<void> {
    if (channel === CHANGE) for (const listener of listeners) listener.changed(content)
    else await (await flush.promise)()
    await redis.publish(DONE + from, id)
  }

  subscriber.on('message', (channel: string, message: string) => {
    if (channel === DONE + instanceId) waiting.get(message)?.()
    else answer(channel, JSON.parse(message) as Question).catch(onError)
  })
  await subscriber.subscribe(CHANGE, FLUSH, DONE + instanceId)
  subscriber.on('ready', () => {
    for (const listener of listeners) listener.reconnected()
  })

  /** Resolves when every instance that receives the request, including this one, has responded. */
  async function askAll(channel: string, limitMs: number, content?: unknown): Promise<void> {
    const question: Question = { from: instanceId, id: Bun.randomUUIDv7(), content }
    const done = Promise.withResolvers<void>()
    let answers = 0
    let expected = Number.POSITIVE_INFINITY
    const check = (): void => {
      if (answers >= expected) done.resolve()
    }
    waiting.set(question.id, () => {
      answers++
      check()
    })
    // it may reject before it is awaited
    done.promise.catch(() => undefined)
    const timer = setTimeout(() => done.reject(new Error(`an instance did not respond on ${channel} in time`)), limitMs)
    try {
      expected = await redis.publish(channel, JSON.stringify(question))
      if (expected === 0) throw new Error('this instance is not subscribed to messages')
      check()
      await done.promise
    } finally {
      clearTimeout(timer)
      waiting.delete(question.id)
    }
  }

  const memory = (): Promise<[born: string, ageMs: string]> => age.gwAge(`gw:${client.generation()}:born`)
  // the start of the memory for which a barrier has completed
  let passedFor = ''

  async function barrier(): Promise<void> {
    const [born, ageMs] = await memory()
    const restMs = SETTLE_MS - Number(ageMs)
    if (restMs > 0) await Bun.sleep(restMs)
    await askAll(FLUSH, timeoutMs)
    passedFor = born
  }

  // one barrier starts after all calls that share it
  const shareBarrier = createBatcher<undefined, void>(BARRIER_BATCH_MS, barrier, true)
  const loadedEverywhere = (): Promise<void> => shareBarrier(undefined)

  return {
    subscribe(listener) {
      listeners.push(listener)
    },
    answerFlush: (load) => flush.resolve(load),
    publishChange: (change) => askAll(CHANGE, CHANGE_TIMEOUT_MS, change),
    loadedEverywhere,
    async loadedBeforeMemory() {
      const [born] = await memory()
      if (born !== passedFor) await loadedEverywhere()
    },
  }
}
