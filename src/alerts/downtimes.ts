/** Times without a server, which no silence counts: from the last heartbeat of a process to the readiness of the next. */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDurably } from '../stores/durable-files.ts'
import type { JudgeInput } from './protocol.ts'

export type Downtimes = {
  /** Whether an earlier process has left a heartbeat, and so the state of its rules. */
  readonly hadHeartbeat: boolean
  list(): JudgeInput['downtimes']
  /** The server is ready: ends the downtime, and begins to write heartbeats. */
  begin(nowMs: number): Promise<void>
  /** Writes a last heartbeat. */
  stop(): Promise<void>
  /** Forgets all, and stops writing. */
  clear(): Promise<void>
}

const BEAT_MS = 5_000
/** The longest time that a rule may ask for is 31 days. */
const KEPT_MS = 32 * 86_400_000

type Heartbeat = { aliveMs: number; downtimes: JudgeInput['downtimes'] }

export async function openDowntimes(dir: string, onError: (error: unknown) => void): Promise<Downtimes> {
  const path = join(dir, 'heartbeat.json')
  const left = await readHeartbeat(path, onError)
  let downtimes = left?.downtimes ?? []
  let lastAliveMs = left?.aliveMs
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  function beat(): Promise<void> {
    writing = writing.then(async () => {
      const heartbeat: Heartbeat = { aliveMs: Date.now(), downtimes }
      await writeDurably(path, JSON.stringify(heartbeat))
    })
    writing = writing.catch(onError)
    return writing
  }

  return {
    hadHeartbeat: left !== undefined,
    list: () => downtimes,
    async begin(nowMs) {
      if (timer !== undefined) return
      if (lastAliveMs !== undefined) downtimes = withDowntime(downtimes, lastAliveMs, nowMs)
      lastAliveMs = undefined
      timer = setInterval(() => void beat(), BEAT_MS)
      await beat()
    },
    async stop() {
      if (timer === undefined) return
      clearInterval(timer)
      await beat()
    },
    async clear() {
      clearInterval(timer)
      timer = undefined
      downtimes = []
      lastAliveMs = undefined
      await writing
      await rm(path, { force: true })
    },
  }
}

/** The times that silences may still need, with a new one. */
export const withDowntime = (
  downtimes: JudgeInput['downtimes'],
  aliveMs: number,
  nowMs: number,
): JudgeInput['downtimes'] =>
  aliveMs < nowMs ? [...downtimes.filter(([, toMs]) => toMs > nowMs - KEPT_MS), [aliveMs, nowMs]] : downtimes

async function readHeartbeat(path: string, onError: (error: unknown) => void): Promise<Heartbeat | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Heartbeat
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') onError(error)
    return undefined
  }
}
