/** A proxy between a client and a server that may change its port: it can be slow, and cut its connections. */
import { connect, createServer, type Socket } from 'node:net'

export type SlowProxy = {
  url: string
  /** Cuts every open connection. */
  cut(): void
  /** Passes nothing more from clients, until `release`. */
  hold(): void
  release(): void
  remove(): Promise<void>
}

/** @param bytesPerMs rate of the bytes from clients */
export async function startSlowProxy(portOfServer: () => number, bytesPerMs: number): Promise<SlowProxy> {
  const sockets = new Set<Socket>()
  const held = new Set<Socket>()
  let isHeld = false
  const keep = (socket: Socket, other: Socket): void => {
    sockets.add(socket)
    // the other side sees the end as a lost connection
    socket.on('error', () => other.destroy())
    socket.on('close', () => {
      sockets.delete(socket)
      other.destroy()
    })
  }
  const server = createServer((client) => {
    const upstream = connect(portOfServer(), '127.0.0.1')
    keep(client, upstream)
    keep(upstream, client)
    client.on('data', (chunk) => {
      upstream.write(chunk)
      client.pause()
      setTimeout(() => (isHeld ? held.add(client) : client.resume()), chunk.length / bytesPerMs)
    })
    upstream.on('data', (chunk) => client.write(chunk))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${port}`,
    cut,
    hold() {
      isHeld = true
    },
    release() {
      isHeld = false
      for (const client of held) client.resume()
      held.clear()
    },
    remove: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        cut()
      }),
  }
}
