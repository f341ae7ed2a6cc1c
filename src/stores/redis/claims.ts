/**
 * Stored times of sensors in Redis: one set of integers per sensor and 65 seconds, whose members are milliseconds from
 * the middle of that span. They fit into 16 bits, so a set of up to 512 members is an intset with two bytes per reading
 * (Redis: "Memory optimization", special encoding of small aggregate data types).
 *
 * A set that exists is complete. A sensor also has `top`, its newest stored time: nothing is stored above it, and if a
 * set below it is missing, only ClickHouse knows. All keys of a sensor share a hash tag.
 *
 * After a deletion, new sets get other names, so sets of times that may have been deleted are never read again and
 * expire.
 *
 * The lock of a sensor also names what its request may log. A request that does not end, because its instance was
 * killed, may have logged readings that nobody published. So its lock outlives its lease, and the next request asks
 * ClickHouse about them.
 *
 * Where servers fail over, every script is fenced (memories.ts).
 */
import type { RedisClient } from './client.ts'
import { FENCE } from './memories.ts'

export const BUCKET_MS = 65_000
const MIDDLE = 32_500
/** A member that is not a time, so that a complete set without times can exist. */
const NO_TIME = 32_767

/** How much longer a sensor's `top` and its lock are kept than its sets. */
const TOP_TTL_EXTRA_MS = 2 * 86_400_000

export const bucketOf = (ms: number): number => Math.floor(ms / BUCKET_MS)

const OWNER = `
local function owner(key) return string.match(redis.call('GET', key) or '', '^%S+') end
`

// An instance that has started again holds none of the locks of its earlier process.
const HAS_ENDED = `
local function hasEnded(holder, token)
  local instance, process = string.match(token, '^(.-)/(.-)/')
  local itsInstance, itsProcess = string.match(holder, '^(.-)/(.-)/')
  return instance == itsInstance and process ~= itsProcess
end
`

// KEYS: requests of the minute, lock, top, sets. ARGV: limit of requests (0: not counted), token, ms to keep the lock
// after its lease, '1' if the lock is held already, the batch's first time, ms to keep the lock, the batch's claim; then
// for each set its start and the batch's members.
const OPEN = `${OWNER}${HAS_ENDED}
local limit = tonumber(ARGV[1])
if limit > 0 then
  local calls = redis.call('INCR', KEYS[1])
  if calls == 1 then redis.call('PEXPIRE', KEYS[1], 120000) end
  if calls > limit then return 'rate' end
end
if ARGV[2] == '' then return 'counted' end
if ARGV[4] == '1' then
  if owner(KEYS[2]) ~= ARGV[2] then return 'lost' end
elseif not redis.call('SET', KEYS[2], ARGV[2] .. ' ' .. ARGV[7], 'NX', 'PX', ARGV[6]) then
  local holder, claim = string.match(redis.call('GET', KEYS[2]), '^(%S+) (.*)$')
  -- a script whose answer was lost is sent again, so this request may hold the lock already
  if holder ~= ARGV[2] then
    local isLeased = redis.call('PTTL', KEYS[2]) > tonumber(ARGV[3])
    if isLeased and not hasEnded(holder, ARGV[2]) then return 'busy' end
    if claim == '' then claim = ARGV[7]
    elseif string.sub(claim, 1, 5) ~= 'left ' then claim = 'left ' .. claim end
    redis.call('SET', KEYS[2], ARGV[2] .. ' ' .. claim, 'PX', ARGV[6])
  end
  if string.sub(claim, 1, 5) == 'left ' then return claim end
end
local top = tonumber(redis.call('GET', KEYS[3]) or nil)
if not top then return 'unknown' end
if tonumber(ARGV[5]) > top then return 'new' end
if #KEYS == 3 then return 'times' end
local outcomes = {}
for k = 4, #KEYS do
  local start = tonumber(ARGV[2 * k])
  local members = cmsgpack.unpack(ARGV[2 * k + 1])
  local held = false
  if redis.call('EXISTS', KEYS[k]) == 1 then held = redis.call('SMISMEMBER', KEYS[k], unpack(members)) end
  for i, member in ipairs(members) do
    if start + ${MIDDLE} + member > top then outcomes[#outcomes + 1] = '0'
    elseif held then outcomes[#outcomes + 1] = held[i]
    else outcomes[#outcomes + 1] = 'c' end
  end
end
return 'f' .. table.concat(outcomes)
`

// KEYS: lock, top, sets. ARGV: token, ms to keep sets, newest time of the batch, top according to ClickHouse, ms to
// keep top (longer, so that no set exists without it); then for each set its start, '1' if the members are complete,
// and the members.
const CLOSE = `${OWNER}
if owner(KEYS[1]) ~= ARGV[1] then return 0 end
local top = tonumber(redis.call('GET', KEYS[2]) or ARGV[4])
for k = 3, #KEYS do
  local start = tonumber(ARGV[3 * k - 3])
  local whole = ARGV[3 * k - 2] == '1'
  if whole or start > top or redis.call('EXISTS', KEYS[k]) == 1 then
    local members = cmsgpack.unpack(ARGV[3 * k - 1])
    if whole then members[#members + 1] = ${NO_TIME} end
    for from = 1, #members, 4000 do
      redis.call('SADD', KEYS[k], unpack(members, from, math.min(from + 3999, #members)))
    end
    redis.call('PEXPIRE', KEYS[k], ARGV[2])
  end
end
redis.call('SET', KEYS[2], string.format('%.0f', math.max(top, tonumber(ARGV[3]))), 'PX', ARGV[5])
redis.call('DEL', KEYS[1])
return 1
`

// KEYS: lock, top, sets of the claim that was left. ARGV: token, newest time of that claim, ms to keep top and lock, the
// batch's claim. Afterwards only ClickHouse knows the times of the claim that was left.
const SETTLE = `${OWNER}
if owner(KEYS[1]) ~= ARGV[1] then return 0 end
for k = 3, #KEYS do redis.call('DEL', KEYS[k]) end
local top = tonumber(redis.call('GET', KEYS[2]) or nil)
if top and top < tonumber(ARGV[2]) then redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3]) end
redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. ARGV[4], 'PX', ARGV[3])
return 1
`

// KEYS: lock. ARGV: token, ms to keep the lock after its lease. A claim that was left waits for the next request.
const UNLOCK = `${OWNER}
if owner(KEYS[1]) == ARGV[1] then
  if string.sub(redis.call('GET', KEYS[1]), #ARGV[1] + 2, #ARGV[1] + 6) == 'left ' then
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
  else redis.call('DEL', KEYS[1]) end
end
return 1
`

export type OpenAnswer =
  /** rate: too many requests this minute; busy: another request holds the sensor; lost: another one has its lock */
  | { state: 'rate' | 'busy' | 'lost' }
  /** The sensor is locked, and an earlier request did not end: it may have logged readings of this claim. */
  | { state: 'left'; claim: Claim }
  /** new: the whole batch is above `top`; unknown: the sensor has no keys; times: the members are needed too */
  | { state: 'new' | 'unknown' | 'times' }
  /** for each member: 0 new, 1 stored, c below `top` in a missing set */
  | { state: 'outcomes'; outcomes: ('0' | '1' | 'c')[] }

/** Members of one set: times of a sensor within one span, ascending. */
export type Bucket = { number: number; timesMs: number[]; whole: boolean }

/** What a request may log. */
export type Claim = { newestMs: number; buckets: readonly number[] }

/** A sensor, how often its retention became longer, and before which time readings may have been deleted earlier. */
export type SetOwner = { sensor: number; extensions: number; deletedBeforeMs: number }

/** `token`: instance, process and request, separated by `/`. */
export type ClaimKeys = {
  /** Names what Redis remembers of a sensor now. @throws Error while there is no connection */
  memory(sensor: number): string
  countCall(sensor: number, minute: number, limit: number): Promise<boolean>
  open(
    owner: SetOwner,
    call: {
      minute: number
      limit: number
      token: string
      held: boolean
      firstMs: number
      /** Undefined for a request without readings. */
      claim: Claim | undefined
    },
    buckets: readonly Bucket[],
  ): Promise<OpenAnswer>
  /** False if the lock was lost; then nothing was written. */
  close(
    owner: SetOwner,
    call: { token: string; newestMs: number; storedTopMs: number },
    buckets: readonly Bucket[],
  ): Promise<boolean>
  /**
   * Takes the place of a claim that was left, once ClickHouse has what may have been logged of it. False if the lock was
   * lost.
   */
  settle(owner: SetOwner, call: { token: string; claim: Claim | undefined }, left: Claim): Promise<boolean>
  unlock(sensor: number, token: string): Promise<void>
}

/** A list of 16-bit numbers as MessagePack, which Lua in Redis unpacks in one call. */
function packMembers({ number, timesMs }: Bucket): Buffer {
  const start = number * BUCKET_MS + MIDDLE
  const bytes = Buffer.allocUnsafe(3 + timesMs.length * 3)
  bytes[0] = 0xdc
  bytes.writeUInt16BE(timesMs.length, 1)
  for (let i = 0, p = 3; i < timesMs.length; i++, p += 3) {
    const member = (timesMs[i] as number) - start
    bytes[p] = 0xd1
    bytes[p + 1] = (member >> 8) & 255
    bytes[p + 2] = member & 255
  }
  return bytes
}

const claimText = (claim: Claim | undefined): string =>
  claim === undefined ? '' : `${claim.newestMs} ${claim.buckets.join(',')}`

function readClaim(text: string): Claim {
  const [newestMs = '', buckets = ''] = text.split(' ')
  return { newestMs: Number(newestMs), buckets: buckets.split(',').map(Number) }
}

type Script = (...args: (string | number | Buffer)[]) => Promise<unknown>

/** Maximum number of lookups of the memory in one call: a moved slot or a failover changes it once. */
const RENEWALS = 3

export type ClaimTimes = {
  /** How long Redis keeps a sensor's times after its last request. */
  ttlMs: number
  /** Lease of a sensor's lock; longer than any step of a request may take. */
  lockMs: number
}

export function createClaimKeys(
  { redis, subscriber, memories }: RedisClient,
  { ttlMs, lockMs }: ClaimTimes,
): ClaimKeys {
  const keepMs = ttlMs + TOP_TTL_EXTRA_MS
  const afterLeaseMs = keepMs - lockMs
  const isFenced = memories.fence(0) !== undefined
  for (const [name, lua] of Object.entries({ gwOpen: OPEN, gwClose: CLOSE, gwSettle: SETTLE, gwUnlock: UNLOCK }))
    redis.defineCommand(name, { lua: isFenced ? FENCE + lua : lua })
  const scripts = redis as unknown as Record<'gwOpen' | 'gwClose' | 'gwSettle' | 'gwUnlock', Script>
  // includes the generation, so that keys of an earlier memory of Redis are never read
  const key = (sensor: number, rest: string): string =>
    `${memories.prefix(sensor)}${memories.generation(memories.shardOf(sensor))}:${rest}`
  // the lock too: a lock from before a restart must not allow its request to write to the new generation
  const lock = (sensor: number): string => key(sensor, 'lock')
  const set = ({ sensor, extensions, deletedBeforeMs }: SetOwner, bucket: number): string =>
    key(sensor, bucket * BUCKET_MS < deletedBeforeMs ? `${bucket}:${extensions}` : String(bucket))
  const calls = (sensor: number, minute: number): string => `${memories.prefix(sensor)}calls:${minute}`

  function run(
    name: keyof typeof scripts,
    sensor: number,
    keys: string[],
    args: (string | number | Buffer)[],
  ): Promise<unknown> {
    const fence = memories.fence(memories.shardOf(sensor))
    if (fence === undefined) return scripts[name](keys.length, ...keys, ...args)
    return scripts[name](keys.length + 1, fence[0], ...keys, fence[1], ...args)
  }

  /** Opens a sensor in the memory that Redis has now. */
  async function opened(sensor: number, keysOf: () => string[], args: (string | number | Buffer)[]): Promise<string> {
    // otherwise other instances would not wait for this instance's log
    if (isFenced && !subscriber.isSubscribed()) throw new Error('this instance receives no messages from Redis')
    for (let i = 0; i < RENEWALS; i++) {
      const answer = (await run('gwOpen', sensor, keysOf(), args)) as string
      if (answer !== 'stale') return answer
      await memories.renew(memories.shardOf(sensor))
    }
    throw new Error('the master of the sensor changes again and again')
  }

  return {
    memory: (sensor) => memories.generation(memories.shardOf(sensor)),
    async countCall(sensor, minute, limit) {
      const keys = () => [calls(sensor, minute), lock(sensor), key(sensor, 'top')]
      return (await opened(sensor, keys, [limit, '', 0, '0', 0, 0, ''])) !== 'rate'
    },
    async open(owner, { minute, limit, token, held, firstMs, claim }, buckets) {
      const { sensor } = owner
      const keys = () => [
        calls(sensor, minute),
        lock(sensor),
        key(sensor, 'top'),
        ...buckets.map(({ number }) => set(owner, number)),
      ]
      const members = buckets.flatMap((bucket) => [bucket.number * BUCKET_MS, packMembers(bucket)])
      const args = [limit, token, afterLeaseMs, held ? '1' : '0', firstMs, keepMs, claimText(claim), ...members]
      const answer = await opened(sensor, keys, args)
      if (answer.startsWith('left ')) return { state: 'left', claim: readClaim(answer.slice('left '.length)) }
      if (answer.startsWith('f')) return { state: 'outcomes', outcomes: [...answer.slice(1)] as ('0' | '1' | 'c')[] }
      return { state: answer as 'rate' }
    },
    async close(owner, { token, newestMs, storedTopMs }, buckets) {
      const { sensor } = owner
      const sets = buckets.map(({ number }) => set(owner, number))
      const keys = [lock(sensor), key(sensor, 'top'), ...sets]
      const members = buckets.flatMap((bucket) => [
        bucket.number * BUCKET_MS,
        bucket.whole ? '1' : '0',
        packMembers(bucket),
      ])
      const args = [token, ttlMs, newestMs, storedTopMs, keepMs, ...members]
      return (await run('gwClose', sensor, keys, args)) === 1
    },
    async settle(owner, { token, claim }, left) {
      const { sensor } = owner
      const keys = [lock(sensor), key(sensor, 'top'), ...left.buckets.map((number) => set(owner, number))]
      const args = [token, left.newestMs, keepMs, claimText(claim)]
      return (await run('gwSettle', sensor, keys, args)) === 1
    },
    async unlock(sensor, token) {
      await run('gwUnlock', sensor, [lock(sensor)], [token, afterLeaseMs])
    },
  }
}
