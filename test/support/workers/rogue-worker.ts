/** A worker process that runs foreign code: its input defines its output on the channel and on standard error. */
import { writeSync } from 'node:fs'
import { frameOf } from '../../../src/engine/channel.ts'
import { openServerChannel } from '../../../src/engine/server-channel.ts'

export type Rogue = {
  /** Data to send, raw or in a frame, repeated `times` times. */
  bytes?: string
  frame?: string
  times?: number
  /** Text for standard error, repeated `times` times. */
  errors?: string
}

function write(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; )
    try {
      at += writeSync(fd, bytes, at)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') process.exit(7)
    }
}

const channel = openServerChannel((text) => {
  const order = JSON.parse(text) as { run: number; input: Rogue }
  const { bytes, frame, times = 1, errors } = order.input
  const made = frame === undefined ? Buffer.from(bytes ?? '') : frameOf(frame.replaceAll('RUN', String(order.run)))
  for (let i = 0; i < times; i++) {
    if (made.length > 0) write(3, made)
    if (errors !== undefined) write(2, Buffer.from(errors))
  }
  channel.send(JSON.stringify({ run: order.run, result: { data: { isDone: true } }, cachedBytes: 0 }))
})
const missing = process.env.MISSING
channel.send(JSON.stringify({ ready: true, ...(missing !== undefined && { missing }) }))
