/**
 * Counts API requests against daily allowances. For owners that call often, requests are taken from the database in blocks
 * and given to calls in memory; others, and all who have little left, take one with each call. After a second, what is
 * left of the blocks goes back. Until then a file has a line for each request of a block that was given to a call, so that
 * a server that is killed counts neither more nor less once it has started again.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  dayOf,
  deleteOldRequestBlocks,
  othersHoldRequests,
  requestBlocksOf,
  returnRequestBlocks,
  takeRequest,
  takeRequestBlock,
} from '../stores/postgres/api-requests.ts'
import type { Database } from '../stores/postgres/client.ts'
import { nextPass } from '../turns.ts'

export type DailyRequests = {
  /** Counts a request unless the allowance of the day is used up. @returns whether it was counted */
  take(ownerId: string, day: string, allowance: number): boolean | Promise<boolean>
  /** Gives back what blocks have left: then the database has exactly the requests of calls. */
  flush(): Promise<void>
  stop(): Promise<void>
}

/** A single request has no line: the database knows that a call has it. */
type Block = { id: string; ownerId: string; left: number; line: Buffer | undefined }
type Owner = {
  ownerId: string
  day: string
  allowance: number
  /** What the allowance had left when the database was last asked. */
  rest: number
  block: Block | undefined
  /** Requests of the last second, and of this one. */
  counts: [number, number]
  secondMs: number
  /** Calls that wait for the database. */
  waiting: number
  asking: Promise<boolean> | undefined
}

const RETURN_MS = 1_000
const MAX_BLOCK = 64
/** A block is at most this share of what is left, so that the last requests are taken one by one. */
const SHARE_OF_REST = 1 / 16
/** How long a refusal waits for what other instances hold; what a killed one holds does not come back before it starts. */
const OTHERS_MS = 2 * RETURN_MS
const ASK_AGAIN_MS = 100
const SECOND_MS = 1_000
const DAY_MS = 86_400_000
const MAX_OWNERS = 10_000

/** @param dir of this server alone */
export async function openDailyRequests(
  db: Database,
  instanceId: string,
  dir: string,
  onError: (error: unknown) => void,
): Promise<DailyRequests> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  await returnBlocksOfKilled(db, instanceId, dir)
  const owners = new Map<string, Owner>()
  /** Those taken since the last return. */
  let blocks: Block[] = []
  let unreturned: { id: string; left: number }[] = []
  let file: number | undefined
  let paths: string[] = []
  let lastFile = 0
  /** While nothing can be written to the file, requests are taken one by one. */
  let canWrite = true
  let timer: Timer | undefined
  let returning: Promise<void> = Promise.resolve()

  function ownerOf(ownerId: string, day: string, allowance: number): Owner {
    const known = owners.get(ownerId)
    if (known?.day === day && known.allowance === allowance) return known
    if (owners.size >= MAX_OWNERS) owners.clear()
    const owner: Owner = {
      ...{ ownerId, day, allowance, rest: 0, block: undefined },
      ...{ counts: [0, 0], secondMs: performance.now(), waiting: 0, asking: undefined },
    }
    owners.set(ownerId, owner)
    return owner
  }

  /** Gives a request of the owner's block to a call. */
  function give(owner: Owner): boolean {
    const { block } = owner
    if (block === undefined || block.left === 0) return false
    if (block.line !== undefined && !write(block.line)) return false
    block.left--
    const nowMs = performance.now()
    if (nowMs - owner.secondMs >= SECOND_MS) {
      owner.counts = [nowMs - owner.secondMs < 2 * SECOND_MS ? owner.counts[1] : 0, 0]
      owner.secondMs = nowMs
    }
    owner.counts[1]++
    return true
  }

  function write(line: Buffer): boolean {
    if (!canWrite) return false
    try {
      if (file === undefined) {
        const path = join(dir, String(++lastFile))
        file = openSync(path, 'ax', 0o600)
        paths.push(path)
      }
      canWrite = writeSync(file, line) === line.length
    } catch (error) {
      canWrite = false
      onError(error)
    }
    return canWrite
  }

  async function takeSlowly(owner: Owner): Promise<boolean> {
    owner.waiting++
    try {
      // the process of the tool gets its input first: the call waits longer for the tool than for the database
      await nextPass()
      while (!give(owner)) {
        owner.asking ??= ask(owner).finally(() => {
          owner.asking = undefined
        })
        if (!(await owner.asking)) return give(owner)
      }
      return true
    } finally {
      owner.waiting--
    }
  }

  /** Gets the owner a block, or a single request. @returns whether there was one left */
  async function ask(owner: Owner): Promise<boolean> {
    const { ownerId, day } = owner
    const wanted = Math.max(owner.waiting, owner.counts[0] + owner.counts[1])
    const size = canWrite ? Math.floor(Math.min(wanted, MAX_BLOCK, owner.rest * SHARE_OF_REST)) : 1
    if (size > 1 && (await takeBlock(owner, size))) return true
    if (await takeSingle(owner)) return true
    if (blocks.some((block) => block.ownerId === ownerId)) {
      await flush()
      if (await takeSingle(owner)) return true
    }
    const untilMs = performance.now() + OTHERS_MS
    while (performance.now() < untilMs && (await othersHoldRequests(db, ownerId, day, instanceId, OTHERS_MS))) {
      await Bun.sleep(ASK_AGAIN_MS)
      if (await takeSingle(owner)) return true
    }
    return false
  }

  async function takeBlock(owner: Owner, size: number): Promise<boolean> {
    const { ownerId, day, allowance } = owner
    const id = Bun.randomUUIDv7()
    let used: number | undefined
    try {
      used = await takeRequestBlock(db, { id, ownerId, day, size }, allowance, instanceId)
    } catch (error) {
      // it may have been taken although the answer was lost
      unreturned.push({ id, left: size })
      schedule()
      throw error
    }
    if (used === undefined) return false
    owner.rest = allowance - used
    owner.block = { id, ownerId, left: size, line: Buffer.from(`${id}\n`) }
    blocks.push(owner.block)
    schedule()
    return true
  }

  async function takeSingle(owner: Owner): Promise<boolean> {
    const { ownerId, day, allowance } = owner
    const used = await takeRequest(db, ownerId, day, allowance)
    if (used === undefined) return false
    owner.rest = allowance - used
    owner.block = { id: '', ownerId, left: 1, line: undefined }
    return true
  }

  function schedule(): void {
    timer ??= setTimeout(() => void flush(), RETURN_MS)
  }

  function flush(): Promise<void> {
    returning = returning.then(async () => {
      clearTimeout(timer)
      timer = undefined
      const ended = [...unreturned, ...blocks.map(({ id, left }) => ({ id, left }))]
      const done = paths
      if (file !== undefined) closeSync(file)
      file = undefined
      for (const block of blocks) block.left = 0
      ;[blocks, unreturned, paths, canWrite] = [[], [], [], true]
      try {
        await returnRequestBlocks(db, ended)
        await Promise.all(done.map((path) => rm(path)))
      } catch (error) {
        unreturned = [...ended, ...unreturned]
        paths = [...done, ...paths]
        schedule()
        onError(error)
      }
    })
    return returning
  }

  return {
    take(ownerId, day, allowance) {
      if (allowance <= 0) return false
      const owner = ownerOf(ownerId, day, allowance)
      return give(owner) || takeSlowly(owner)
    },
    flush,
    async stop() {
      await flush()
      clearTimeout(timer)
    },
  }
}

async function returnBlocksOfKilled(db: Database, instanceId: string, dir: string): Promise<void> {
  const given = new Map<string, number>()
  const paths = (await readdir(dir)).map((name) => join(dir, name))
  // the last line may be incomplete: its call has no answer then
  for (const path of paths)
    for (const id of (await readFile(path, 'latin1')).split('\n').slice(0, -1)) given.set(id, (given.get(id) ?? 0) + 1)
  const held = await requestBlocksOf(db, instanceId)
  await returnRequestBlocks(
    db,
    held.map(({ id, size }) => ({ id, left: Math.max(0, size - (given.get(id) ?? 0)) })),
  )
  await deleteOldRequestBlocks(db, dayOf(Date.now() - 2 * DAY_MS))
  await Promise.all(paths.map((path) => rm(path)))
}
