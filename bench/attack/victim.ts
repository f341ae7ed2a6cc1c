/** A well-behaved tenant: it posts readings and runs small buffers all the time, and measures how long they take. */
import type { Tenant, World } from './world.ts'

/** Times in milliseconds, and counts of refusals. */
export type Taken = { readings: number[]; tools: number[]; refused: Record<string, number> }
export type VictimKeys = Pick<Tenant, 'sensor' | 'pair'> & { url: string }
export type Victim = {
  /** Measurements since the last call. */
  take(): Promise<Taken>
  stop(): void
}

export function startVictim({ server, victim }: World): Victim {
  const thread = new Worker(new URL('victim-loop.ts', import.meta.url).href)
  thread.onerror = ({ message }) => {
    throw new Error(`the victim's thread failed: ${message}`)
  }
  const keys: VictimKeys = { url: server.url, sensor: victim.sensor, pair: victim.pair }
  thread.postMessage(keys)
  return {
    take() {
      const taken = Promise.withResolvers<Taken>()
      thread.onmessage = ({ data }: MessageEvent<Taken>) => taken.resolve(data)
      thread.postMessage('take')
      return taken.promise
    },
    stop: () => thread.terminate(),
  }
}
