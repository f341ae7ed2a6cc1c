/** Measures the commands that are sent to Redis. */
import type { Cluster, Redis } from 'ioredis'
import { type OnStoreCall, watchCall } from '../store-watch.ts'

export function watchRedis(redis: Redis | Cluster, onCall: OnStoreCall): void {
  const send = redis.sendCommand.bind(redis)
  redis.sendCommand = (command, stream) => {
    const sent = send(command, stream)
    const describe = () => ({
      name: command.name,
      attributes: { 'db.system.name': 'redis', 'db.operation.name': command.name },
    })
    // the caller handles its failure
    watchCall(onCall, 'redis', 'command', describe, async () => sent).catch(() => undefined)
    return sent
  }
}
