/** The channel to the server, for the runtime that a worker process runs in. The process ends with it. */
import { Socket } from 'node:net'
import { type Channel, frameOf, frameReader, openChannel } from './channel.ts'

/** The first descriptor after the standard ones. */
const CHANNEL = 3

export function openServerChannel(take: (text: string) => void): Pick<Channel, 'send'> {
  const receive = (bytes: Buffer): void => take(bytes.toString())
  const end = (): void => process.exit(0)
  if (process.versions.bun !== undefined) return openChannel(CHANNEL, { receive, ended: end }, true)
  const socket = new Socket({ fd: CHANNEL, readable: true, writable: true })
  const read = frameReader(2 ** 31, receive)
  socket
    .on('data', (chunk: Buffer) => read(chunk))
    .on('close', end)
    .on('error', end)
  return { send: (text) => void socket.write(frameOf(text)) }
}
