/** Measures the commands that are sent to Redis. */
import type { Cluster, Command, Redis } from 'ioredis'
import { type OnStoreCall, watchCall } from '../store-watch.ts'

/** A cluster also gives the server that a command is for. */
type Send = (command: Command, ...rest: unknown[]) => unknown

export function watchRedis(redis: Redis | Cluster, onCall: OnStoreCall): void {
  const send: Send = redis.sendCommand.bind(redis) as Send
  const watched: Send = (command, ...rest) => {
    const sent = send(command, ...rest)
    const describe = () => ({
      name: command.name,
      attributes: { 'db.system.name': 'redis', 'db.operation.name': command.name },
    })
    // the caller handles its failure
    watchCall(onCall, 'redis', 'command', describe, async () => sent).catch(() => undefined)
    return sent
  }
  redis.sendCommand = watched
}
