/**
 * Messages between instances through Redis: configuration changes, requests to load the log into ClickHouse, and
 * questions that one of them can answer.
 */

import { smallest } from '../../lists.ts'
import { createBatcher } from '../batcher.ts'
import type { RedisClient } from './client.ts'
import { countInstances } from './instance-count.ts'

const CHANGE = 'gw:change'
const FLUSH = 'gw:flush'
const DONE = 'gw:done:'
const ASK = 'gw:ask'
const ANSWER = 'gw:answer:'
/** How long a change waits for the acknowledgements of all instances. */
const CHANGE_TIMEOUT_MS = 2_000
const ANSWER_TIMEOUT_MS = 1_000

/** How long calls are collected for one barrier. */
const BARRIER_BATCH_MS = 3

type Question = { from: string; id: string; content?: unknown }
type Answer = { id: string; content: unknown }

/**
 * How long to wait after Redis lost its memory until every disconnected instance has loaded its log: such an instance
 * accepts no readings meanwhile, and loads within half a second.
 */
const SETTLE_MS = 2_000

export type Messages = {
  subscribe(listener: MessageListener): void
  /**
   * To be called once, with a function that resolves when all rows logged by this instance are in ClickHouse. Requests
   * of other instances wait until then: an instance that has not opened its log does not know its content.
   */
  answerFlush(flush: () => Promise<void>): void
  /** Resolves once every instance, including this one, has handled the change. */
  publishChange(change: object): Promise<void>
  /**
   * Resolves once every instance has loaded all rows, or all rows of one sensor, that it had logged when this was
   * called.
   */
  loadedEverywhere(sensor?: number): Promise<void>
  /** As `loadedEverywhere`, and fails while an instance is missing that was there within the last half minute. */
  loadedByAll(sensor?: number): Promise<void>
  /**
   * Resolves once every instance has loaded all rows of some sensors that it had logged before Redis' memory of them
   * began; readings accepted since then are in that memory.
   */
  loadedBeforeMemory(sensors: readonly number[]): Promise<void>
  /** To be called once, with a function that resolves with undefined if this instance does not know the answer. */
  answerQuestions(answer: (content: unknown) => Promise<unknown>): void
  /** The answer of the instance that knows it; undefined if none answers in time. */
  ask(content: object): Promise<unknown>
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
  const { subscriber, memories } = client
  const listeners: MessageListener[] = []
  const flush = Promise.withResolvers<() => Promise<void>>()
  const waiting = new Map<string, () => void>()
  const asked = new Map<string, (content: unknown) => void>()
  let answerOf: (content: unknown) => Promise<unknown> = async () => undefined
  const instances = countInstances(() => client.subscribers(CHANGE))

  async function answer(channel: string, { from, id, content }: Question): Promise<void> {
    if (channel === ASK) {
      const known = await answerOf(content)
      if (known !== undefined) await client.publish(ANSWER + from, JSON.stringify({ id, content: known }))
      return
    }
    if (channel === CHANGE) for (const listener of listeners) listener.changed(content)
    else await (await flush.promise)()
    await client.publish(DONE + from, id)
  }

  await subscriber.subscribe(
    [CHANGE, FLUSH, DONE + instanceId, ASK, ANSWER + instanceId],
    (channel, message) => {
      if (channel === DONE + instanceId) waiting.get(message)?.()
      else if (channel === ANSWER + instanceId) {
        const { id, content } = JSON.parse(message) as Answer
        asked.get(id)?.(content)
      } else answer(channel, JSON.parse(message) as Question).catch(onError)
    },
    () => {
      for (const listener of listeners) listener.reconnected()
    },
  )

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
    // may reject before it is awaited
    done.promise.catch(() => undefined)
    const timer = setTimeout(() => done.reject(new Error(`an instance did not respond on ${channel} in time`)), limitMs)
    try {
      expected = await client.publish(channel, JSON.stringify(question))
      if (expected === 0) throw new Error('this instance is not subscribed to messages')
      check()
      await done.promise
    } finally {
      clearTimeout(timer)
      waiting.delete(question.id)
    }
  }

  // the memory of each shard for which a barrier has completed
  const passedFor = new Map<number, string>()

  async function barrier(shards: readonly number[]): Promise<void> {
    const found = await Promise.all(shards.map(async (shard) => ({ shard, memory: await memories.current(shard) })))
    const restMs = SETTLE_MS - smallest(found.map(({ memory }) => memory.ageMs))
    if (restMs > 0) await Bun.sleep(restMs)
    // no other instance knows the readings in the log of an instance that ended together with Redis
    if (found.some(({ shard, memory }) => memory.id !== passedFor.get(shard)))
      await instances.untilAllAreBack(timeoutMs / 2)
    const settled = memories.known().filter(({ memory }) => memory.ageMs >= SETTLE_MS)
    await askAll(FLUSH, timeoutMs)
    for (const { shard, memory } of [...settled, ...found]) passedFor.set(shard, memory.id)
  }

  // one barrier starts after all calls that share it
  const shareBarrier = createBatcher<number, void>(BARRIER_BATCH_MS, barrier, true)

  /** The shard whose memory began last. */
  function youngest(): number {
    const [first, ...others] = memories.known()
    if (first === undefined) return 0
    return others.reduce((a, b) => (b.memory.ageMs < a.memory.ageMs ? b : a), first).shard
  }

  return {
    subscribe(listener) {
      listeners.push(listener)
    },
    answerFlush: (load) => flush.resolve(load),
    publishChange: (change) => askAll(CHANGE, CHANGE_TIMEOUT_MS, change),
    loadedEverywhere: (sensor) => shareBarrier(sensor === undefined ? youngest() : memories.shardOf(sensor)),
    async loadedByAll(sensor) {
      await instances.untilAllAreBack(timeoutMs / 2)
      await shareBarrier(sensor === undefined ? youngest() : memories.shardOf(sensor))
    },
    async loadedBeforeMemory(sensors) {
      const shards = [...new Set(sensors.map((sensor) => memories.shardOf(sensor)))]
      const isNew = async (shard: number): Promise<boolean> =>
        (await memories.current(shard)).id !== passedFor.get(shard)
      await Promise.all(shards.map(async (shard) => ((await isNew(shard)) ? shareBarrier(shard) : undefined)))
    },
    answerQuestions(of) {
      answerOf = of
    },
    async ask(content) {
      const question: Question = { from: instanceId, id: Bun.randomUUIDv7(), content }
      const answered = Promise.withResolvers<unknown>()
      asked.set(question.id, answered.resolve)
      const timer = setTimeout(() => answered.resolve(undefined), ANSWER_TIMEOUT_MS)
      try {
        await client.publish(ASK, JSON.stringify(question))
        return await answered.promise
      } finally {
        clearTimeout(timer)
        asked.delete(question.id)
      }
    },
  }
}
