/** A worker process's side of files that it reads while the server writes them. */
import type { ReadAhead } from '../tools/tool.ts'
import type { ToWorker } from './protocol.ts'

export type ArrivingFile = Parameters<ReadAhead>[2]
type Arrived = Awaited<ReturnType<ArrivingFile['after']>>
type Arrival = Extract<ToWorker, { arrived: number }>

export type ArrivingFiles = {
  open(run: number, maxBytes: number): ArrivingFile
  close(run: number): void
  receive(message: Arrival): void
}

export function createArrivingFiles(): ArrivingFiles {
  const files = new Map<number, { receive(message: Arrival): void }>()

  function open(run: number, maxBytes: number): ArrivingFile {
    let last: Arrived = { bytes: 0, isWhole: false }
    let isGivenUp = false
    let changed = Promise.withResolvers<void>()
    files.set(run, {
      receive({ arrived, isWhole, isGivenUp: isEnd }) {
        last = { bytes: arrived, isWhole }
        isGivenUp = isEnd
        changed.resolve()
        changed = Promise.withResolvers()
      },
    })
    return {
      maxBytes,
      async after(bytes) {
        // the messages of other runs, and that this one is given up, come between two steps
        await nextMessages()
        while (!isGivenUp && !last.isWhole && last.bytes <= bytes) await changed.promise
        if (isGivenUp) throw new Error('the file is no longer awaited')
        return last
      },
    }
  }

  return {
    open,
    close: (run) => void files.delete(run),
    receive: (message) => files.get(message.run)?.receive(message),
  }
}

const nextMessages = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
