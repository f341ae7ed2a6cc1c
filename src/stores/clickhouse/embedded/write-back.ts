/**
 * A thread of chDB's process that has the kernel write merged parts to disk in small steps. By itself the kernel does
 * it every five seconds, hundreds of megabytes at once, and each synced write to the same file system waits meanwhile,
 * and a write of the server's log up to 250 ms. syncfs(2) blocks, so it has its own thread.
 */
import { dlopen } from 'bun:ffi'
import { openSync, readFileSync } from 'node:fs'

const STEP_MS = 200
/** Bytes written since the last step that trigger the next one. Fewer delay no other write. */
const STEP_BYTES = 4 * 2 ** 20

export type WriteBackOrder = { dir: string }

/** Bytes that this process has given to the kernel to be written to a disk. */
const writtenBytes = (): number =>
  Number(/^write_bytes: (\d+)/m.exec(readFileSync('/proc/self/io', 'latin1'))?.[1] ?? Number.NaN)

async function writeBack(dir: string): Promise<void> {
  const { symbols } = dlopen('libc.so.6', { syncfs: { args: ['int'], returns: 'int' } })
  const fd = openSync(dir, 'r')
  for (let synced = writtenBytes(); ; await Bun.sleep(STEP_MS)) {
    const written = writtenBytes()
    // also when the kernel does not count them
    if (!(written - synced >= STEP_BYTES)) continue
    symbols.syncfs(fd)
    synced = written
  }
}

declare const self: {
  onmessage: ((event: MessageEvent<WriteBackOrder>) => void) | null
  postMessage(reason: string): void
}

/** The thread sends a message when it ends; the kernel then writes at its own pace. */
self.onmessage = ({ data }) => {
  writeBack(data.dir).catch((error: unknown) => self.postMessage(`merged parts are not written in steps: ${error}`))
}
