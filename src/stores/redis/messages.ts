/** What instances say to each other through Redis: that configuration changed, and "load what you have logged". */
import type { RedisClient } from './client.ts'

const CHANGES = 'gw:changes'
const FLUSH = 'gw:flush'
const FLUSHED = 'gw:flushed:'

/**
 * How long after its memory was lost a Redis is given until every instance that was cut off has loaded what it had
 * logged: they take no readings meanwhile, and load within half a second.
 */
const SETTLE_MS = 2_000

// When this memory of Redis began, which a key of no other use remembers, and how many milliseconds ago that was.
const AGE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('SET', KEYS[1], string.format('%.0f', now), 'NX')
local born = redis.call('GET', KEYS[1])
return {born, string.format('%.0f', now - tonumber(born))}
`

export type Messages = {
  /** Tells every instance, this one included. */
  publishChange(change: object): Promise<void>
  /** Resolves once every instance has loaded what it had logged when this was called. */
  loadedEverywhere(): Promise<void>
  /**
   * Resolves once every instance has loaded what it had logged before Redis' memory began; what was answered since
   * is in that memory.
   */
  loadedBeforeMemory(): Promise<void>
}

export type MessageHandlers = {
  onChange(change: unknown): void
  /** Messages may have been missed. */
  onReconnect(): void
  flush(): Promise<void>
  onError(error: unknown): void
}

/** @param instanceId names this process among the instances */
export async function joinInstances(
  client: RedisClient,
  instanceId: string,
  timeoutMs: number,
  handlers: MessageHandlers,
): Promise<Messages> {
  const { redis, subscriber } = client
  redis.defineCommand('gwAge', { lua: AGE, numberOfKeys: 1 })
  const age = redis as unknown as { gwAge(key: string): Promise<[born: string, ageMs: string]> }
  const waiting = new Map<string, () => void>()
  let next: Promise<void> | undefined

  async function flushFor(requester: string, request: string): Promise<void> {
    await handlers.flush()
    await redis.publish(FLUSHED + requester, request)
  }

  subscriber.on('message', (channel: string, message: string) => {
    if (channel === CHANGES) handlers.onChange(JSON.parse(message))
    else if (channel === FLUSH) {
      const [requester, request] = message.split(' ') as [string, string]
      flushFor(requester, request).catch(handlers.onError)
    } else waiting.get(message)?.()
  })
  await subscriber.subscribe(CHANGES, FLUSH, FLUSHED + instanceId)
  subscriber.on('ready', handlers.onReconnect)

  const memory = (): Promise<[born: string, ageMs: string]> => age.gwAge(`gw:${client.generation()}:born`)
  // the memory that a barrier has been passed for
  let passedFor = ''

  async function barrier(): Promise<void> {
    const [born, ageMs] = await memory()
    const restMs = SETTLE_MS - Number(ageMs)
    if (restMs > 0) await Bun.sleep(restMs)
    const request = Bun.randomUUIDv7()
    const done = Promise.withResolvers<void>()
    let answers = 0
    let expected = Number.POSITIVE_INFINITY
    const check = (): void => {
      if (answers >= expected) done.resolve()
    }
    waiting.set(request, () => {
      answers++
      check()
    })
    const timer = setTimeout(() => done.reject(new Error('an instance did not load its log in time')), timeoutMs)
    try {
      expected = await redis.publish(FLUSH, `${instanceId} ${request}`)
      if (expected === 0) throw new Error('this instance does not hear the others')
      check()
      await done.promise
      passedFor = born
    } finally {
      clearTimeout(timer)
      waiting.delete(request)
    }
  }

  function loadedEverywhere(): Promise<void> {
    // those who ask within a moment share one; it starts after all of them have asked
    next ??= Bun.sleep(3).then(() => {
      next = undefined
      return barrier()
    })
    return next
  }

  return {
    async publishChange(change) {
      await redis.publish(CHANGES, JSON.stringify(change))
    },
    loadedEverywhere,
    async loadedBeforeMemory() {
      const [born] = await memory()
      if (born !== passedFor) await loadedEverywhere()
    },
  }
}
