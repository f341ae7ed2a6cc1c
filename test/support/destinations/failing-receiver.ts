/** A receiver of webhooks that answers 500, hangs, resets connections and disappears. */
import { createServer, type Server, type Socket } from 'node:net'
import type { Random } from '../random.ts'

/** Of the attempts; the rest succeeds. */
const [RESETS, ERRORS, HANGS] = [0.1, 0.15, 0.003]
/** Of the attempts, those after which a receiver disappears. */
const DISAPPEARS = 0.001

/** @param awayMs how long it disappears @param onArrival called for what it takes, with the id of the event */
export function openReceiver(random: Random, awayMs: number, onArrival: (id: string, body: string) => void) {
  const sockets = new Set<Socket>()
  let server: Server
  let port = 0
  let isAway = false
  let isClosed = false

  function receive(socket: Socket): void {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      text += chunk
      const [head = '', body] = text.split('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1])
      if (body === undefined || Buffer.byteLength(body) < length) return
      text = ''
      answer(socket, /webhook-id: (\S+)/i.exec(head)?.[1] ?? '', body)
    })
  }
  function answer(socket: Socket, id: string, body: string): void {
    if (isAway) return
    const choice = random()
    if (random() < DISAPPEARS) void disappear()
    else if (choice < RESETS) socket.resetAndDestroy()
    else if (choice < RESETS + ERRORS) socket.end('HTTP/1.1 500 Error\r\nContent-Length: 0\r\n\r\n')
    else if (choice > RESETS + ERRORS + HANGS) {
      onArrival(id, body)
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
    }
  }
  function listen(): Promise<void> {
    server = createServer(receive)
    return new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))
  }
  function close(): void {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  async function disappear(): Promise<void> {
    isAway = true
    close()
    await Bun.sleep(awayMs)
    if (isClosed) return
    await listen()
    isAway = false
  }
  return {
    async open(): Promise<number> {
      await listen()
      port = (server.address() as { port: number }).port
      return port
    },
    close() {
      isClosed = true
      close()
    },
  }
}
